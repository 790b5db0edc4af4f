import { approvalSchema } from '@tollgate/contracts/api/approval';
import { invoiceResultSchema, invoiceSchema } from '@tollgate/contracts/api/invoice';
import { postingSchema } from '@tollgate/contracts/api/journal';
import { proofSchema } from '@tollgate/contracts/api/proof';
import { closedPeriodSchema, statementRowSchema, statementSchema } from '@tollgate/contracts/api/statement';
import { topUpOrderSchema } from '@tollgate/contracts/api/top-up';
import * as long from './long-values.js';
import {
  approvalRow,
  invoiceRow,
  matchRow,
  noSums,
  orderRow,
  periodRow,
  postingRow,
  proofStep,
  statementRow,
  statementTotals,
} from './money-rows.js';
import type { Maker, Reply } from './reply-makers.js';
import { data, kindOf, paged } from './reply-makers.js';

const statementPage = paged(statementRowSchema, statementRow);
const statement: Maker = async (asked) => {
  const { body } = (await statementPage(asked)) as Reply & { body: { data: object } };
  const isEmpty = asked.filling === 'empty';
  const held = isEmpty ? 0 : asked.filling === 'long' ? long.MOST_UNITS : 500_000;
  const totals = isEmpty ? noSums : statementTotals(kindOf(asked));
  return data(statementSchema.parse({ ...body.data, totals, opening: held, closing: held, complete: !isEmpty }));
};

/** An invoice always has rows, because one without them cannot be imported. */
const invoice: Maker = (asked) => {
  const kind = kindOf(asked);
  const count = { empty: 1, long: 40, many: 10_000 }[asked.filling];
  const matches = Array.from({ length: count }, (_, index) => matchRow(kind, index));
  const { day: _day, model: _model, state: _state, ...totals } = matchRow(kind, 0);
  return data(invoiceResultSchema.parse({ invoice: invoiceRow(kind, 0), complete: kind !== 'long', matches, totals }));
};

/** A chain of proof always has a link, because at least one record exists for whatever is found. */
const proof: Maker = (asked) => {
  const [kind = '', id = ''] = asked.url.pathname.split('/').slice(-2);
  const count = { empty: 1, long: 12, many: 200 }[asked.filling];
  const steps = Array.from({ length: count }, (_, index) => proofStep(kindOf(asked), index));
  const user_id = asked.filling === 'long' ? 2_000_000_000 : 1;
  return data(proofSchema.parse({ kind, id, user_id, complete: asked.filling !== 'long', steps }));
};

/** Makers of replies for the pages of the books. */
export const moneyMakers: [RegExp, Maker][] = [
  [/^\/api\/journal\/?$/, paged(postingSchema, postingRow)],
  [/^\/api\/approval\/?$/, paged(approvalSchema, approvalRow)],
  [/^\/api\/statement(\/self)?\/?$/, statement],
  [/^\/api\/period\/?$/, paged(closedPeriodSchema, periodRow)],
  [/^\/api\/invoice\/?$/, paged(invoiceSchema, invoiceRow)],
  [/^\/api\/invoice\/\d+\/?$/, invoice],
  [/^\/api\/user\/topup(\/self)?\/?$/, paged(topUpOrderSchema, orderRow)],
  [/^\/api\/proof\/\w+\/[^/]+\/?$/, proof],
];
