import { describe, expect, it } from '@jest/globals';
import { type Fund, grantSize, LeaseBook, type LeaseRequest, outstandingOf } from './lease-book.js';

const NONE = { granted: 0, returned: 0, used: 0 };
const wallet = (fields: Partial<Fund> = {}): Fund => ({
  kind: 'wallet',
  id: 1,
  ownerId: 1,
  credit: 1000,
  spent: 0,
  held: 0,
  limited: true,
  closed: false,
  ...fields,
});
const token = (fields: Partial<Fund> = {}): Fund => wallet({ kind: 'token', id: 7, ...fields });
const ask = (walletNeed: number, fields: Partial<LeaseRequest> = {}): LeaseRequest => ({
  userId: 1,
  tokenId: 0,
  walletNeed,
  tokenNeed: walletNeed,
  wallet: NONE,
  token: NONE,
  ...fields,
});

describe('grantSize', () => {
  it.each([
    [10, 639, 10], // below 64 needs: the need alone
    [10, 640, 40], // a sixteenth of 640
    [10, 100_000, 2560], // 256 needs
    [0, 1_000_000, 0],
  ])('lends for a need of %i from %i available %i', (need, available, size) => {
    expect(grantSize(need, available)).toBe(size);
  });
});

describe('LeaseBook', () => {
  it('serves the requests of a batch one after the other from what is left', () => {
    const results = new LeaseBook([wallet({ credit: 250 })], []).serve([ask(100), ask(100), ask(100), ask(50)]);
    expect(results.map(({ outcome, walletAvailable }) => [outcome, walletAvailable])).toEqual([
      ['granted', 250],
      ['granted', 150],
      ['busy', 50],
      ['granted', 50],
    ]);
    expect(results.at(-1)?.wallet).toEqual({ granted: 250, returned: 0 });
  });

  it('counts what was lent ahead towards the next requests of the batch', () => {
    const [first, second] = new LeaseBook([wallet({ credit: 1_000_000 })], []).serve([ask(10), ask(10)]);
    expect([first?.wallet.granted, second?.wallet.granted]).toEqual([2560, 2560]);
  });

  it('holds wallet and token together or not at all', () => {
    const book = new LeaseBook([wallet(), token({ credit: 50 })], []);
    expect(book.serve([ask(100, { tokenId: 7 })])[0]).toMatchObject({
      outcome: 'short-token',
      wallet: { granted: 0, returned: 0 },
      token: { granted: 0, returned: 0 },
    });
    expect(book.changes()).toEqual({ funds: [], leases: [] });
    expect(book.serve([ask(100, { tokenId: 7, tokenNeed: 50 })])[0]).toMatchObject({
      outcome: 'granted',
      wallet: { granted: 100 },
      token: { granted: 50 },
    });
    expect(book.changes().funds).toEqual([
      { kind: 'wallet', id: 1, held: 100 },
      { kind: 'token', id: 7, held: 50 },
    ]);
  });

  it('distinguishes what can never be granted from what others hold now', () => {
    const funds = [wallet({ credit: 100, held: 80 })];
    expect(new LeaseBook(funds, []).serve([ask(50)])[0]?.outcome).toBe('busy');
    expect(new LeaseBook(funds, []).serve([ask(101)])[0]?.outcome).toBe('short-wallet');
    expect(new LeaseBook([wallet({ credit: 100, spent: 160 })], []).serve([ask(0)])[0]?.outcome).toBe('granted');
  });

  it('counts a grant whose reply was lost towards the repeated need', () => {
    const lease = { kind: 'wallet', id: 1, granted: 100, returned: 0, booked: 0, used: 0 } as const;
    const [repeat] = new LeaseBook([wallet({ held: 100 })], [lease]).serve([ask(100)]);
    expect(repeat?.wallet.granted).toBe(100);
    const [more] = new LeaseBook([wallet({ held: 100 })], [lease]).serve([ask(130)]);
    expect(more?.wallet.granted).toBe(130);
  });

  it('deducts what was booked beyond a lease once, and lends from the current balance', () => {
    // 130 of 100 lent units were booked, and then the wallet was set from −30 to 200.
    const lease = { kind: 'wallet', id: 1, granted: 100, returned: 0, booked: 130, used: 130 } as const;
    const book = new LeaseBook([wallet({ credit: 330, spent: 130 })], [lease]);
    // The replica lacks the 30 of its debt, 10 of another call that is not booked yet, and 150 for the next request.
    const told = { granted: 100, returned: 0, used: 140 };
    const [result] = book.serve([ask(190, { wallet: told })]);
    expect(result).toMatchObject({ outcome: 'granted', wallet: { granted: 290 } });
    expect(book.changes()).toMatchObject({ funds: [{ held: 160 }], leases: [{ granted: 290, booked: 130 }] });
  });

  it('applies a cumulative return once, never more than was granted, never backwards', () => {
    const lease = { kind: 'wallet', id: 1, granted: 100, returned: 20, booked: 30, used: 0 } as const;
    const book = new LeaseBook([wallet({ held: 50 })], [lease]);
    for (const returned of [60, 60, 40]) book.giveBack({ kind: 'wallet', id: 1 }, { returned, used: 0 });
    expect(book.changes().funds).toEqual([{ kind: 'wallet', id: 1, held: 10 }]);
    book.giveBack({ kind: 'wallet', id: 1 }, { returned: 5000, used: 0 });
    expect(book.changes()).toMatchObject({ funds: [{ held: 0 }], leases: [{ granted: 100, returned: 100 }] });
  });

  it('releases what is outstanding, also when more was booked than lent', () => {
    const over = { kind: 'wallet', id: 1, granted: 100, returned: 0, booked: 130, used: 0 } as const;
    expect(outstandingOf(over)).toBe(0);
    const book = new LeaseBook([wallet()], [over]);
    book.release({ kind: 'wallet', id: 1 });
    expect(book.changes().leases).toEqual([{ ...over }]);
  });

  it('counts as elsewhere what others can still spend, not what only waits to be booked', () => {
    const other = (granted: number, booked: number, used: number) =>
      ({ kind: 'wallet', id: 1, granted, returned: 0, booked, used }) as const;
    // 60 of 100 lent units are spent, 20 of them booked; 30 are lent and reported as overspent; of 50 only 10 are known
    // to be booked.
    const others = [other(100, 20, 60), other(30, 0, 45), other(50, 10, 0)];
    const funds = [wallet({ credit: 200, spent: 30, held: 80 + 30 + 40 })];
    const [result] = new LeaseBook(funds, [], others).serve([ask(50)]);
    expect(result).toMatchObject({ outcome: 'busy', walletAvailable: 20, walletElsewhere: 40 + 0 + 40 });
  });

  it("lends nothing from a deleted token or from another user's", () => {
    expect(new LeaseBook([wallet(), token({ closed: true })], []).serve([ask(1, { tokenId: 7 })])[0]?.outcome).toBe(
      'unknown',
    );
    expect(new LeaseBook([wallet(), token({ ownerId: 2 })], []).serve([ask(1, { tokenId: 7 })])[0]?.outcome).toBe(
      'unknown',
    );
  });

  it('lets the budget of an unlimited token go below zero', () => {
    const book = new LeaseBook([wallet(), token({ credit: 0, limited: false })], []);
    expect(book.serve([ask(100, { tokenId: 7 })])[0]).toMatchObject({ outcome: 'granted', token: { granted: 100 } });
  });
});
