import { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acquireLeases, adjustQuota, syncLeases } from '@tollgate/contracts';
import { Metrics } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import { type HeldFindings, LeaseAudit } from '../src/lease/lease.audit.js';
import { LeaseReaper } from '../src/lease/lease.reaper.js';
import { describeSilentReplicas } from './lease-silence.js';
import { LeaseWorld } from './lease-world.js';
import { consumed } from './test-bed.js';

const NONE = { granted: 0, returned: 0 };

const suite = hasPostgres() ? describe : describe.skip;

suite('leases', () => {
  const world = new LeaseWorld();
  beforeAll(() => world.open());
  afterAll(() => world.close());
  beforeEach(() => world.nextUser());

  it('lends exactly 50 of a wallet worth 50 to 200 requests of five replicas at once', async () => {
    await world.fund(50_000);
    const { userId } = world;
    const request = { userId, tokenId: 0, walletNeed: 1000, tokenNeed: 0, wallet: NONE, token: NONE };
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) =>
        world.testBed.call(acquireLeases, {
          replicaEpoch: `fifty-${name}`,
          requests: Array.from({ length: 40 }, () => request),
        }),
      ),
    );
    const outcomes = replies.flatMap(({ results }) => results);
    expect(outcomes.filter(({ outcome }) => outcome === 'granted')).toHaveLength(50);
    expect(outcomes.filter(({ outcome }) => outcome === 'busy')).toHaveLength(150);
    expect(await world.wallet()).toEqual({ credit: 50_000, spent: 0, held: 50_000 });
    expect(await world.faults()).toEqual([]);
  });

  it('lends exactly 50 of a token budget worth 50 in batches, with the wallet or not at all', async () => {
    await world.fund(10_000_000);
    const tokenId = await world.addToken(50_000);
    const request = {
      userId: world.userId,
      tokenId,
      walletNeed: 1000,
      tokenNeed: 1000,
      wallet: NONE,
      token: NONE,
    };
    const replies = await Promise.all(
      ['batch-a', 'batch-b'].map((replicaEpoch) =>
        world.testBed.call(acquireLeases, { replicaEpoch, requests: Array.from({ length: 100 }, () => request) }),
      ),
    );
    const granted = replies.flatMap(({ results }) => results).filter(({ outcome }) => outcome === 'granted');
    expect(granted).toHaveLength(50);
    const [leases] = await world.testBed.sql<{ token: string }>(
      `select sum("granted") filter (where "kind" = 'token') as "token" from "lease" where "replica_epoch" like 'batch-%'`,
    );
    expect(Number(leases?.token)).toBe(50_000);
    expect(await world.faults()).toEqual([]);
  });

  it('lends ahead from plenty, and states why it refuses from too little', async () => {
    await world.fund(1_000_000);
    expect(await world.acquire('sizes', 1000)).toMatchObject({
      outcome: 'granted',
      wallet: { granted: 62_500 },
      walletAvailable: 1_000_000,
      walletQuota: 1_000_000,
    });
    expect(await world.acquire('sizes', 2_000_000, { wallet: { granted: 62_500, returned: 0 } })).toMatchObject({
      outcome: 'short-wallet',
      wallet: { granted: 62_500 },
    });
    expect(await world.acquire('others', 990_000)).toMatchObject({ outcome: 'busy', walletAvailable: 937_500 });
  });

  it('counts nothing as elsewhere once the others have reported it as spent, long before it is booked', async () => {
    await world.fund(1000);
    const holder = await world.acquire('spender', 900);
    expect(await world.acquire('asker', 200)).toMatchObject({
      outcome: 'busy',
      walletAvailable: 100,
      walletElsewhere: 900,
    });
    const account = { kind: 'wallet' as const, id: world.userId, returned: 0, used: 850 };
    expect(await world.testBed.call(syncLeases, { replicaEpoch: 'spender', accounts: [account] })).toMatchObject({
      recall: [{ kind: 'wallet', id: world.userId }],
    });
    expect(await world.acquire('asker', 200)).toMatchObject({
      outcome: 'busy',
      walletAvailable: 100,
      walletElsewhere: 50,
    });
    await world.testBed.call(syncLeases, { replicaEpoch: 'spender', accounts: [{ ...account, returned: 50 }] });
    expect(await world.acquire('asker', 200)).toMatchObject({
      outcome: 'busy',
      walletAvailable: 150,
      walletElsewhere: 0,
    });
    await world.book([consumed({ userId: world.userId, quota: 850, replicaEpoch: 'spender' })]);
    expect(await world.acquire('asker', 150)).toMatchObject({ outcome: 'granted', walletElsewhere: 0 });
    expect(holder.wallet?.granted).toBe(900);
    expect(await world.wallet()).toEqual({ credit: 1000, spent: 850, held: 150 });
    expect(await world.faults()).toEqual([]);
  });

  it('answers a repeat after a lost reply with what was granted already', async () => {
    await world.fund(10_000);
    await world.acquire('lost', 400);
    expect(await world.acquire('lost', 400)).toMatchObject({
      outcome: 'granted',
      wallet: { granted: 400, returned: 0 },
    });
    expect(await world.wallet()).toMatchObject({ held: 400 });
    expect(await world.acquire('lost', 400, { wallet: { granted: 400, returned: 0 } })).toMatchObject({
      wallet: { granted: 800 },
    });
  });

  it('tells a replica what a heartbeat does not report, as after a lost reply', async () => {
    await world.fund(10_000);
    await world.acquire('unheard', 400);
    const account = { kind: 'wallet' as const, id: world.userId, returned: 0 };
    const beat = (granted: number) =>
      world.testBed.call(syncLeases, { replicaEpoch: 'unheard', accounts: [{ ...account, granted }] });
    expect((await beat(0)).lent).toEqual([{ kind: 'wallet', id: world.userId, granted: 400 }]);
    expect((await beat(400)).lent).toEqual([]);
  });

  it('notes again what a replica was lent in commits that the database lost, and recalls what it lent twice', async () => {
    await world.fund(1000);
    const { userId } = world;
    const account = { kind: 'wallet' as const, id: userId, granted: 600, returned: 100, used: 50 };
    const heard = { replicaEpoch: 'forgotten', accounts: [account] };
    await world.acquire('forgotten', 600);
    await world.testBed.sql(`delete from "lease" where "account_id" = ?`, [userId]);
    await world.testBed.sql(`update "account" set "held" = 0 where "user_id" = ?`, [userId]);
    await world.acquire('twice', 700);
    await world.testBed.call(syncLeases, heard);
    await world.testBed.call(syncLeases, heard);
    expect(await world.wallet()).toMatchObject({ held: 500 + 700 });
    expect((await world.testBed.call(syncLeases, { replicaEpoch: 'twice', accounts: [] })).recall).toEqual([
      { kind: 'wallet', id: userId },
    ]);
    expect(await world.acquire('third', 1)).toMatchObject({ outcome: 'busy', walletAvailable: -200 });
    expect(await world.faults()).toEqual([]);
  });

  it('counts the heartbeats of a replica, and no further ones until it knows that some were lost', async () => {
    const beat = async (beats: number) =>
      (await world.testBed.call(syncLeases, { replicaEpoch: 'counted', beats, accounts: [] })).beats;
    expect([await beat(0), await beat(1), await beat(2)]).toEqual([1, 2, 3]);
    // The reply to a heartbeat may be lost.
    expect(await beat(2)).toBe(4);
    await world.testBed.sql(`update "replica" set "beats" = 1 where "epoch" = 'counted'`);
    expect([await beat(4), await beat(4)]).toEqual([1, 1]);
    expect(await beat(1)).toBe(2);
  });

  it("refuses another user's token, a deleted token, and a wallet that was never opened", async () => {
    await world.fund(10_000);
    const tokenId = await world.addToken(1000);
    await world.testBed.sql(`update "token" set "deleted_at" = now() where "id" = ?`, [tokenId]);
    expect(await world.acquire('odd', 10, { tokenId })).toMatchObject({ outcome: 'unknown' });
    world.nextUser();
    expect(await world.acquire('odd', 10)).toMatchObject({ outcome: 'short-wallet' });
    expect(await world.acquire('odd', 10, { tokenId })).toMatchObject({ outcome: 'unknown' });
  });

  it('lets an unlimited token borrow as much as the wallet allows', async () => {
    await world.fund(5000);
    const tokenId = await world.addToken(0, true);
    expect(await world.acquire('unlimited', 100, { tokenId })).toMatchObject({
      outcome: 'granted',
      token: { granted: 100 },
    });
    expect(await world.faults()).toEqual([]);
  });

  it('takes back what a heartbeat returns, once, and recalls what others wait for', async () => {
    await world.fund(1000);
    await world.acquire('holder', 900);
    expect(await world.acquire('waiter', 200)).toMatchObject({ outcome: 'busy' });
    const account = { kind: 'wallet' as const, id: world.userId, returned: 0 };
    expect(await world.testBed.call(syncLeases, { replicaEpoch: 'holder', accounts: [account] })).toMatchObject({
      alive: true,
      recall: [{ kind: 'wallet', id: world.userId }],
    });
    expect((await world.testBed.call(syncLeases, { replicaEpoch: 'waiter', accounts: [] })).recall).toEqual([]);
    for (const returned of [500, 500, 300])
      await world.testBed.call(syncLeases, { replicaEpoch: 'holder', accounts: [{ ...account, returned }] });
    expect(await world.wallet()).toMatchObject({ held: 400 }); // 900 − 500; the late 300 changes nothing
    expect(await world.acquire('waiter', 200)).toMatchObject({ outcome: 'granted' });
    expect(await world.faults()).toEqual([]);
  });

  it('recalls also for a request that exceeds the whole account, because a smaller one may do', async () => {
    await world.fund(1000);
    await world.acquire('lender', 900);
    expect(await world.acquire('modest', 2000)).toMatchObject({ outcome: 'short-wallet', walletElsewhere: 900 });
    const account = { kind: 'wallet' as const, id: world.userId, returned: 0 };
    const heard = { replicaEpoch: 'lender', accounts: [account] };
    expect((await world.testBed.call(syncLeases, heard)).recall).toEqual([{ kind: 'wallet', id: world.userId }]);
    await world.testBed.call(syncLeases, { ...heard, accounts: [{ ...account, returned: 900 }] });
    expect(await world.acquire('modest', 2000)).toMatchObject({ outcome: 'short-wallet', walletElsewhere: 0 });
    expect((await world.testBed.call(syncLeases, heard)).recall).toEqual([]);
  });

  it('leaves a rich wallet where it is when only the budget of a token is too small', async () => {
    await world.fund(100_000);
    const tokenId = await world.addToken(50);
    await world.acquire('lender', 900);
    expect(await world.acquire('asker', 200, { tokenId })).toMatchObject({ outcome: 'short-token' });
    const heard = { replicaEpoch: 'lender', accounts: [{ kind: 'wallet' as const, id: world.userId, returned: 0 }] };
    expect((await world.testBed.call(syncLeases, heard)).recall).toEqual([]);
  });

  it('recalls blocks when a balance is lowered below what is lent', async () => {
    await world.fund(1000);
    await world.acquire('lowered', 900);
    await world.testBed.call(adjustQuota, {
      userId: world.userId,
      quota: 100,
      actorId: 1,
      commandId: `lower-${world.userId}`,
    });
    const reply = await world.testBed.call(syncLeases, {
      replicaEpoch: 'lowered',
      accounts: [{ kind: 'wallet', id: world.userId, returned: 0 }],
    });
    expect(reply.recall).toEqual([{ kind: 'wallet', id: world.userId }]);
  });

  it('reports held quota that differs from the outstanding leases', async () => {
    await world.fund(1000);
    await world.acquire('audited', 100);
    const metric = world.testBed.get(Metrics).registry.getSingleMetric('tollgate_billing_held_faults');
    const audited = async () => {
      await world.testBed.inContext(() => world.testBed.get(LeaseReaper).audit());
      return (await metric?.get())?.values[0]?.value;
    };
    expect(await audited()).toBe(0);
    await world.testBed.sql(`update "account" set "held" = "held" + 1 where "user_id" = ?`, [world.userId]);
    expect(await world.faults()).toEqual([
      { kind: 'wallet', account_id: world.userId, held: '101', outstanding: '100' },
    ]);
    expect(await audited()).toBe(1);
    await world.testBed.sql(`update "account" set "held" = "held" - 1 where "user_id" = ?`, [world.userId]);
    expect(await audited()).toBe(0);
  });

  it('checks all funds in parts, and drops a fault when it is repaired or another replica led meanwhile', async () => {
    await world.fund(1000);
    const token = await world.addToken(500);
    await world.acquire('in-parts', 100, { tokenId: token });
    const [sums] = await world.testBed.sql<{ wallets: number; tokens: number; overdrawn: string }>(
      `select (select count(*)::int from "account") as "wallets", (select count(*)::int from "token") as "tokens",
         (select coalesce(sum("spent" - "credit"), 0) from "account" where "spent" > "credit") as "overdrawn"`,
    );
    const looks = Math.ceil(((sums?.wallets ?? 0) + (sums?.tokens ?? 0)) / 2) + 2;
    await world.testBed.inContext(async () => {
      const audit = new LeaseAudit(world.testBed.get(EntityManager), 2);
      const round = async (): Promise<HeldFindings[]> => {
        const found: HeldFindings[] = [];
        for (let look = 0; look < looks; look += 1) found.push(await audit.checkNext());
        return found;
      };
      const clean = await round();
      expect(clean.map(({ faults: count }) => count)).toEqual(Array.from({ length: looks }, () => 0));
      expect(clean.at(-1)?.overdrawn).toBe(Number(sums?.overdrawn));
      await world.testBed.sql(`update "token" set "held" = "held" + 7 where "id" = ?`, [token]);
      expect((await round()).at(-1)).toMatchObject({
        faults: 1,
        first: { kind: 'token', account_id: token, held: 107, outstanding: 100 },
      });
      await world.testBed.sql(`update "token" set "held" = "held" - 7 where "id" = ?`, [token]);
      expect((await audit.checkNext()).faults).toBe(0);
      expect((await round()).at(-1)?.faults).toBe(0);
      await world.testBed.sql(`update "token" set "held" = "held" + 7 where "id" = ?`, [token]);
      await round();
      expect((await audit.checkNext()).faults).toBe(1);
      audit.restart();
      expect(await audit.checkNext()).toMatchObject({ faults: 0, first: undefined });
      await world.testBed.sql(`update "token" set "held" = "held" - 7 where "id" = ?`, [token]);
    });
  });

  it('rejects an epoch that reports unknown leases', async () => {
    expect(
      await world.testBed.call(syncLeases, {
        replicaEpoch: 'stranger',
        accounts: [{ kind: 'wallet', id: 1, returned: 0 }],
      }),
    ).toEqual({ alive: false, lent: [], recall: [] });
    // A replica whose first requests failed only doubts that it has leases.
    const account = { kind: 'wallet' as const, id: 1, granted: 0, returned: 0 };
    expect(await world.testBed.call(syncLeases, { replicaEpoch: 'newcomer', accounts: [account] })).toMatchObject({
      alive: true,
    });
  });

  describeSilentReplicas(world);
});
