import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { acquireLeases, adjustQuota, listUnbooked, openAccount, requestConsumed } from '@tollgate/contracts';
import { EventLog, InternalClient, Logger, type LogRecord, unreachableService } from '@tollgate/chassis';
import { eventually, hasPostgres, readUntil } from '@tollgate/testing';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { RequestConsumedConsumer } from '../src/booking/request-consumed.consumer.js';
import { JournalPartitions } from '../src/journal/journal-partitions.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('booking', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling();
  });
  afterAll(() => testBed.close());

  const book = (events: ReturnType<typeof consumed>[]) =>
    testBed.inContext(() => testBed.get(BookingService).book(events));
  const fund = async (userId: number, quota: number): Promise<void> => {
    await testBed.call(openAccount, { userId, kind: 'register', inviterId: 0 });
    await testBed.call(adjustQuota, { userId, quota, actorId: 1, commandId: `funding-${userId}` });
  };
  const addToken = async (userId: number, credit: number): Promise<number> => {
    const [row] = await testBed.sql<{ id: number }>(
      `insert into "token" ("user_id", "name", "key_hash", "key_sealed", "key_hint", "created_time", "credit")
       values (?, 't', ?, '', '', 0, ?) returning "id"`,
      [userId, `hash-${userId}-${Math.random()}`, credit],
    );
    return row?.id ?? 0;
  };
  const wallet = async (userId: number) => {
    const [row] = await testBed.sql<Record<string, string>>(
      `select "credit", "spent", "held", "request_count" from "account" where "user_id" = ?`,
      [userId],
    );
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
  };
  const shuffled = <T>(list: readonly T[]): T[] => [...list].sort(() => Math.random() - 0.5);

  it('books a batch once, however often and in whatever order it comes', async () => {
    await fund(1, 100_000);
    const tokenId = await addToken(1, 50_000);
    const batch = Array.from({ length: 100 }, (_, index) =>
      consumed({ userId: 1, tokenId: index % 2 ? tokenId : 0, quota: index }),
    );
    await book(batch);
    await Promise.all([
      book(batch),
      book(shuffled(batch)),
      book(shuffled(batch).slice(20)),
      book([...batch, ...batch]),
    ]);
    expect(await wallet(1)).toEqual({ credit: 100_000, spent: 4950, held: 0, request_count: 100 }); // 0 + 1 + … + 99
    const [token] = await testBed.sql<{ spent: string; accessed_time: string }>(
      `select "spent", "accessed_time" from "token" where "id" = ?`,
      [tokenId],
    );
    expect(Number(token?.spent)).toBe(2500); // 1 + 3 + … + 99
    expect(Number(token?.accessed_time)).toBe(Date.parse('2026-11-21T03:00:00Z') / 1000);
    const [journal] = await testBed.sql<{ total: string; count: string }>(
      `select sum("amount") as "total", count(*) as "count" from "posting" where "code" = 'consumption' and "user_id" = 1`,
    );
    expect(journal).toEqual({ total: '4950', count: '100' });
  });

  it('books the first of two different events with one id, as after a kill', async () => {
    await fund(2, 1000);
    const first = consumed({ userId: 2, quota: 12, outcome: 'interrupted' });
    const again = { ...consumed({ userId: 2, quota: 60 }), id: first.id };
    await book([first, again]);
    await book([again, first]);
    const postings = await testBed.sql<{ amount: string; reason: string }>(
      `select "amount", "reason" from "posting" where "code" = 'consumption' and "user_id" = 2`,
    );
    expect(postings).toEqual([{ amount: '12', reason: 'interrupted' }]);
    expect(await wallet(2)).toMatchObject({ spent: 12 });
  });

  it('survives users booked in opposite orders at the same time', async () => {
    for (const userId of [11, 12, 13]) await fund(userId, 0);
    const round = () => shuffled([11, 12, 13]).map((userId) => consumed({ userId, quota: 1 }));
    await Promise.all(Array.from({ length: 30 }, () => book(round())));
    for (const userId of [11, 12, 13]) expect(await wallet(userId)).toMatchObject({ spent: 30 });
  });

  it('never refuses: an unknown wallet gets a row, an unknown token none, a wallet may go below zero', async () => {
    await book([consumed({ userId: 21, tokenId: 987_654, quota: 30 })]);
    expect(await wallet(21)).toEqual({ credit: 0, spent: 30, held: 0, request_count: 1 });
  });

  it('counts no failed request but remembers that it was booked', async () => {
    const failed = consumed({ userId: 22, quota: 0, outcome: 'failed' });
    await book([failed]);
    expect(await wallet(22)).toMatchObject({ spent: 0, request_count: 0 });
    const stranger = uuidv7();
    expect(await testBed.call(listUnbooked, { ids: [stranger, failed.id] })).toEqual({ unbooked: [stranger] });
  });

  it('counts no call that used nothing, and says so in the journal beside how it ended', async () => {
    const usage = { ...consumed({ userId: 23 }).data.usage, inputTokens: 0 };
    const outcomes = ['completed', 'client_abort', 'failed'] as const;
    const nothing = outcomes.map((outcome) => consumed({ userId: 23, quota: 0, usage, outcome }));
    await book([...nothing, consumed({ userId: 23, quota: 0 })]); // the last one used tokens at a price of zero
    expect(await wallet(23)).toMatchObject({ spent: 0, request_count: 1 });
    const postings = await testBed.sql<{ reason: string }>(
      `select "reason" from "posting" where "code" = 'consumption' and "user_id" = 23 order by 1`,
    );
    expect(postings.map(({ reason }) => reason)).toEqual([
      ...['client_abort unused', 'completed', 'completed unused', 'failed'],
    ]);
  });

  it('turns held quota of a lease into spent quota, even beyond the lease', async () => {
    await fund(31, 1000);
    const tokenId = await addToken(31, 500);
    const lease = { granted: 0, returned: 0 };
    await testBed.call(acquireLeases, {
      replicaEpoch: 'epoch-31',
      requests: [{ userId: 31, tokenId, walletNeed: 100, tokenNeed: 100, wallet: lease, token: lease }],
    });
    await book([consumed({ userId: 31, tokenId, quota: 60, replicaEpoch: 'epoch-31' })]);
    expect(await wallet(31)).toMatchObject({ spent: 60, held: 40 });
    await book([
      consumed({ userId: 31, tokenId, quota: 70, replicaEpoch: 'epoch-31' }),
      consumed({ userId: 31, tokenId: 0, quota: 5, replicaEpoch: 'unknown' }),
    ]);
    expect(await wallet(31)).toMatchObject({ spent: 135, held: 0 }); // 60 + 70 + 5
    expect(await testBed.sql(`select * from "held_faults"()`)).toEqual([]);
  });

  it('reports once that a token is used up', async () => {
    await fund(41, 1000);
    const tokenId = await addToken(41, 100);
    await book([consumed({ userId: 41, tokenId, quota: 99 })]);
    const told = async () =>
      (await testBed.outbox<{ tokenId: number }>('token-changed')).filter((event) => event.tokenId === tokenId);
    expect(await told()).toHaveLength(0);
    await book([consumed({ userId: 41, tokenId, quota: 1 }), consumed({ userId: 41, tokenId, quota: 1 })]);
    await book([consumed({ userId: 41, tokenId, quota: 1 })]);
    expect(await told()).toHaveLength(1);
  });

  it('keeps the journal append-only', async () => {
    await book([consumed({ userId: 51, quota: 3 })]);
    await expect(testBed.sql(`update "posting" set "amount" = 4 where "user_id" = 51`)).rejects.toThrow('append-only');
    await expect(testBed.sql(`delete from "posting" where "user_id" = 51`)).rejects.toThrow('append-only');
  });

  const monthsMade = async (): Promise<string[]> => {
    const rows = await testBed.sql<{ name: string }>(
      `select inhrelid::regclass::text as "name" from pg_inherits where inhparent = 'posting'::regclass order by 1`,
    );
    return rows.map(({ name }) => name).filter((name) => !name.includes('default'));
  };

  it('lets replicas that start together create the same partitions', async () => {
    const months = await monthsMade();
    expect(months).toHaveLength(3);
    const warn = jest.spyOn(testBed.get(Logger), 'warn');
    try {
      for (const month of months) await testBed.sql(`drop table ${month}`);
      await Promise.all(Array.from({ length: 6 }, () => testBed.get(JournalPartitions).ensure()));
      expect(warn.mock.calls).toEqual([]);
    } finally {
      warn.mockRestore();
    }
  });

  it('gives up creating a partition during a long read, so that bookings do not wait', async () => {
    const partitions = testBed.get(JournalPartitions);
    const months = await monthsMade();
    await testBed.sql(`drop table ${months.at(-1)}`);
    const warn = jest.spyOn(testBed.get(Logger), 'warn').mockReturnValue(undefined);
    // Uses a separate connection, since a query within an entity manager's transaction would join that.
    const reader = new Client({ connectionString: testBed.harness.host.env.DATABASE_URL });
    await reader.connect();
    try {
      await reader.query('begin; select from billing.posting limit 1');
      await partitions.ensure();
      expect(warn).toHaveBeenCalledTimes(1);
      await book([consumed({ userId: 53, quota: 3 })]);
      await reader.query('rollback');
      await partitions.ensure();
      expect(await monthsMade()).toEqual(months);
    } finally {
      await reader.end();
      warn.mockRestore();
    }
  });

  it('keeps consumption in the partition of its month', async () => {
    await testBed.get(JournalPartitions).ensure();
    const event = consumed({ userId: 52, quota: 3 }, uuidv7());
    await book([event]);
    const [row] = await testBed.sql<{ partition: string }>(
      `select tableoid::regclass::text as "partition" from "posting" where "id" = ?`,
      [event.id],
    );
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    expect(row?.partition).toContain(`posting_${month}`);
  });

  const spend = (userId: number, quota: number) =>
    testBed.inContext(() => testBed.get(RequestConsumedConsumer).book([consumed({ userId, quota })]));
  const told = async (userId: number) =>
    (await testBed.outbox<{ userId: number }>('quota-low')).filter((event) => event.userId === userId);
  const until = (userId: number, count: number) =>
    readUntil(
      () => told(userId),
      ({ length }) => length >= count,
    );

  it('notifies a user once in two hours of a low balance, at their own threshold or the common one', async () => {
    testBed.neighbours.users.set(61, { quotaWarningThreshold: 5000 });
    await fund(61, 6000);
    await fund(62, 6000);
    await spend(61, 1001);
    await spend(62, 1001);
    expect(await until(61, 1)).toEqual([{ userId: 61, quota: 4999, threshold: 5000 }]);
    await spend(61, 10);
    await spend(62, 4000);
    expect(await until(62, 1)).toEqual([{ userId: 62, quota: 999, threshold: 1000 }]);
    expect(await told(61)).toHaveLength(1);
    await testBed.sql(
      `update "account" set "low_balance_noticed_at" = now() - interval '2 hours' where "user_id" = 61`,
    );
    await spend(61, 10);
    expect(await until(61, 2)).toHaveLength(2);
    // A threshold beyond every wallet counts as the largest one, and does not block the notices of others.
    testBed.neighbours.users.set(63, { quotaWarningThreshold: 1e300 });
    testBed.neighbours.users.set(64, { quotaWarningThreshold: 5000 });
    await fund(63, 6000);
    await fund(64, 5000);
    const both = [63, 64].map((userId) => consumed({ userId, quota: 1 }));
    await testBed.inContext(() => testBed.get(RequestConsumedConsumer).book(both));
    expect(await until(64, 1)).toEqual([{ userId: 64, quota: 4999, threshold: 5000 }]);
    expect(await until(63, 1)).toEqual([{ userId: 63, quota: 5999, threshold: Number.MAX_SAFE_INTEGER }]);
  });

  it('compares a balance with the threshold that its user has just saved', async () => {
    const { users } = testBed.neighbours;
    users.set(65, { quotaWarningThreshold: 1000 });
    users.set(66, { quotaWarningThreshold: 10_000 });
    await fund(65, 6000);
    await fund(66, 6000);
    // The notice of the second user shows that the balance of the first one was compared, too.
    for (const userId of [65, 66]) await spend(userId, 1);
    expect(await until(66, 1)).toHaveLength(1);
    users.set(65, { quotaWarningThreshold: 10_000 });
    testBed.neighbours.userRevision += 1;
    await spend(65, 1);
    expect(await until(65, 1)).toEqual([{ userId: 65, quota: 5998, threshold: 10_000 }]);
  });

  it('counts no notice of a user whom it could not reach', async () => {
    const { users } = testBed.neighbours;
    users.set(67, { quotaWarningThreshold: 10_000, canBeNotified: false });
    users.set(68, { quotaWarningThreshold: 10_000 });
    await fund(67, 6000);
    await fund(68, 6000);
    for (const userId of [67, 68]) await spend(userId, 1);
    expect(await until(68, 1)).toHaveLength(1);
    expect(await told(67)).toEqual([]);
    users.set(67, { quotaWarningThreshold: 10_000 });
    testBed.neighbours.userRevision += 1;
    await spend(67, 1);
    expect(await until(67, 1)).toEqual([{ userId: 67, quota: 5998, threshold: 10_000 }]);
  });

  it('says nothing of a low balance after requests that cost nothing', async () => {
    for (const userId of [91, 92]) await fund(userId, 500);
    const free = [0, 0].map((quota) => consumed({ userId: 91, quota }));
    const charged = [1, 0].map((quota) => consumed({ userId: 92, quota }));
    await testBed.inContext(() => testBed.get(RequestConsumedConsumer).book([...free, ...charged]));
    // The balances of one batch are compared together.
    expect(await until(92, 1)).toEqual([{ userId: 92, quota: 499, threshold: 1000 }]);
    expect(await told(91)).toEqual([]);
  });

  it('compares with the last known threshold while identity cannot be reached, and with others once it can', async () => {
    const { users } = testBed.neighbours;
    for (const userId of [69, 70]) {
      users.set(userId, { quotaWarningThreshold: 5000 });
      await fund(userId, 6000);
    }
    await spend(69, 1001);
    expect(await until(69, 1)).toHaveLength(1);
    await testBed.sql(`update "account" set "low_balance_noticed_at" = null where "user_id" = 69`);
    const away = jest
      .spyOn(testBed.get(InternalClient), 'call')
      .mockImplementation(({ service }) => Promise.reject(unreachableService(service)));
    try {
      // The user without a known threshold waits, and does not let the other one wait.
      for (const userId of [70, 69]) await spend(userId, 1002);
      expect(await until(69, 2)).toEqual([expect.anything(), { userId: 69, quota: 3997, threshold: 5000 }]);
      expect(away).toHaveBeenCalled();
      expect(await told(70)).toEqual([]);
    } finally {
      away.mockRestore();
    }
    expect(await until(70, 1)).toEqual([{ userId: 70, quota: 4998, threshold: 5000 }]);
  });

  it('quarantines what no balance can hold, continues with the partition, and counts it as settled', async () => {
    await fund(75, 1000);
    const most = consumed({ userId: 75, quota: Number.MAX_SAFE_INTEGER });
    const beyond = consumed({ userId: 75, quota: Number.MAX_SAFE_INTEGER });
    const usual = consumed({ userId: 76, quota: 7 });
    const text = consumed({ userId: 76, quota: 5 });
    const unstorable = { ...text, data: { ...text.data, priceVersion: 'v\0\ud83d' } };
    const events = [most, beyond, beyond, usual, unstorable];
    const log = testBed.get(EventLog);
    const send = () =>
      log.append(
        requestConsumed.name,
        // One key, so that all events are in the same partition.
        events.map((event) => ({ key: '75', value: JSON.stringify(event) })),
      );
    const unbooked = () => testBed.call(listUnbooked, { ids: events.map(({ id }) => id) });
    await send();
    await eventually('everything is settled', async () => (await unbooked()).unbooked.length === 0);
    await send(); // as a relay that asked before
    const last = consumed({ userId: 76, quota: 1 });
    await log.append(requestConsumed.name, [{ key: '75', value: JSON.stringify(last) }]);
    await eventually('the last event is booked', async () => (await wallet(76))['spent'] === 13);
    expect(await wallet(76)).toMatchObject({ spent: 13, request_count: 3 }); // 7 + 5 + 1
    expect(await wallet(75)).toMatchObject({ request_count: 1 });
    expect(await unbooked()).toEqual({ unbooked: [] });
    const aside = await testBed.sql<{ event_id: string; error: string }>(
      `select "event_id", "error" from "quarantined_event" where "topic" = 'request-consumed'`,
    );
    expect(aside).toEqual([{ event_id: beyond.id, error: expect.stringContaining('RangeError') }]);
  });

  it('books what the event log carries, thousands of events in a few batches', async () => {
    for (const userId of [71, 72, 73]) await fund(userId, 0);
    const events = Array.from({ length: 6000 }, (_, index) => consumed({ userId: 71 + (index % 3), quota: 2 }));
    const records: LogRecord[] = events.map((event) => ({ key: event.subject, value: JSON.stringify(event) }));
    const log = testBed.get(EventLog);
    for (let start = 0; start < records.length; start += 1000)
      await log.append(requestConsumed.name, records.slice(start, start + 1000));
    const spent = async () =>
      (await Promise.all([71, 72, 73].map(wallet))).reduce((total, row) => total + (row['spent'] ?? 0), 0);
    await eventually('everything is booked', async () => (await spent()) >= 12_000);
    for (const userId of [71, 72, 73]) expect(await wallet(userId)).toMatchObject({ spent: 4000, request_count: 2000 });
  });
});
