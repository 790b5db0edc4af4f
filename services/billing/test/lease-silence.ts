import { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { syncLeases } from '@tollgate/contracts';
import { EventLog, Metrics, type Offsets } from '@tollgate/chassis';
import { LeaseReaper } from '../src/lease/lease.reaper.js';
import type { LeaseWorld } from './lease-world.js';
import { consumed } from './test-bed.js';

/** What becomes of leases when the replica that holds them stops reporting. */
export function describeSilentReplicas(world: LeaseWorld): void {
  describe('of a replica that fell silent', () => {
    const TOPIC = 'request-consumed';
    let ends: Offsets;
    let committed: Offsets;
    let identity = 'table';
    const nothing = (): Promise<void> => Promise.resolve();
    /** What happens after the ends were read. */
    let meanwhile = nothing;
    const reap = async (): Promise<void> => {
      const log = world.testBed.get(EventLog);
      const { ends: realEnds, committed: realCommitted, identity: realIdentity } = log;
      Object.assign(log, {
        ends: async () => {
          const read = ends;
          await meanwhile();
          return read;
        },
        committed: () => Promise.resolve(committed),
        identity: () => Promise.resolve(identity),
      });
      try {
        await world.testBed.inContext(() => world.testBed.get(LeaseReaper).run());
      } finally {
        Object.assign(log, { ends: realEnds, committed: realCommitted, identity: realIdentity });
      }
    };
    // The background would run it with the offsets of the real log.
    beforeAll(() => void Object.assign(world.testBed.get(LeaseReaper), { runIfNeeded: () => Promise.resolve() }));
    afterAll(() => void Reflect.deleteProperty(world.testBed.get(LeaseReaper), 'runIfNeeded'));

    const silence = (epoch: string, seconds: number) =>
      world.testBed.sql(`update "replica" set "synced_at" = now() - ? * interval '1 second' where "epoch" = ?`, [
        seconds,
        epoch,
      ]);
    beforeEach(() => {
      identity = 'table';
      ends = { [TOPIC]: { 0: 5n, 1: 7n } };
      committed = { [TOPIC]: { 0: 5n, 1: 6n } };
    });

    it('are released only when booking has passed the log and the spool counts as lost', async () => {
      await world.fund(1000);
      await world.acquire('silent', 600);
      await silence('silent', 61);
      await reap();
      expect(await world.acquire('silent', 1)).toMatchObject({ alive: false, outcome: 'unknown' });
      expect(await world.testBed.call(syncLeases, { replicaEpoch: 'silent', accounts: [] })).toMatchObject({
        alive: false,
      });
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 600 });
      await world.testBed.sql(
        `update "replica" set "expired_at" = now() - interval '121 seconds' where "epoch" = 'silent'`,
      );
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 600 }); // partition 1 is still read up to 6 of 7
      committed = ends;
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 0 });
      // An event that arrives even later is booked, but does not change the ended lease.
      await world.book([consumed({ userId: world.userId, quota: 600, replicaEpoch: 'silent' })]);
      await world.testBed.inContext(() => world.testBed.get(LeaseReaper).audit());
      const metric = world.testBed.get(Metrics).registry.getSingleMetric('tollgate_billing_overdrawn_units');
      const [overdrawn] = await world.testBed.sql<{ units: string }>(
        'select coalesce(sum("spent" - "credit"), 0) as "units" from "account" where "spent" > "credit"',
      );
      expect((await metric?.get())?.values[0]?.value).toBe(Number(overdrawn?.units));
      expect(await world.wallet()).toEqual({ credit: 1000, spent: 600, held: 0 });
      expect(await world.faults()).toEqual([]);
    });

    it('stay lent in strict mode until their spool has been sent, however long that takes', async () => {
      const reaper = world.testBed.get(LeaseReaper);
      Object.assign(reaper, { isStrict: true });
      try {
        await world.fund(1000);
        await world.acquire('strict', 600);
        await silence('strict', 61);
        await reap();
        await world.testBed.sql(
          `update "replica" set "expired_at" = now() - interval '9 days' where "epoch" = 'strict'`,
        );
        committed = ends;
        await reap();
        expect(await world.wallet()).toMatchObject({ held: 600 });
        const unrecovered = async (): Promise<number | undefined> => {
          await world.testBed.inContext(() => reaper.audit());
          const metric = world.testBed.get(Metrics).registry.getSingleMetric('tollgate_billing_unrecovered_units');
          return (await metric?.get())?.values[0]?.value;
        };
        expect(await unrecovered()).toBe(600);
        await world.testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['strict'] });
        expect(await unrecovered()).toBe(0);
        await reap(); // notes the ends of the log
        await reap();
        expect(await world.wallet()).toMatchObject({ held: 0 });
      } finally {
        Object.assign(reaper, { isStrict: false });
      }
    });

    it('are released without waiting once another replica has sent its spool', async () => {
      await world.fund(1000);
      await world.acquire('crashed', 600);
      await world.testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['crashed'] });
      committed = ends;
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 0 });
    });

    it('are released only when booking has passed what an adopted spool sent after they expired', async () => {
      await world.fund(1000);
      await world.acquire('adopted', 600);
      await silence('adopted', 61);
      committed = ends;
      await reap();
      ends = { [TOPIC]: { 0: 5n, 1: 9n } };
      await world.testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['adopted'] });
      await reap();
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 600 }); // two records of the spool are not booked yet
      committed = ends;
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 0 });
    });

    it('are not expired by ends that were read before a spool was sent', async () => {
      await world.fund(1000);
      await world.acquire('overtaken', 600);
      await silence('overtaken', 61);
      meanwhile = async () => {
        meanwhile = nothing;
        ends = { [TOPIC]: { 0: 5n, 1: 9n } };
        await world.testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['overtaken'] });
      };
      committed = ends;
      await reap();
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 600 }); // records of the spool are not booked yet
      committed = ends;
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 0 });
    });

    it('are released by the ends of the new event log after the installation moved to another one', async () => {
      await world.fund(1000);
      await world.acquire('moved', 600);
      await world.testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['moved'] });
      await reap(); // expires it, with ends that the new log may never reach
      identity = 'kafka';
      ends = { [TOPIC]: { 0: 2n, 1: 0n } };
      committed = { [TOPIC]: { 0: 1n, 1: 0n } };
      await reap();
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 600 }); // one that was carried over is not booked yet
      committed = ends;
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 0 });
    });

    it('are released by the ends of the recreated topic, after the time a spool may take', async () => {
      await world.fund(1000);
      await world.acquire('anew', 600);
      await world.testBed.call(syncLeases, { replicaEpoch: 'successor', accounts: [], recovered: ['anew'] });
      await reap(); // expires it, with ends that the new topic may never reach
      ends = { [TOPIC]: { 0: 1n, 1: 0n } };
      committed = ends;
      await reap();
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 600 });
      await world.testBed.sql(
        `update "replica" set "expired_at" = now() - interval '121 seconds' where "epoch" = 'anew'`,
      );
      await reap();
      expect(await world.wallet()).toMatchObject({ held: 0 });
    });

    it('stay while the replica reports, and while billing itself was away', async () => {
      await world.fund(1000);
      await world.acquire('steady', 600);
      await silence('steady', 50);
      await reap();
      expect(await world.acquire('steady', 1, { wallet: { granted: 600, returned: 0 } })).toMatchObject({
        alive: true,
      });
      await silence('steady', 300);
      await world.testBed.sql(`update "reaper_run" set "ran_at" = now() - interval '280 seconds'`);
      await reap();
      expect(await world.acquire('steady', 1, { wallet: { granted: 601, returned: 0 } })).toMatchObject({
        alive: true,
      });
    });

    it('need one statement for a heartbeat of a replica that is known and idle, and one for what it may give back', async () => {
      const beat = () => world.testBed.call(syncLeases, { replicaEpoch: 'resting', accounts: [] });
      expect(await beat()).toEqual({ alive: true, beats: 1, lent: [], recall: [] });
      await silence('resting', 50);
      const asked = jest.spyOn(EntityManager.prototype, 'execute');
      expect(await beat()).toEqual({ alive: true, beats: 2, lent: [], recall: [] });
      // The others are those of tasks in the background.
      const own = /insert into "replica"|greatest\("synced_at"|join "lease_wait"/;
      expect(asked.mock.calls.filter(([text]) => own.test(String(text)))).toHaveLength(2);
      jest.restoreAllMocks();
      const heard = `select now() - "synced_at" < interval '10 seconds' as "soon" from "replica" where "epoch" = 'resting'`;
      expect(await world.testBed.sql(heard)).toEqual([{ soon: true }]);
    });

    it('are looked after with one statement while there is nothing to do, and the look is noted', async () => {
      await world.fund(1000);
      await world.acquire('steady', 600);
      await world.testBed.sql(`update "reaper_run" set "ran_at" = now() - interval '5 seconds'`);
      const more = (['expire', 'releaseExpired'] as const).map((step) =>
        jest.spyOn(LeaseReaper.prototype as unknown as Record<typeof step, () => Promise<void>>, step),
      );
      await world.testBed.inContext(() => world.testBed.get(LeaseReaper).run());
      for (const step of more) expect(step).not.toHaveBeenCalled();
      jest.restoreAllMocks();
      expect(
        await world.testBed.sql(`select now() - "ran_at" < interval '4 seconds' as "noted" from "reaper_run"`),
      ).toEqual([{ noted: true }]);
    });

    it('need no more than a read between two runs until one is overdue', async () => {
      await world.fund(1000);
      await world.acquire('steady', 600);
      await reap();
      const run = jest.spyOn(LeaseReaper.prototype, 'run').mockResolvedValue();
      const check = () => LeaseReaper.prototype['runIfNeeded'].call(world.testBed.get(LeaseReaper));
      await check();
      expect(run).not.toHaveBeenCalled();
      await silence('steady', 61);
      await check();
      expect(run).toHaveBeenCalledTimes(1);
      await silence('steady', 0);
      Object.assign(world.testBed.get(LeaseReaper), { ranAt: performance.now() - 4000 });
      await check();
      expect(run).toHaveBeenCalledTimes(2);
      jest.restoreAllMocks();
    });

    it('do not expire when nothing of them is outstanding', async () => {
      await world.fund(1000);
      await world.acquire('idle', 600);
      await world.testBed.call(syncLeases, {
        replicaEpoch: 'idle',
        accounts: [{ kind: 'wallet', id: world.userId, returned: 600 }],
      });
      await silence('idle', 3600);
      await reap();
      expect(await world.acquire('idle', 10, { wallet: { granted: 600, returned: 600 } })).toMatchObject({
        alive: true,
        outcome: 'granted',
      });
    });
  });
}
