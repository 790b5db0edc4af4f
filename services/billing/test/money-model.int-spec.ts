import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acquireLeases, adjustQuota, openAccount, syncLeases } from '@tollgate/contracts';
import { EventLog } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import fc from 'fast-check';
import { BookingService } from '../src/booking/booking.service.js';
import { LeaseReaper } from '../src/lease/lease.reaper.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const RUNS = Number(process.env['MONEY_MODEL_RUNS'] ?? 12);

/** A relay replica that behaves correctly: it spends nothing that was not lent to it. */
interface Replica {
  epoch: string;
  granted: number;
  returned: number;
  used: number;
  /** Consumption that is charged and sent, but not booked. */
  unbooked: ReturnType<typeof consumed>[];
}

/** The expected sums of the wallet, computed independently. */
interface Model {
  userId: number;
  credit: number;
  booked: number;
  sent: ReturnType<typeof consumed>[];
  replicas: Replica[];
  epochs: number;
}

type Step =
  | { kind: 'hold'; replica: number; amount: number; charge: number }
  | { kind: 'give-back'; replica: number; share: number }
  | { kind: 'book'; replica: number; twice: boolean }
  | { kind: 'replay' }
  | { kind: 'adjust'; delta: number }
  | { kind: 'crash'; replica: number };

const replica = fc.integer({ min: 0, max: 2 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('hold' as const),
        replica,
        amount: fc.integer({ min: 0, max: 400 }),
        charge: fc.integer({ min: 0, max: 100 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('give-back' as const),
        replica,
        share: fc.integer({ min: 0, max: 100 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('book' as const), replica, twice: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'replay' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('adjust' as const), delta: fc.integer({ min: 0, max: 2000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), replica }) },
  ),
  { minLength: 5, maxLength: 40 },
);

suite('money under random histories', () => {
  let testBed: BillingTestBed;
  let nextUser = 1000;
  beforeAll(async () => {
    testBed = await startBilling();
  });
  afterAll(() => testBed.close());

  const book = (events: ReturnType<typeof consumed>[]) =>
    testBed.inContext(() => testBed.get(BookingService).book(events));
  const newReplica = (model: Model): Replica => ({
    epoch: `m${model.userId}-${(model.epochs += 1)}`,
    granted: 0,
    returned: 0,
    used: 0,
    unbooked: [],
  });

  /** Requests what the replica lacks, charges at most its hold, and gives up at once when refused. */
  async function hold(model: Model, target: Replica, amount: number, chargePercent: number): Promise<void> {
    const free = target.granted - target.returned - target.used;
    const { results } = await testBed.call(acquireLeases, {
      replicaEpoch: target.epoch,
      requests: [
        {
          userId: model.userId,
          tokenId: 0,
          walletNeed: Math.max(0, amount - free),
          tokenNeed: 0,
          wallet: target,
          token: { granted: 0, returned: 0 },
        },
      ],
    });
    const [result] = results;
    target.granted = Math.max(target.granted, result?.wallet.granted ?? 0);
    if (result?.outcome !== 'granted') return;
    expect(target.granted - target.returned - target.used).toBeGreaterThanOrEqual(amount);
    const charge = Math.floor((amount * chargePercent) / 100);
    target.used += charge;
    target.unbooked.push(consumed({ userId: model.userId, quota: charge, replicaEpoch: target.epoch }));
  }

  async function bookFrom(model: Model, target: Replica, twice: boolean): Promise<void> {
    const batch = target.unbooked.splice(0);
    model.sent.push(...batch);
    model.booked += batch.reduce((total, { data }) => total + data.quota, 0);
    await book(twice ? [...batch, ...batch].reverse() : batch);
    if (twice) await book(batch);
  }

  /** The replica dies; its spool is adopted and booked, then its leases end. */
  async function crash(model: Model, index: number): Promise<void> {
    const dead = model.replicas[index];
    if (!dead) return;
    model.replicas[index] = newReplica(model);
    await testBed.call(syncLeases, { replicaEpoch: `heir-${model.userId}`, accounts: [], recovered: [dead.epoch] });
    await testBed.inContext(() => testBed.get(LeaseReaper).run());
    await bookFrom(model, dead, false);
  }

  async function run(model: Model, step: Step): Promise<void> {
    const target = 'replica' in step ? model.replicas[step.replica] : undefined;
    if (step.kind === 'hold' && target) await hold(model, target, step.amount, step.charge);
    else if (step.kind === 'give-back' && target) {
      target.returned += Math.floor(((target.granted - target.returned - target.used) * step.share) / 100);
      await testBed.call(syncLeases, {
        replicaEpoch: target.epoch,
        accounts: [{ kind: 'wallet', id: model.userId, returned: target.returned }],
      });
    } else if (step.kind === 'book' && target) await bookFrom(model, target, step.twice);
    else if (step.kind === 'replay') await book([...model.sent].reverse());
    else if (step.kind === 'crash') await crash(model, step.replica);
    else if (step.kind === 'adjust') {
      model.credit += step.delta;
      await testBed.call(adjustQuota, {
        userId: model.userId,
        delta: step.delta,
        actorId: 1,
        commandId: `adjust-${Math.random()}`,
      });
    }
  }

  async function check(model: Model): Promise<void> {
    const [row] = await testBed.sql<Record<'credit' | 'spent' | 'held', string>>(
      `select "credit", "spent", "held" from "account" where "user_id" = ?`,
      [model.userId],
    );
    const wallet = { credit: Number(row?.credit), spent: Number(row?.spent), held: Number(row?.held) };
    const lent = model.replicas.reduce((total, { granted, returned, used, unbooked }) => {
      const unbookedUnits = unbooked.reduce((units, { data }) => units + data.quota, 0);
      return total + granted - returned - used + unbookedUnits;
    }, 0);
    // No replica charges more than it holds, so the three sums are exact and the wallet never falls below zero.
    expect(wallet).toEqual({ credit: model.credit, spent: model.booked, held: lent });
    expect(wallet.credit - wallet.spent - wallet.held).toBeGreaterThanOrEqual(0);
    expect(await testBed.sql(`select * from "held_faults"()`)).toEqual([]);
    const [journal] = await testBed.sql<{ balance: string | null }>(
      `select sum(case when "credit" = ? then "amount" else -"amount" end) as "balance" from "posting" where ? in ("credit", "debit")`,
      [`wallet:${model.userId}`, `wallet:${model.userId}`],
    );
    expect(Number(journal?.balance ?? 0)).toBe(wallet.credit - wallet.spent);
  }

  it('equals the plain sums after every history of holds, returns, bookings, replays, top-ups and crashes', async () => {
    const log = testBed.get(EventLog);
    Object.assign(log, { ends: () => Promise.resolve({}), committed: () => Promise.resolve({}) });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const model: Model = { userId: (nextUser += 1), credit: 5000, booked: 0, sent: [], replicas: [], epochs: 0 };
        model.replicas = [newReplica(model), newReplica(model), newReplica(model)];
        await testBed.call(openAccount, { userId: model.userId, kind: 'register', inviterId: 0 });
        await testBed.call(adjustQuota, {
          userId: model.userId,
          quota: 5000,
          actorId: 1,
          commandId: `start-${model.userId}`,
        });
        for (const step of history) await run(model, step);
        await check(model);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);
});
