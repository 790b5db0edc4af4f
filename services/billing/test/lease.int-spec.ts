import { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { acquireLeases, adjustQuota, openAccount, syncLeases } from '@tollgate/contracts';
import { EventLog, Metrics, type Offsets } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import { BookingService } from '../src/booking/booking.service.js';
import { type HeldFindings, LeaseAudit } from '../src/lease/lease.audit.js';
import { LeaseReaper } from '../src/lease/lease.reaper.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const NONE = { granted: 0, returned: 0 };

suite('leases', () => {
  let testBed: BillingTestBed;
  let userId = 100;
  beforeAll(async () => {
    testBed = await startBilling();
  });
  afterAll(() => testBed.close());
  beforeEach(() => {
    userId += 1;
  });

  const fund = async (quota: number): Promise<void> => {
    await testBed.call(openAccount, { userId, kind: 'register', inviterId: 0 });
    await testBed.call(adjustQuota, { userId, quota, actorId: 1, commandId: `fund-${userId}-${Math.random()}` });
  };
  const addToken = async (credit: number, unlimited = false): Promise<number> => {
    const [row] = await testBed.sql<{ id: number }>(
      `insert into "token" ("user_id", "name", "key_hash", "key_sealed", "key_hint", "created_time", "credit", "unlimited_quota")
       values (?, 't', ?, '', '', 0, ?, ?) returning "id"`,
      [userId, `hash-${Math.random()}`, credit, unlimited],
    );
    return row?.id ?? 0;
  };
  const acquire = async (epoch: string, need: number, { tokenId = 0, wallet = NONE, token = NONE } = {}) => {
    const reply = await testBed.call(acquireLeases, {
      replicaEpoch: epoch,
      requests: [{ userId, tokenId, walletNeed: need, tokenNeed: tokenId > 0 ? need : 0, wallet, token }],
    });
    return { ...reply.results[0], alive: reply.alive };
  };
  const wallet = async () => {
    const [row] = await testBed.sql<Record<'credit' | 'spent' | 'held', string>>(
      `select "credit", "spent", "held" from "account" where "user_id" = ?`,
      [userId],
    );
    return { credit: Number(row?.credit), spent: Number(row?.spent), held: Number(row?.held) };
  };
  const faults = () => testBed.sql(`select * from "held_faults"()`);
  const book = (events: ReturnType<typeof consumed>[]) =>
    testBed.inContext(() => testBed.get(BookingService).book(events));

  it('lends exactly 50 of a wallet worth 50 to 200 requests of five replicas at once', async () => {
    await fund(50_000);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        acquire(`fifty-${index % 5}`, 1000, { wallet: { granted: 1e9, returned: 0 } }),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'granted')).toHaveLength(50);
    expect(outcomes.filter(({ outcome }) => outcome === 'busy')).toHaveLength(150);
    expect(await wallet()).toEqual({ credit: 50_000, spent: 0, held: 50_000 });
    expect(await faults()).toEqual([]);
  });

  it('lends exactly 50 of a token budget worth 50 in batches, with the wallet or not at all', async () => {
    await fund(10_000_000);
    const tokenId = await addToken(50_000);
    const request = {
      userId,
      tokenId,
      walletNeed: 1000,
      tokenNeed: 1000,
      wallet: { granted: 1e9, returned: 0 },
      token: { granted: 1e9, returned: 0 },
    };
    const replies = await Promise.all(
      ['batch-a', 'batch-b'].map((replicaEpoch) =>
        testBed.call(acquireLeases, { replicaEpoch, requests: Array.from({ length: 100 }, () => request) }),
      ),
    );
    const granted = replies.flatMap(({ results }) => results).filter(({ outcome }) => outcome === 'granted');
    expect(granted).toHaveLength(50);
    const [leases] = await testBed.sql<{ token: string }>(
      `select sum("granted") filter (where "kind" = 'token') as "token" from "lease" where "replica_epoch" like 'batch-%'`,
    );
    expect(Number(leases?.token)).toBe(50_000);
    expect(await faults()).toEqual([]);
  });

  it('lends ahead from plenty, and states why it refuses from too little', async () => {
    await fund(1_000_000);
    expect(await acquire('sizes', 1000)).toMatchObject({
      outcome: 'granted',
      wallet: { granted: 62_500 },
      walletAvailable: 1_000_000,
      walletQuota: 1_000_000,
    });
    expect(await acquire('sizes', 2_000_000, { wallet: { granted: 62_500, returned: 0 } })).toMatchObject({
      outcome: 'short-wallet',
      wallet: { granted: 62_500 },
    });
    expect(await acquire('others', 990_000)).toMatchObject({ outcome: 'busy', walletAvailable: 937_500 });
  });

  it('counts nothing as elsewhere once the others have reported it as spent, long before it is booked', async () => {
    await fund(1000);
    const holder = await acquire('spender', 900);
    expect(await acquire('asker', 200)).toMatchObject({ outcome: 'busy', walletAvailable: 100, walletElsewhere: 900 });
    const account = { kind: 'wallet' as const, id: userId, returned: 0, used: 850 };
    expect(await testBed.call(syncLeases, { replicaEpoch: 'spender', accounts: [account] })).toMatchObject({
      recall: [{ kind: 'wallet', id: userId }],
    });
    expect(await acquire('asker', 200)).toMatchObject({ outcome: 'busy', walletAvailable: 100, walletElsewhere: 50 });
    await testBed.call(syncLeases, { replicaEpoch: 'spender', accounts: [{ ...account, returned: 50 }] });
    expect(await acquire('asker', 200)).toMatchObject({ outcome: 'busy', walletAvailable: 150, walletElsewhere: 0 });
    await book([consumed({ userId, quota: 850, replicaEpoch: 'spender' })]);
    expect(await acquire('asker', 150)).toMatchObject({ outcome: 'granted', walletElsewhere: 0 });
    expect(holder.wallet?.granted).toBe(900);
    expect(await wallet()).toEqual({ credit: 1000, spent: 850, held: 150 });
    expect(await faults()).toEqual([]);
  });

  it('answers a repeat after a lost reply with what was granted already', async () => {
    await fund(10_000);
    await acquire('lost', 400);
    expect(await acquire('lost', 400)).toMatchObject({ outcome: 'granted', wallet: { granted: 400, returned: 0 } });
    expect(await wallet()).toMatchObject({ held: 400 });
    expect(await acquire('lost', 400, { wallet: { granted: 400, returned: 0 } })).toMatchObject({
      wallet: { granted: 800 },
    });
  });

  it("refuses another user's token, a deleted token, and a wallet that was never opened", async () => {
    await fund(10_000);
    const tokenId = await addToken(1000);
    await testBed.sql(`update "token" set "deleted_at" = now() where "id" = ?`, [tokenId]);
    expect(await acquire('odd', 10, { tokenId })).toMatchObject({ outcome: 'unknown' });
    userId += 1;
    expect(await acquire('odd', 10)).toMatchObject({ outcome: 'short-wallet' });
    expect(await acquire('odd', 10, { tokenId })).toMatchObject({ outcome: 'unknown' });
  });

  it('lets an unlimited token borrow as much as the wallet allows', async () => {
    await fund(5000);
    const tokenId = await addToken(0, true);
    expect(await acquire('unlimited', 100, { tokenId })).toMatchObject({ outcome: 'granted', token: { granted: 100 } });
    expect(await faults()).toEqual([]);
  });

  it('takes back what a heartbeat returns, once, and recalls what others wait for', async () => {
    await fund(1000);
    await acquire('holder', 900);
    expect(await acquire('waiter', 200)).toMatchObject({ outcome: 'busy' });
    const account = { kind: 'wallet' as const, id: userId, returned: 0 };
    expect(await testBed.call(syncLeases, { replicaEpoch: 'holder', accounts: [account] })).toMatchObject({
      alive: true,
      recall: [{ kind: 'wallet', id: userId }],
    });
    expect((await testBed.call(syncLeases, { replicaEpoch: 'waiter', accounts: [] })).recall).toEqual([]);
    for (const returned of [500, 500, 300])
      await testBed.call(syncLeases, { replicaEpoch: 'holder', accounts: [{ ...account, returned }] });
    expect(await wallet()).toMatchObject({ held: 400 }); // 900 − 500; the late 300 changes nothing
    expect(await acquire('waiter', 200)).toMatchObject({ outcome: 'granted' });
    expect(await faults()).toEqual([]);
  });

  it('recalls blocks when a balance is lowered below what is lent', async () => {
    await fund(1000);
    await acquire('lowered', 900);
    await testBed.call(adjustQuota, { userId, quota: 100, actorId: 1, commandId: `lower-${userId}` });
    const reply = await testBed.call(syncLeases, {
      replicaEpoch: 'lowered',
      accounts: [{ kind: 'wallet', id: userId, returned: 0 }],
    });
    expect(reply.recall).toEqual([{ kind: 'wallet', id: userId }]);
  });

  it('reports held quota that differs from the outstanding leases', async () => {
    await fund(1000);
    await acquire('audited', 100);
    const metric = testBed.get(Metrics).registry.getSingleMetric('tollgate_billing_held_faults');
    const audited = async () => {
      await testBed.inContext(() => testBed.get(LeaseReaper).audit());
      return (await metric?.get())?.values[0]?.value;
    };
    expect(await audited()).toBe(0);
    await testBed.sql(`update "account" set "held" = "held" + 1 where "user_id" = ?`, [userId]);
    expect(await faults()).toEqual([{ kind: 'wallet', account_id: userId, held: '101', outstanding: '100' }]);
    expect(await audited()).toBe(1);
    await testBed.sql(`update "account" set "held" = "held" - 1 where "user_id" = ?`, [userId]);
    expect(await audited()).toBe(0);
  });

  it('checks all funds in parts, and drops a fault when it is repaired or another replica led meanwhile', async () => {
    await fund(1000);
    const token = await addToken(500);
    await acquire('in-parts', 100, { tokenId: token });
    const [sums] = await testBed.sql<{ wallets: number; tokens: number; overdrawn: string }>(
      `select (select count(*)::int from "account") as "wallets", (select count(*)::int from "token") as "tokens",
         (select coalesce(sum("spent" - "credit"), 0) from "account" where "spent" > "credit") as "overdrawn"`,
    );
    const looks = Math.ceil(((sums?.wallets ?? 0) + (sums?.tokens ?? 0)) / 2) + 2;
    await testBed.inContext(async () => {
      const audit = new LeaseAudit(testBed.get(EntityManager), 2);
      const round = async (): Promise<HeldFindings[]> => {
        const found: HeldFindings[] = [];
        for (let look = 0; look < looks; look += 1) found.push(await audit.checkNext());
        return found;
      };
      const clean = await round();
      expect(clean.map(({ faults: count }) => count)).toEqual(Array.from({ length: looks }, () => 0));
      expect(clean.at(-1)?.overdrawn).toBe(Number(sums?.overdrawn));
      await testBed.sql(`update "token" set "held" = "held" + 7 where "id" = ?`, [token]);
      expect((await round()).at(-1)).toMatchObject({
        faults: 1,
        first: { kind: 'token', account_id: token, held: 107, outstanding: 100 },
      });
      await testBed.sql(`update "token" set "held" = "held" - 7 where "id" = ?`, [token]);
      expect((await audit.checkNext()).faults).toBe(0);
      expect((await round()).at(-1)?.faults).toBe(0);
      await testBed.sql(`update "token" set "held" = "held" + 7 where "id" = ?`, [token]);
      await round();
      expect((await audit.checkNext()).faults).toBe(1);
      audit.restart();
      expect(await audit.checkNext()).toMatchObject({ faults: 0, first: undefined });
      await testBed.sql(`update "token" set "held" = "held" - 7 where "id" = ?`, [token]);
    });
  });

  it('rejects an epoch that reports unknown leases', async () => {
    expect(
      await testBed.call(syncLeases, { replicaEpoch: 'stranger', accounts: [{ kind: 'wallet', id: 1, returned: 0 }] }),
    ).toEqual({ alive: false, recall: [] });
  });

  describe('of a replica that fell silent', () => {
    const TOPIC = 'request-consumed';
    let ends: Offsets;
    let committed: Offsets;
    let identity = 'table';
    const reap = async (): Promise<void> => {
      const log = testBed.get(EventLog);
      const { ends: realEnds, committed: realCommitted, identity: realIdentity } = log;
      Object.assign(log, {
        ends: () => Promise.resolve(ends),
        committed: () => Promise.resolve(committed),
        identity: () => Promise.resolve(identity),
      });
      try {
        await testBed.inContext(() => testBed.get(LeaseReaper).run());
      } finally {
        Object.assign(log, { ends: realEnds, committed: realCommitted, identity: realIdentity });
      }
    };
    const silence = (epoch: string, seconds: number) =>
      testBed.sql(`update "replica" set "synced_at" = now() - ? * interval '1 second' where "epoch" = ?`, [
        seconds,
        epoch,
      ]);
    beforeEach(() => {
      identity = 'table';
      ends = { [TOPIC]: { 0: 5n, 1: 7n } };
      committed = { [TOPIC]: { 0: 5n, 1: 6n } };
    });

    it('are released only when booking has passed the log and the spool counts as lost', async () => {
      await fund(1000);
      await acquire('silent', 600);
      await silence('silent', 61);
      await reap();
      expect(await acquire('silent', 1)).toMatchObject({ alive: false, outcome: 'unknown' });
      expect(await testBed.call(syncLeases, { replicaEpoch: 'silent', accounts: [] })).toMatchObject({ alive: false });
      await reap();
      expect(await wallet()).toMatchObject({ held: 600 });
      await testBed.sql(`update "replica" set "expired_at" = now() - interval '121 seconds' where "epoch" = 'silent'`);
      await reap();
      expect(await wallet()).toMatchObject({ held: 600 }); // partition 1 is still read up to 6 of 7
      committed = ends;
      await reap();
      expect(await wallet()).toMatchObject({ held: 0 });
      // An event that arrives even later is booked, but does not change the ended lease.
      await book([consumed({ userId, quota: 600, replicaEpoch: 'silent' })]);
      await testBed.inContext(() => testBed.get(LeaseReaper).audit());
      const metric = testBed.get(Metrics).registry.getSingleMetric('tollgate_billing_overdrawn_units');
      const [overdrawn] = await testBed.sql<{ units: string }>(
        'select coalesce(sum("spent" - "credit"), 0) as "units" from "account" where "spent" > "credit"',
      );
      expect((await metric?.get())?.values[0]?.value).toBe(Number(overdrawn?.units));
      expect(await wallet()).toEqual({ credit: 1000, spent: 600, held: 0 });
      expect(await faults()).toEqual([]);
    });

    it('stay lent in strict mode until their spool has been sent, however long that takes', async () => {
      const reaper = testBed.get(LeaseReaper);
      Object.assign(reaper, { isStrict: true });
      try {
        await fund(1000);
        await acquire('strict', 600);
        await silence('strict', 61);
        await reap();
        await testBed.sql(`update "replica" set "expired_at" = now() - interval '9 days' where "epoch" = 'strict'`);
        committed = ends;
        await reap();
        expect(await wallet()).toMatchObject({ held: 600 });
        const unrecovered = async (): Promise<number | undefined> => {
          await testBed.inContext(() => reaper.audit());
          const metric = testBed.get(Metrics).registry.getSingleMetric('tollgate_billing_unrecovered_units');
          return (await metric?.get())?.values[0]?.value;
        };
        expect(await unrecovered()).toBe(600);
        await testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['strict'] });
        expect(await unrecovered()).toBe(0);
        await reap();
        expect(await wallet()).toMatchObject({ held: 0 });
      } finally {
        Object.assign(reaper, { isStrict: false });
      }
    });

    it('are released without waiting once another replica has sent its spool', async () => {
      await fund(1000);
      await acquire('crashed', 600);
      await testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['crashed'] });
      committed = ends;
      await reap();
      expect(await wallet()).toMatchObject({ held: 0 });
    });

    it('are released by the ends of the new event log after the installation moved to another one', async () => {
      await fund(1000);
      await acquire('moved', 600);
      await testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['moved'] });
      await reap(); // expires it, with ends that the new log may never reach
      identity = 'kafka';
      ends = { [TOPIC]: { 0: 2n, 1: 0n } };
      committed = { [TOPIC]: { 0: 1n, 1: 0n } };
      await reap();
      await reap();
      expect(await wallet()).toMatchObject({ held: 600 }); // one that was carried over is not booked yet
      committed = ends;
      await reap();
      expect(await wallet()).toMatchObject({ held: 0 });
    });

    it('are released by the ends of the recreated topic, after the time a spool may take', async () => {
      await fund(1000);
      await acquire('anew', 600);
      await testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['anew'] });
      await reap(); // expires it, with ends that the new topic may never reach
      ends = { [TOPIC]: { 0: 1n, 1: 0n } };
      committed = ends;
      await reap();
      await reap();
      expect(await wallet()).toMatchObject({ held: 600 });
      await testBed.sql(`update "replica" set "expired_at" = now() - interval '121 seconds' where "epoch" = 'anew'`);
      await reap();
      expect(await wallet()).toMatchObject({ held: 0 });
    });

    it('stay while the replica reports, and while billing itself was away', async () => {
      await fund(1000);
      await acquire('steady', 600);
      await silence('steady', 50);
      await reap();
      expect(await acquire('steady', 1, { wallet: { granted: 600, returned: 0 } })).toMatchObject({ alive: true });
      await silence('steady', 300);
      await testBed.sql(`update "reaper_run" set "ran_at" = now() - interval '280 seconds'`);
      await reap();
      expect(await acquire('steady', 1, { wallet: { granted: 601, returned: 0 } })).toMatchObject({ alive: true });
    });

    it('need one statement for a heartbeat of a replica that is known and idle, and one for what it may give back', async () => {
      const beat = () => testBed.call(syncLeases, { replicaEpoch: 'resting', accounts: [] });
      expect(await beat()).toEqual({ alive: true, recall: [] });
      await silence('resting', 50);
      const asked = jest.spyOn(EntityManager.prototype, 'execute');
      expect(await beat()).toEqual({ alive: true, recall: [] });
      // The others are those of tasks in the background.
      const own = /insert into "replica"|greatest\("synced_at"|join "lease_wait"/;
      expect(asked.mock.calls.filter(([text]) => own.test(String(text)))).toHaveLength(2);
      jest.restoreAllMocks();
      const heard = `select now() - "synced_at" < interval '10 seconds' as "soon" from "replica" where "epoch" = 'resting'`;
      expect(await testBed.sql(heard)).toEqual([{ soon: true }]);
    });

    it('are looked after with one statement while there is nothing to do, and the look is noted', async () => {
      await fund(1000);
      await acquire('steady', 600);
      await testBed.sql(`update "reaper_run" set "ran_at" = now() - interval '5 seconds'`);
      const more = (['expire', 'releaseExpired'] as const).map((step) =>
        jest.spyOn(LeaseReaper.prototype as unknown as Record<typeof step, () => Promise<void>>, step),
      );
      await testBed.inContext(() => testBed.get(LeaseReaper).run());
      for (const step of more) expect(step).not.toHaveBeenCalled();
      jest.restoreAllMocks();
      expect(await testBed.sql(`select now() - "ran_at" < interval '4 seconds' as "noted" from "reaper_run"`)).toEqual([
        { noted: true },
      ]);
    });

    it('do not expire when nothing of them is outstanding', async () => {
      await fund(1000);
      await acquire('idle', 600);
      await testBed.call(syncLeases, {
        replicaEpoch: 'idle',
        accounts: [{ kind: 'wallet', id: userId, returned: 600 }],
      });
      await silence('idle', 3600);
      await reap();
      expect(await acquire('idle', 10, { wallet: { granted: 600, returned: 600 } })).toMatchObject({
        alive: true,
        outcome: 'granted',
      });
    });
  });
});
