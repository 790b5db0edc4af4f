import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Fund, LeaseBook, type LeaseCounters, type LeaseResult, outstandingOf } from './lease-book.js';

const WALLET = { kind: 'wallet', id: 1 } as const;
const REPLICAS = 3;
const CREDIT = 1000;

/** A replica's own counters; billing only learns them from its reports. */
interface Replica {
  granted: number;
  returned: number;
  used: number;
  holds: { amount: number; charge: number }[];
  unbooked: number[];
}

type Step =
  | { kind: 'hold'; by: number; amount: number; percent: number }
  | { kind: 'miss'; by: number; amount: number }
  | { kind: 'settle' | 'tell' | 'book'; by: number }
  | { kind: 'keep' }
  | { kind: 'fail-over' };

const by = fc.nat({ max: REPLICAS - 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('hold' as const),
      by,
      amount: fc.integer({ min: 1, max: 300 }),
      percent: fc.nat({ max: 100 }),
    }),
    fc.record({ kind: fc.constantFrom('settle' as const, 'tell' as const, 'book' as const), by }),
    fc.record({ kind: fc.constant('miss' as const), by, amount: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ kind: fc.constant('keep' as const) }),
    fc.record({ kind: fc.constant('fail-over' as const) }),
  ),
  { maxLength: 60 },
);

const heldBy = ({ holds }: Replica): number => holds.reduce((sum, { amount }) => sum + amount, 0);
/** Units that the replica can still spend, idle or held. */
const alive = ({ granted, returned, used }: Replica): number => granted - returned - used;

/** Billing's rows, and some replicas that spend no more than they hold. */
class World {
  readonly fund: Fund = { ...WALLET, ownerId: 1, credit: CREDIT, spent: 0, held: 0, limited: true, closed: false };
  readonly leases: LeaseCounters[] = [];
  readonly replicas: Replica[] = [];
  private readonly booked: { by: number; charge: number }[] = [];
  /** The state that a standby has. */
  private standby: { fund: Fund; leases: LeaseCounters[]; booked: number };

  constructor() {
    for (let index = 0; index < REPLICAS; index += 1) {
      this.leases.push({ granted: 0, returned: 0, booked: 0, used: 0 });
      this.replicas.push({ granted: 0, returned: 0, used: 0, holds: [], unbooked: [] });
    }
    this.standby = this.copy();
  }

  run(step: Step): void {
    if (step.kind === 'hold') this.hold(step);
    else if (step.kind === 'miss') this.request(step.by, step.amount);
    else if (step.kind === 'keep') this.standby = this.copy();
    else if (step.kind === 'fail-over') this.failOver();
    else this[step.kind](step.by);
  }

  ask(index: number, need: number): LeaseResult | undefined {
    const replica = this.replica(index);
    const result = this.request(index, need);
    replica.granted = result?.wallet.granted ?? replica.granted;
    return result;
  }

  tell(index: number): void {
    const replica = this.replica(index);
    // The reply to the first report names grants whose replies were lost.
    for (let turn = 0; turn < 2; turn += 1) {
      replica.returned += alive(replica) - heldBy(replica);
      this.report(index);
      replica.granted = Math.max(replica.granted, this.leases[index]?.granted ?? 0);
    }
  }

  replica(index: number): Replica {
    const replica = this.replicas[index];
    if (!replica) throw new Error(`no replica ${index}`);
    return replica;
  }

  /** A request whose reply is not taken over yet, and is lost otherwise. */
  private request(index: number, need: number): LeaseResult | undefined {
    const replica = this.replica(index);
    const [result] = this.inBook(index, (book) =>
      book.serve([
        {
          userId: 1,
          tokenId: 0,
          walletNeed: need,
          tokenNeed: 0,
          wallet: replica,
          token: { granted: 0, returned: 0, used: 0 },
        },
      ]),
    );
    return result;
  }

  private report(index: number): void {
    this.inBook(index, (book) => book.takeReport(WALLET, this.replica(index)));
  }

  private copy(): { fund: Fund; leases: LeaseCounters[]; booked: number } {
    return {
      fund: { ...this.fund },
      leases: this.leases.map((lease) => ({ ...lease })),
      booked: this.booked.length,
    };
  }

  /** The standby takes over. What it lacks is booked again some time, and the replicas report what they were lent. */
  private failOver(): void {
    const { fund, leases, booked } = this.standby;
    for (const { by: index, charge } of this.booked.splice(booked)) this.replica(index).unbooked.push(charge);
    Object.assign(this.fund, fund);
    this.leases.splice(0, REPLICAS, ...leases.map((lease) => ({ ...lease })));
    for (let index = 0; index < REPLICAS; index += 1) this.report(index);
  }

  private hold({ by: index, amount, percent }: Extract<Step, { kind: 'hold' }>): void {
    const replica = this.replica(index);
    const idle = alive(replica) - heldBy(replica);
    if (idle < amount && this.ask(index, amount - idle)?.outcome !== 'granted') return;
    replica.holds.push({ amount, charge: Math.floor((amount * percent) / 100) });
  }

  private settle(index: number): void {
    const replica = this.replica(index);
    const ended = replica.holds.shift();
    if (!ended) return;
    replica.used += ended.charge;
    replica.unbooked.push(ended.charge);
  }

  /** Books in the same way as the booking transaction. */
  private book(index: number): void {
    const lease = this.leases[index];
    const charge = this.replica(index).unbooked.shift();
    if (charge === undefined || !lease) return;
    this.booked.push({ by: index, charge });
    const before = outstandingOf(lease);
    lease.booked += charge;
    this.fund.spent += charge;
    this.fund.held -= before - outstandingOf(lease);
  }

  private inBook<Result>(index: number, work: (book: LeaseBook) => Result): Result {
    const rows = this.leases.map((lease) => ({ ...WALLET, ...lease }));
    const others = rows.filter((lease, other) => other !== index && outstandingOf(lease) > 0);
    const book = new LeaseBook([this.fund], rows.slice(index, index + 1), others);
    const result = work(book);
    const { funds, leases } = book.changes();
    this.fund.held = funds[0]?.held ?? this.fund.held;
    if (leases[0]) this.leases[index] = leases[0];
    return result;
  }
}

describe('leases under random histories', () => {
  it('lend no more than there is, and count as elsewhere what others can spend and nothing that is spent', () => {
    fc.assert(
      fc.property(steps, by, (history, asking) => {
        const world = new World();
        for (const step of history) world.run(step);
        const others = world.replicas.filter((_, index) => index !== asking);
        const live = (): number => others.reduce((sum, replica) => sum + alive(replica), 0);

        const unheard = world.ask(asking, 0)?.walletElsewhere ?? Number.NaN;
        expect(unheard).toBeGreaterThanOrEqual(live());

        others.forEach((other) => world.tell(world.replicas.indexOf(other)));
        expect(world.ask(asking, 0)?.walletElsewhere).toBe(live());

        expect(world.fund.held).toBe(world.leases.reduce((sum, lease) => sum + outstandingOf(lease), 0));
        const spent = world.replicas.reduce((sum, { used }) => sum + used, 0);
        const holds = world.replicas.reduce((sum, replica) => sum + heldBy(replica), 0);
        expect(spent + holds).toBeLessThanOrEqual(CREDIT);
      }),
      { numRuns: 500 },
    );
  });
});
