import { describe, expect, it } from '@jest/globals';
import type { JournalEntry } from '@tollgate/testing';
import type { Books } from './books.js';
import { judge, leftovers } from './verdict.js';
import { KINDS, nothingSeen, type Seen, WORDS } from './witness.js';

const PRICE = KINDS.chat.priceOf(WORDS);

const whole = (mark: string, rest: Partial<Seen> = {}): Seen => ({
  ...nothingSeen({ kind: 'chat', mark, latencyMs: 0, wordsPerSecond: 0 }),
  requestId: `id-${mark}`,
  status: 200,
  received: '{}',
  isWhole: true,
  ...rest,
});

const served = (mark: string, wordsSent = WORDS): JournalEntry =>
  ({ status: 200, wordsSent, body: { prompt: `three plain ${mark}` } }) as unknown as JournalEntry;

function booksOf(bookings: Books['bookings'], rest: Partial<Books> = {}): Books {
  const total = bookings.reduce((sum, { amount }) => sum + amount, 0);
  const fund = { credit: 1_000_000, spent: total, held: 0 };
  return {
    bookings,
    rows: bookings.map(({ id, amount, outcome }) => ({ id, type: 2, quota: amount, outcome, isStream: false })),
    wallet: { ...fund, requests: bookings.length },
    tokens: fund,
    outstanding: 0,
    heldFaults: 0,
    sums: { hours: total, channels: total },
    ...rest,
  };
}

const booking = (mark: string, amount = PRICE, outcome = 'completed') => ({
  ...{ id: `id-${mark}`, amount, outcome, isRequest: true },
});

describe('judge', () => {
  it('finds no fault in correct books', () => {
    const seen = [whole('m1x0'), whole('m1x1', { status: 503, received: 'busy', isWhole: false })];
    expect(judge({ seen, books: booksOf([booking('m1x0')]), journal: [served('m1x0')] })).toEqual({
      booked: 1,
      doubled: 0,
      lost: 0,
      faults: [],
    });
  });

  it('counts a reply without a booking as lost', () => {
    const { lost, faults } = judge({ seen: [whole('m1x0')], books: booksOf([]), journal: [served('m1x0')] });
    expect([lost, faults.length > 0]).toEqual([1, true]);
  });

  it('counts a second charge under another id', () => {
    const books = booksOf([booking('m1x0'), booking('m1x9')]);
    expect(judge({ seen: [whole('m1x0')], books, journal: [served('m1x0')] })).toMatchObject({ doubled: 1 });
  });

  it('counts a second log row', () => {
    const books = booksOf([booking('m1x0')]);
    const judgement = judge({
      seen: [whole('m1x0')],
      books: { ...books, rows: [...books.rows, ...books.rows] },
      journal: [served('m1x0')],
    });
    expect([judgement.doubled, judgement.faults.length > 0]).toEqual([1, true]);
  });

  it.each([
    ['a whole answer at another price', whole('m1x0'), booking('m1x0', PRICE - 1)],
    ['a whole answer that counts as interrupted', whole('m1x0'), booking('m1x0', PRICE, 'interrupted')],
    ['a part for nothing', whole('m1x0', { isWhole: false }), booking('m1x0', 0, 'interrupted')],
    ['a charge for a refusal', whole('m1x0', { status: 503, isWhole: false }), booking('m1x0', PRICE, 'failed')],
  ])('refuses %s', (_, seen, booked) => {
    expect(judge({ seen: [seen], books: booksOf([booked]), journal: [served('m1x0')] }).faults).not.toEqual([]);
  });

  it('reports a charge for more than the upstream served', () => {
    const seen = whole('m1x0', { isWhole: false });
    const books = booksOf([booking('m1x0', PRICE, 'client_abort')]);
    expect(judge({ seen: [seen], books, journal: [served('m1x0', 3)] }).faults).not.toEqual([]);
    expect(judge({ seen: [seen], books, journal: [served('m1x0', 30)] }).faults).toEqual([]);
  });

  it('accepts a charge for the prompt of a refused call only if a relay was killed meanwhile', () => {
    const refused = { status: 503, isWhole: false, askedAt: 1_000, endedAt: 3_000 };
    const faults = (amount: number, relayDeaths: number[], status = 503): string[] =>
      judge({
        seen: [whole('m1x0', { ...refused, status })],
        books: booksOf([booking('m1x0', amount, 'interrupted')]),
        journal: [served('m1x0', 3)],
        relayDeaths,
      }).faults;
    expect(faults(13, [500, 2_000])).toEqual([]);
    expect(faults(13, [])).toHaveLength(1);
    expect(faults(13, [500, 3_500])).toHaveLength(1);
    expect(faults(13, [2_000], 429)).toHaveLength(1);
    expect(faults(41, [2_000])).toHaveLength(1);
  });

  it.each(['wallet', 'tokens'] as const)('compares the %s with the journal', (name) => {
    const books = booksOf([booking('m1x0')]);
    const wrong = { ...books, [name]: { ...books[name], spent: PRICE + 1 } };
    expect(judge({ seen: [whole('m1x0')], books: wrong, journal: [served('m1x0')] }).faults).toHaveLength(1);
  });
});

describe('leftovers', () => {
  it('names open holds and leases', () => {
    expect(leftovers(booksOf([]))).toEqual([]);
    expect(leftovers(booksOf([], { outstanding: 5 }))).toEqual(['leases outstanding: 5 units']);
  });
});
