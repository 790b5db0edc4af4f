import type { Approval } from '@tollgate/contracts/api/approval';
import { approvalKinds, approvalStatuses } from '@tollgate/contracts/api/approval-kinds';
import type { Invoice, InvoiceMatch } from '@tollgate/contracts/api/invoice';
import { invoiceFormats } from '@tollgate/contracts/api/invoice-formats';
import type { PostingReply } from '@tollgate/contracts/api/journal';
import { postingCodes } from '@tollgate/contracts/api/posting-codes';
import type { ProofStep } from '@tollgate/contracts/api/proof';
import type { ClosedPeriod, StatementRow, StatementSums } from '@tollgate/contracts/api/statement';
import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import { topUpStatuses } from '@tollgate/contracts/api/top-up-statuses';
import * as long from './long-values.js';
import type { RowKind } from './state-rows.js';

/** Rows of the books: ordinary ones, and ones whose values all have their greatest length. */
const NOW = 1_790_000_000;
const DAY_MS = 86_400_000;
const REQUEST = '0199a9b0-0000-7000-8000-000000000000';
const DIGEST = 'c0ffee'.padEnd(64, '0');
const MOST_ID = 2_000_000_000;

const each = <Value>(values: readonly Value[], index: number): Value => values[index % values.length] as Value;
const dayOf = (index: number): string => new Date(NOW * 1000 - index * DAY_MS).toISOString().slice(0, 10);
/** Positive and negative in turn. */
const signed = (kind: RowKind, index: number): number =>
  kind === 'long' ? each([long.MOST_UNITS, long.DEBT, long.ONE_UNIT, 0], index) : each([500_000, -20_000], index);
const units = (kind: RowKind, index: number): number => Math.abs(signed(kind, index));

const ordinaryPosting = {
  debit: 'wallet:1',
  credit: 'revenue',
  user_id: 1,
  token_id: 0,
  price_version: 'v1',
  model: 'gpt-4o',
  group: 'default',
  reason: '',
  channel_id: 7,
  actor_id: 0,
};
const longPosting = {
  debit: `wallet:${MOST_ID}`,
  credit: `affiliate:${MOST_ID}`,
  user_id: MOST_ID,
  token_id: MOST_ID,
  price_version: 'v2147483647',
  model: long.MODEL_80,
  group: long.HAN_64,
  reason: long.ERROR_2000.slice(0, 200),
  channel_id: MOST_ID,
  actor_id: MOST_ID,
};

export const postingRow = (kind: RowKind, index: number): PostingReply => ({
  ...(kind === 'long' ? longPosting : ordinaryPosting),
  id: `0199a9b0-0000-7000-8000-${String(index).padStart(12, '0')}`,
  time: NOW - index,
  booked_at: NOW - index + 1,
  code: each(postingCodes, index),
  amount: units(kind, index),
  change: signed(kind, index),
  reference: kind === 'long' ? long.longName(index) : `order-${index + 1}`,
});

export const approvalRow = (kind: RowKind, index: number): Approval => {
  const isLong = kind === 'long';
  return {
    id: isLong ? MOST_ID + index : index + 1,
    kind: each(approvalKinds, index),
    status: each(approvalStatuses, index),
    user_id: isLong ? MOST_ID : 3,
    token_id: isLong ? MOST_ID : 0,
    change: signed(kind, index),
    subject: isLong ? long.LATIN_64 : `order-${index + 1}`,
    reason: isLong ? long.longName(index) : 'bank transfer 4711',
    requester_id: isLong ? MOST_ID : 2,
    created_time: NOW,
    expire_time: NOW + 86_400,
    decider_id: isLong ? MOST_ID : 0,
    decided_time: isLong ? NOW : 0,
    note: isLong ? long.MARKUP.repeat(5) : '',
  };
};

const sums = (kind: RowKind, index: number): StatementSums => {
  const most = units(kind, index);
  return {
    ...{ postings: most, turnover: most, requests: most, consumed: most, returned: most, paid: most, refunded: most },
    ...{ redeemed: most, granted: most, late: most, cost: most, costed: most, costed_sales: most },
    ...{ corrected: signed(kind, index), adjusted: signed(kind, index) },
    ...{ net: signed(kind, index), margin: signed(kind, index) },
  };
};
export const statementRow = (kind: RowKind, index: number): StatementRow => ({
  ...sums(kind, index),
  period: dayOf(index),
  key: '',
});
export const statementTotals = (kind: RowKind): StatementSums => sums(kind, 0);
export const noSums: StatementSums = Object.fromEntries(
  Object.keys(sums('ordinary', 0)).map((name) => [name, 0]),
) as StatementSums;

export const periodRow = (kind: RowKind, index: number): ClosedPeriod => ({
  id: index + 1,
  first_day: dayOf(index + 1),
  last_day: dayOf(index),
  closed_time: NOW,
  actor_id: kind === 'long' ? MOST_ID : 1,
  note: kind === 'long' ? long.longName(index) : '',
  seal: {
    time: NOW,
    postings: units(kind, 0),
    digest: DIGEST,
    totals: { consumption: units(kind, 0) },
    text: kind === 'long' ? long.ERROR_2000 : '{}',
    signature: DIGEST.repeat(2),
  },
});

export const invoiceRow = (kind: RowKind, index: number): Invoice => {
  const isLong = kind === 'long';
  return {
    id: index + 1,
    name: isLong ? long.longName(index) : `invoice-${index + 1}`,
    format: each(invoiceFormats, index),
    channel_ids: isLong ? Array.from({ length: 200 }, (_, at) => MOST_ID + at) : [1, 2],
    first_day: dayOf(index + 30),
    last_day: dayOf(index),
    zone: isLong ? 'America/Argentina/ComodRivadavia' : 'UTC',
    rows: isLong ? 100_000_000 : 31,
    digest: DIGEST,
    imported_by: isLong ? MOST_ID : 1,
    imported_time: NOW,
  };
};

const states = ['matches', 'differs', 'not-invoiced', 'not-ours'] as const;
export const matchRow = (kind: RowKind, index: number): InvoiceMatch => {
  const most = kind === 'long' ? long.MOST_UNITS : 12_000 + index;
  const usage = { requests: most, input: most, cached: most, output: most };
  return {
    day: dayOf(Math.floor(index / 40)),
    model: kind === 'long' ? (long.MODELS_300[index % 40] ?? '') : `model-${index % 40}`,
    state: each(states, index),
    invoice: { ...usage, amount: kind === 'long' ? '123456789012.123456' : '12.5' },
    upstream: usage,
    ours: usage,
    journal: { requests: most, sales: most, cost: most, costed: 1 },
    difference: { input: kind === 'long' ? long.DEBT : 0, output: kind === 'long' ? long.DEBT : -3 },
  };
};

export const orderRow = (kind: RowKind, index: number): TopUpOrder => {
  const isLong = kind === 'long';
  return {
    id: index + 1,
    user_id: isLong ? MOST_ID : 1,
    trade_no: isLong ? long.LATIN_64 : `T${index + 1}`,
    provider: each(['epay', 'stripe'] as const, index),
    payment_method: each(['alipay', 'wxpay', 'card'], index),
    status: each(topUpStatuses, index),
    amount: isLong ? long.MOST_UNITS : 25,
    quota: units(kind, index),
    money: isLong ? '999999999999999.99' : '182.50',
    currency: 'CNY',
    create_time: NOW - index,
    expire_time: NOW + 3600,
    complete_time: index % 5 === 1 ? NOW : 0,
    refund_time: index % 5 === 4 ? NOW : 0,
  };
};

const links = ['received', 'price', 'hold', 'attempt', 'usage', 'rating', 'event', 'posting', 'seal', 'log'] as const;
const stepStates = ['done', 'pending', 'missing', 'differs'] as const;
export const proofStep = (kind: RowKind, index: number): ProofStep => {
  const isLong = kind === 'long';
  return {
    link: each(links, index),
    state: each(stepStates, index),
    time: NOW * 1000,
    facts: [
      { name: 'request_id', value: REQUEST },
      { name: 'model', value: isLong ? long.MODEL_80 : 'gpt-4o' },
      { name: 'amount', value: units(kind, index) },
      { name: 'content', value: isLong ? long.ERROR_2000 : 'a text' },
      ...(isLong ? [{ name: long.LATIN_64, value: long.URL_500 }] : []),
    ],
    lines: isLong
      ? [{ kind: 'prompt', count: MOST_ID, ratio: 0.000_001, units: '9007199254740991.123456789' }]
      : undefined,
  };
};
