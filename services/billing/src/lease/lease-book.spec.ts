import { describe, expect, it } from '@jest/globals';
import { type Fund, grantSize, LeaseBook, type LeaseRequest, outstandingOf } from './lease-book.js';

const WALLET = { kind: 'wallet', id: 1 } as const;
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
    for (const returned of [60, 60, 40]) book.takeReport({ kind: 'wallet', id: 1 }, { returned, used: 0 });
    expect(book.changes().funds).toEqual([{ kind: 'wallet', id: 1, held: 10 }]);
    book.takeReport({ kind: 'wallet', id: 1 }, { returned: 5000, used: 0 });
    expect(book.changes()).toMatchObject({ funds: [{ held: 0 }], leases: [{ granted: 100, returned: 100 }] });
  });

  it('takes over what a replica was lent and the database has lost, and lends it to nobody else', () => {
    // 600 were lent; 100 of them were returned, 150 are spent, and 100 of these booked.
    const told = { granted: 600, returned: 100, used: 150 };
    const book = new LeaseBook(
      [wallet({ spent: 100 })],
      [{ ...WALLET, granted: 0, returned: 0, booked: 100, used: 0 }],
    );
    book.takeReport(WALLET, told);
    expect(book.changes()).toEqual({
      funds: [{ ...WALLET, held: 400 }],
      leases: [{ ...WALLET, ...told, booked: 100 }],
    });
    expect(book.lostGrants()).toEqual({ found: [expect.objectContaining(WALLET)], overlent: [] });
    const [again] = book.serve([ask(100, { wallet: told })]);
    expect(again).toMatchObject({ outcome: 'granted', walletAvailable: 500, wallet: { granted: 700 } });
  });

  it('names a fund of which others were lent again what a replica still has', () => {
    const book = new LeaseBook([wallet({ held: 900 })], [], [{ ...WALLET, ...NONE, granted: 900, booked: 0 }]);
    book.takeReport(WALLET, { granted: 300, returned: 0, used: 0 });
    expect(book.lostGrants().overlent).toEqual([expect.objectContaining({ ...WALLET, held: 1200 })]);
  });

  it('believes no report by which one lease had more than the fund owns, however often it comes', () => {
    const lease = { ...WALLET, granted: 100, returned: 0, booked: 0, used: 0 };
    const book = new LeaseBook([wallet({ spent: 300, held: 100 }), token({ closed: true })], [lease]);
    for (const granted of [5000, 1e12, 1e12]) {
      book.takeReport(WALLET, { granted, returned: 0, used: 0 });
      book.takeReport({ kind: 'token', id: 7 }, { granted, returned: 0, used: 0 });
    }
    expect(book.changes()).toMatchObject({ funds: [{ ...WALLET, held: 700 }], leases: [{ granted: 700 }] });
    // More than that was lent only if it came back or was booked since.
    book.takeReport(WALLET, { granted: 5000, returned: 4500, used: 0 });
    expect(book.changes()).toMatchObject({ funds: [{ held: 500 }], leases: [{ granted: 5000, returned: 4500 }] });
  });

  it('takes over a grant and a return of a lease that has more already than the fund still owns', () => {
    const lease = { ...WALLET, granted: 100, returned: 0, booked: 0, used: 0 };
    const book = new LeaseBook([wallet({ credit: 50, held: 100 })], [lease]);
    book.takeReport(WALLET, { granted: 130, returned: 30, used: 0 });
    expect(book.changes().leases).toMatchObject([{ granted: 130, returned: 30 }]);
  });

  it('takes over any grant from the budget of an unlimited token, as it would lend it', () => {
    const book = new LeaseBook([token({ credit: 0, limited: false })], []);
    book.takeReport({ kind: 'token', id: 7 }, { granted: 500, returned: 0, used: 0 });
    expect(book.changes()).toMatchObject({ funds: [{ held: 500 }], leases: [{ granted: 500 }] });
    expect(book.lostGrants().overlent).toEqual([]);
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
