import { describe, expect, it } from '@jest/globals';
import { csvLines } from '@tollgate/contracts/csv';
import fc from 'fast-check';
import { formatOf } from './formats.js';
import { matchInvoice, totalsOf, type UsageSum } from './match.js';
import { readInvoice } from './read-invoice.js';

const tokens = fc.nat({ max: 5_000_000 });
const sum = fc
  .record({
    day: fc.constantFrom('2026-11-01', '2026-11-02', '2026-11-03'),
    sent: fc.constantFrom('gpt-4o', 'gpt-4o-mini', 'o3-mini', 'claude-sonnet-4'),
    source: fc.constantFrom('upstream' as const, 'estimated' as const),
    requests: fc.integer({ min: 1, max: 500 }),
    cached: tokens,
    more: fc.integer({ min: 1, max: 5_000_000 }),
    output: tokens,
  })
  .map(({ more, ...one }): UsageSum => ({ ...one, channelId: 7, model: one.sent, input: one.cached + more }));
/** One row per day, model and source, as the log sums them. */
const usage = fc.uniqueArray(sum, {
  selector: ({ day, sent, source }) => `${day} ${sent} ${source}`,
  minLength: 1,
  maxLength: 20,
});

const HEAD = ['start_time_iso', 'model', 'num_model_requests', 'input_tokens', 'input_cached_tokens', 'output_tokens'];
type Row = (string | number)[];
/** The invoice rows of an honest provider, with its own dated model names. */
const rowsOf = (sums: readonly UsageSum[]): Row[] =>
  sums.map(({ day, sent, requests, input, cached, output }) => [
    `${day}T10:00:00+00:00`,
    sent === 'gpt-4o' ? 'gpt-4o-2024-08-06' : sent,
    ...[requests, input, cached, output],
  ]);
const matched = async (sums: readonly UsageSum[], rows: readonly Row[]) =>
  matchInvoice((await readInvoice(csvLines([HEAD, ...rows]), formatOf('openai', undefined))).lines, sums, []);
const keyOf = ({ day, sent }: UsageSum): string => `${day} ${sent}`;
const faulty = (matches: Awaited<ReturnType<typeof matched>>): string[] =>
  matches.filter(({ state }) => state !== 'matches').map(({ day, model }) => `${day} ${model}`);

describe('an invoice', () => {
  it('that is made from our own rows matches to the token, and shows how much of it the upstream reported', async () => {
    await fc.assert(
      fc.asyncProperty(usage, async (sums) => {
        const matches = await matched(sums, rowsOf(sums));
        expect(faulty(matches)).toEqual([]);
        const reported = sums.filter(({ source }) => source === 'upstream').reduce((all, { input }) => all + input, 0);
        expect(matches.reduce((all, { upstream }) => all + upstream.input, 0)).toBe(reported);
        expect(matches.reduce((all, { difference }) => all + difference.input + difference.output, 0)).toBe(0);
      }),
    );
  });

  it('with a changed, missing or doubled row differs on its day and model only', async () => {
    const harm = fc.constantFrom('changed' as const, 'dropped' as const, 'doubled' as const);
    await fc.assert(
      fc.asyncProperty(usage, harm, fc.nat(), fc.integer({ min: 1, max: 1000 }), async (sums, kind, at, by) => {
        fc.pre(sums.length > 1);
        const rows = rowsOf(sums);
        const place = at % rows.length;
        const row = rows[place] ?? [];
        const changed = row.map((value, index) => (index === 3 ? Number(value) + by : value));
        const harmed = {
          changed: rows.with(place, changed),
          dropped: rows.toSpliced(place, 1),
          doubled: [...rows, row],
        }[kind];
        expect(faulty(await matched(sums, harmed))).toEqual([keyOf(sums[place]!)]);
      }),
    );
  });

  it('distinguishes what we never sent from what was not invoiced', () => {
    const one: UsageSum = {
      ...{ channelId: 7, day: '2026-11-01', model: 'mine', sent: 'gpt-4o', source: 'upstream' },
      ...{ requests: 2, input: 10, cached: 0, output: 5 },
    };
    const matches = matchInvoice(
      [{ day: '2026-11-01', model: 'strange', requests: 1, input: 1, cached: 0, output: 0, amount: 12_000_000n }],
      [one],
      [{ channelId: 7, day: '2026-11-01', model: 'mine', sent: '', requests: 2, sales: 40, cost: 0, costed: 0 }],
    );
    expect(matches).toMatchObject([
      { model: 'strange', state: 'not-ours', invoice: { amount: '0.012' } },
      { model: 'gpt-4o', state: 'not-invoiced', journal: { requests: 2, sales: 40, cost: null, costed: 0 } },
    ]);
    expect(totalsOf(matches)).toEqual({
      invoice: { requests: 1, input: 1, cached: 0, output: 0, amount: '0.012' },
      ...{ upstream: { requests: 2, input: 10, cached: 0, output: 5 } },
      ...{ ours: { requests: 2, input: 10, cached: 0, output: 5 }, difference: { input: -9, output: -5 } },
      journal: { requests: 2, sales: 40, cost: null, costed: 0 },
    });
  });

  it('separates what two channels sent under different names', () => {
    const at = { day: '2026-11-01', model: 'mine' };
    const tokens = { source: 'upstream' as const, requests: 1, input: 10, cached: 0, output: 5 };
    const matches = matchInvoice(
      [],
      [
        { ...at, ...tokens, channelId: 7, sent: 'gpt-4o' },
        { ...at, ...tokens, channelId: 8, sent: 'gpt-4o-mini' },
      ],
      [
        { ...at, channelId: 7, sent: '', requests: 1, sales: 40, cost: 30, costed: 1 },
        { ...at, channelId: 8, sent: '', requests: 1, sales: 4, cost: 3, costed: 1 },
      ],
    );
    expect(matches.map(({ model, journal }) => [model, journal.sales, journal.cost])).toEqual([
      ['gpt-4o-mini', 4, 3],
      ['gpt-4o', 40, 30],
    ]);
    expect(totalsOf(matches).journal).toEqual({ requests: 2, sales: 44, cost: 33, costed: 2 });
  });

  it('separates what one channel sent under two names in a day', () => {
    const at = { channelId: 7, day: '2026-11-01', model: 'mine' };
    const tokens = { source: 'upstream' as const, requests: 1, input: 10, cached: 0, output: 5 };
    const sums = { requests: 1, sales: 40, cost: 30, costed: 1 };
    const matches = matchInvoice(
      [],
      ['gpt-4o-2024-08-06', 'gpt-4o-mini', 'mine'].map((sent) => ({ ...at, ...tokens, sent })),
      ['gpt-4o-2024-08-06', 'gpt-4o-mini', 'mine'].map((sent, by) => ({ ...at, ...sums, sent, sales: 40 + by })),
    );
    expect(matches.map(({ model, ours, journal }) => [model, ours.requests, journal.requests, journal.sales])).toEqual([
      ['mine', 1, 1, 42],
      ['gpt-4o-mini', 1, 1, 41],
      ['gpt-4o', 1, 1, 40],
    ]);
  });
});
