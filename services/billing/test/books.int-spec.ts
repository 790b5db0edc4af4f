import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Clock, Metrics, timeOfId } from '@tollgate/chassis';
import { requestDigest } from '@tollgate/database';
import { eventually } from '@tollgate/testing';
import { Client } from 'pg';
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { type BooksState, BooksWatch } from '../src/proof/books-watch.js';
import { CarriedBooks } from '../src/proof/carried-books.js';
import { BookingService } from '../src/booking/booking.service.js';
import { Sealer } from '../src/seal/sealer.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Requests of the last two minutes are not compared. */
const FRESH = 120_000;

describe('the watch over the books', () => {
  let billing: BillingTestBed;
  let owner: Client;
  let now = Date.now();
  /** Whether the usage log has all rows of an hour, so that it can be compared. */
  let isLogged: (from: string) => boolean = () => true;
  let isSame = true;

  /** The first look of the service itself may run meanwhile; PostgreSQL lets one of two start again, as the service does. */
  const look = async (): Promise<BooksState> => {
    for (;;) {
      try {
        return await billing.inContext(() => billing.get(BooksWatch).check());
      } catch (error) {
        if ((error as { code?: string }).code !== '40001') throw error;
      }
    }
  };
  const book = (userId: number, quota: number, at = now - HOUR, more: object = {}): Promise<unknown> =>
    billing.inContext(() =>
      billing.get(BookingService).book([consumed({ userId, quota, ...more }, uuidv7({ msecs: at })) as never]),
    );
  /** Changes data like an owner of the schema, who can disable triggers. */
  const harm = async (text: string): Promise<void> => {
    await owner.query(`begin; set local session_replication_role = replica; ${text}; commit`);
  };
  const gauge = async (name: string): Promise<number | undefined> =>
    (await billing.get(Metrics).registry.getSingleMetric(`tollgate_billing_${name}`)?.get())?.values[0]?.value;
  const lookedUpTo = (): Promise<number | undefined> => gauge('books_looked_timestamp_seconds');
  const laterBy = (ms: number): void => {
    now += ms;
  };
  /**
   * Waits until everything is chained: any transaction on the server, including those of other suites, delays that
   * until it ends.
   */
  const chained = async (): Promise<void> => {
    const unchained = `select count(*) as "left" from "posting" p where not exists (select from "journal_link" l where l."posting_id" = p."id")`;
    await eventually('everything is chained, which an open transaction prevents', async () => {
      await billing.inContext(() => billing.get(Sealer).chainAll());
      const [row] = await billing.sql<{ left: string }>(unchained);
      return row?.left === '0';
    });
  };

  beforeAll(async () => {
    billing = await startBilling();
    owner = new Client({ connectionString: billing.harness.host.env.DATABASE_URL });
    await owner.connect();
    await owner.query('set search_path = billing');
    await billing.sql(`insert into "price_version" ("id", "document") values ('none', '{}')`);
    // The service may have looked once by the real time already, and its mark never goes back.
    now = Date.now();
    jest.spyOn(billing.get(Clock), 'now').mockImplementation(() => now);
    billing.neighbours.digest = async ({ fromId, toId }) => {
      const text = requestDigest('"id"', '"amount"', `"posting" where "code" = 'consumption'`);
      const [row] = await billing.sql<{ requests: string; units: string; digest: string }>(text, [fromId, toId]);
      const same = row ?? { requests: '', units: '', digest: '' };
      return { ...same, ...(!isSame && { units: '1' }), isComparable: isLogged(fromId) };
    };
  });
  afterAll(async () => {
    await owner?.end();
    await billing?.close();
  });
  beforeEach(() => {
    isLogged = () => true;
    isSame = true;
  });

  it('finds no faults in correct books, and carries their sums on', async () => {
    await book(1, 100);
    await book(2, 5, now - 40 * DAY);
    expect(await look()).toMatchObject({ faults: 0, first: null, balancedUpTo: new Date(now - FRESH) });
    await book(1, 3);
    // Used nothing, and therefore is no request of its user.
    await book(1, 0, now - HOUR, { usage: { ...consumed({ userId: 1 }).data.usage, inputTokens: 0 } });
    laterBy(60_000);
    expect(await look()).toMatchObject({ faults: 0, balancedUpTo: new Date(now - FRESH) });
    const carried = (): Promise<{ account: string; spent: string }[]> =>
      billing.sql(
        `select "account", "spent"::text as "spent" from "books_sum" where "pass" = 'carried' and "account" like 'wallet:%' order by 1`,
      );
    const sums = [
      { account: 'wallet:1', spent: '103' },
      { account: 'wallet:2', spent: '5' },
    ];
    // A transaction of another suite delays the newest rows until it ends.
    await eventually('the sums have all rows', async () => {
      if (isDeepStrictEqual(await carried(), sums)) return true;
      laterBy(60_000);
      await look();
      return false;
    });
  });

  it('adds up only new rows, and those without a place in a chain yet', async () => {
    const adding = jest.spyOn(billing.get(Sealer), 'chainAll').mockResolvedValue(true);
    try {
      // Not in a chain yet, and not in the sums.
      await book(1, 9);
      expect(await look()).toMatchObject({ faults: 0 });
    } finally {
      adding.mockRestore();
    }
    await harm(`update posting set amount = amount + 1 where user_id = 2`);
    // Old rows are not read again at each look.
    expect(await look()).toMatchObject({ faults: 0 });
    laterBy(DAY + 60_000);
    // A transaction of another suite delays the newest rows, and with them the comparison of wallets, until it ends; the
    // sum of all rows differs already.
    await eventually('the fault of the wallet is found', async () => {
      const { faults, first } = await look();
      expect(faults).toBeGreaterThan(0);
      return first?.includes('wallet:2');
    });
    await harm(`update posting set amount = amount - 1 where user_id = 2`);
    // A repair is noticed at the next look, not a day later.
    expect(await look()).toMatchObject({ faults: 0, first: null });
  });

  it.each([
    [
      'a wallet with other spending',
      'update account set spent = spent + 1 where user_id = 1',
      'update account set spent = spent - 1 where user_id = 1',
      'wallet:1',
    ],
    [
      'a paid order without a posting',
      `insert into top_up_order (user_id, trade_no, provider, method, merchant, status, amount, quota, money, currency, created_at, expires_at)
       values (2, 'T9', 'epay', 'a', 'b', 'paid', 1, 500, '1', 'CNY', now(), now())`,
      `delete from top_up_order`,
      'order:T9',
    ],
  ])('reports %s, stops, and continues when it is repaired', async (_, bad, good, named) => {
    const before = await look();
    laterBy(60_000);
    await harm(bad);
    const { faults, first, balancedUpTo } = await look();
    expect({ faults, first, balancedUpTo }).toEqual({
      faults: 1,
      first: expect.stringContaining(named),
      balancedUpTo: before.balancedUpTo,
    });
    await harm(good);
    expect(await look()).toMatchObject({ faults: 0, first: null, balancedUpTo: new Date(now - FRESH) });
  });

  it('does not advance over a time that cannot be compared, and reports since when there was no gap', async () => {
    const { balancedUpTo: before } = await look();
    isLogged = () => false;
    laterBy(3 * HOUR);
    expect(await look()).toMatchObject({ faults: 0, balancedUpTo: before });
    const off = now - FRESH;
    laterBy(60 * HOUR);
    // These are more hours than one look compares.
    await look();
    expect(await look()).toMatchObject({ balancedUpTo: before });
    const on = now - FRESH;
    expect(on).toBeGreaterThan(off);
    // The alert's metric moves on, so that nobody is paged for it.
    expect(await lookedUpTo()).toBe(on / 1000);
    isLogged = (from) => timeOfId(from) >= on;
    laterBy(HOUR);
    const state = await look();
    expect(state).toMatchObject({ balancedUpTo: new Date(now - FRESH), comparedFrom: new Date(on) });
  });

  it('does not advance while journal and usage log differ', async () => {
    const { balancedUpTo } = await look();
    isSame = false;
    laterBy(HOUR);
    expect((await look()).balancedUpTo).toEqual(balancedUpTo);
    expect(await lookedUpTo()).toBe((balancedUpTo?.getTime() ?? 0) / 1000);
    isSame = true;
    expect((await look()).balancedUpTo).toEqual(new Date(now - FRESH));
  });

  it('reports nothing before the chains are complete', async () => {
    const before = await look();
    const chaining = jest.spyOn(billing.get(Sealer), 'chainAll').mockResolvedValue(false);
    await harm(`update seal_progress set tx = 9000000000000000`);
    laterBy(HOUR);
    expect(await look()).toEqual(before);
    chaining.mockRestore();
    expect((await look()).balancedUpTo).toEqual(new Date(now - FRESH));
  });

  it('reports a backlog while a journal from before the chains is chained', async () => {
    const { balancedUpTo } = await look();
    const chaining = jest.spyOn(billing.get(Sealer), 'chainAll').mockResolvedValue(false);
    try {
      await harm(`update seal_progress set old_id = '00000000-0000-0000-0000-000000000000'`);
      laterBy(HOUR);
      expect(await look()).toMatchObject({ balancedUpTo });
      expect(await gauge('books_left_rows')).toBeGreaterThan(0);
    } finally {
      chaining.mockRestore();
    }
    expect(await look()).toMatchObject({ balancedUpTo: new Date(now - FRESH) });
    expect(await gauge('books_left_rows')).toBe(0);
  });

  it('catches up slice by slice, reports the backlog and the former mark, and compares once all is added', async () => {
    const { balancedUpTo } = await look();
    for (let index = 0; index < 5; index += 1) await book(3, 7);
    await chained();
    const step = jest.replaceProperty(billing.get(CarriedBooks), 'step', 2);
    let elapsed = 0;
    // Each slice takes longer than a look may.
    const time = jest.spyOn(billing.get(Clock), 'monotonic').mockImplementation(() => (elapsed += HOUR));
    const sums = async (): Promise<string | undefined> =>
      (await billing.sql<{ spent: string }>(`select "spent"::text from "books_sum" where "account" = 'wallet:3'`))[0]
        ?.spent;
    try {
      await harm(`update account set spent = spent + 1 where user_id = 3`);
      laterBy(HOUR);
      billing.get(Metrics).registry.getSingleMetric('tollgate_billing_books_looked_timestamp_seconds')?.reset();
      expect(await look()).toMatchObject({ faults: 0, balancedUpTo });
      // Slices stay committed, whatever happens to the rest.
      expect([await gauge('books_left_rows'), await sums()]).toEqual([3, '14']);
      expect(await lookedUpTo()).toBe((balancedUpTo?.getTime() ?? 0) / 1000);
      await look();
      expect(await gauge('books_left_rows')).toBe(1);
      expect(await look()).toMatchObject({ faults: 1, balancedUpTo });
      expect([await gauge('books_left_rows'), await gauge('books_faults'), await sums()]).toEqual([0, 1, '35']);
      await harm(`update account set spent = spent - 1 where user_id = 3`);
      expect(await look()).toMatchObject({ faults: 0, balancedUpTo: new Date(now - FRESH) });
    } finally {
      time.mockRestore();
      step.restore();
    }
  });
});
