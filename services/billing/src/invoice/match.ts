import type { InvoiceMatch, InvoiceTotals } from '@tollgate/contracts/api/invoice';
import { nanos, nanosText } from './decimal.js';
import type { InvoiceUsage } from './formats.js';
import { modelKey } from './model-key.js';

/** Usage of one channel, day, model and source in the usage log. */
export interface UsageSum {
  channelId: number;
  day: string;
  model: string;
  sent: string;
  source: 'upstream' | 'estimated' | 'requested';
  requests: number;
  input: number;
  cached: number;
  output: number;
}

/** What the journal booked for a channel, day and model, by the requested name and the name that was sent. Units. */
export interface JournalSum {
  channelId: number;
  day: string;
  model: string;
  /** Empty where unknown, as for rows booked before it was stored. */
  sent: string;
  requests: number;
  sales: number;
  cost: number;
  /** Requests whose cost is known. */
  costed: number;
}

type Usage = Pick<UsageSum, 'requests' | 'input' | 'cached' | 'output'>;
interface Side {
  invoice?: InvoiceUsage;
  upstream: Usage;
  ours: Usage;
  journal: Omit<JournalSum, 'channelId' | 'day' | 'model' | 'sent'>;
}

const none = (): Usage => ({ requests: 0, input: 0, cached: 0, output: 0 });

function addTo(sum: Usage, more: Usage): void {
  sum.requests += more.requests;
  sum.input += more.input;
  sum.cached += more.cached;
  sum.output += more.output;
}

/**
 * Compares three counts of the same tokens by day and model: the provider's, that of the upstream's replies, and what
 * was booked. Models are matched by the name that was sent, without its version. Latest day first.
 */
export function matchInvoice(
  lines: readonly InvoiceUsage[],
  usage: readonly UsageSum[],
  journal: readonly JournalSum[],
): InvoiceMatch[] {
  const sides = new Map<string, Side>();
  const sideOf = (day: string, model: string): Side => {
    const key = `${day}\n${model}`;
    const known = sides.get(key);
    if (known) return known;
    const side = { upstream: none(), ours: none(), journal: { requests: 0, sales: 0, cost: 0, costed: 0 } };
    sides.set(key, side);
    return side;
  };
  for (const line of lines) sideOf(line.day, line.model).invoice = line;
  const sentAs = new Map<string, string>();
  for (const sum of usage) {
    const side = sideOf(sum.day, modelKey(sum.sent));
    sentAs.set(requestedKey(sum), modelKey(sum.sent));
    addTo(side.ours, sum);
    if (sum.source === 'upstream') addTo(side.upstream, sum);
  }
  for (const sum of journal) {
    const { journal: all } = sideOf(
      sum.day,
      sum.sent === '' ? (sentAs.get(requestedKey(sum)) ?? modelKey(sum.model)) : modelKey(sum.sent),
    );
    all.requests += sum.requests;
    all.sales += sum.sales;
    all.cost += sum.cost;
    all.costed += sum.costed;
  }
  return [...sides]
    .sort(([one], [other]) => (one < other ? 1 : -1))
    .map(([key, side]) => {
      const [day = '', model = ''] = key.split('\n');
      return toMatch(day, model, side);
    });
}

/**
 * Key of the requested name within a channel and day. A channel usually sends a model under one name in a day, but
 * another channel may use another name.
 */
const requestedKey = ({ channelId, day, model }: Record<'day' | 'model', string> & { channelId: number }): string =>
  `${channelId}\n${day}\n${model}`;

function toMatch(day: string, model: string, { invoice, upstream, ours, journal }: Side): InvoiceMatch {
  const { requests = 0, input = 0, cached = 0, output = 0, amount } = invoice ?? {};
  const difference = { input: input - ours.input, output: output - ours.output };
  return {
    ...{ day, model, state: stateOf(invoice, ours, difference), upstream, ours, difference },
    invoice: { requests, input, cached, output, amount: amount === undefined ? null : nanosText(amount) },
    journal: journalOf(journal),
  };
}

const journalOf = ({ requests, sales, cost, costed }: Side['journal']): InvoiceMatch['journal'] => ({
  ...{ requests, sales, costed },
  cost: costed > 0 || requests === 0 ? cost : null,
});

/** The sums of all compared rows. */
export function totalsOf(matches: readonly InvoiceMatch[]): InvoiceTotals {
  const total = (of: (match: InvoiceMatch) => number): number => matches.reduce((sum, match) => sum + of(match), 0);
  const usageOf = (side: 'invoice' | 'upstream' | 'ours'): Usage => ({
    requests: total((match) => match[side].requests),
    input: total((match) => match[side].input),
    cached: total((match) => match[side].cached),
    output: total((match) => match[side].output),
  });
  const amounts = matches.flatMap(({ invoice }) => nanos(invoice.amount ?? '') ?? []);
  const amount = amounts.length === 0 ? null : nanosText(amounts.reduce((sum, one) => sum + one, 0n));
  return {
    invoice: { ...usageOf('invoice'), amount },
    upstream: usageOf('upstream'),
    ours: usageOf('ours'),
    journal: journalOf({
      requests: total(({ journal }) => journal.requests),
      sales: total(({ journal }) => journal.sales),
      cost: total(({ journal }) => journal.cost ?? 0),
      costed: total(({ journal }) => journal.costed),
    }),
    difference: {
      input: total(({ difference }) => difference.input),
      output: total(({ difference }) => difference.output),
    },
  };
}

function stateOf(
  invoice: InvoiceUsage | undefined,
  ours: Usage,
  difference: InvoiceMatch['difference'],
): InvoiceMatch['state'] {
  if (!invoice) return ours.input + ours.output > 0 ? 'not-invoiced' : 'matches';
  if (ours.requests === 0 && invoice.input + invoice.output > 0) return 'not-ours';
  return difference.input === 0 && difference.output === 0 ? 'matches' : 'differs';
}
