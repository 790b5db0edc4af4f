import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { readUntil } from '@tollgate/testing';
import { untilEnded, untilReplaced } from '../cluster/cluster.js';
import { early, type FaultRow, killReplica, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';
import { randomFrom } from '../support/witness.js';

const BILLINGS = ['billing-1', 'billing-2'] as const;
/** Id of an advisory lock that the test holds and each commit of a booking needs. */
const GATE = 7_070_707;
const REACHED_MS = 20_000;
const RANDOM_KILLS = 6;

/**
 * Makes the next booking wait in the middle of its commit until the gate opens, so that the process can be killed at
 * this exact point.
 */
class CommitGate {
  private constructor(
    private readonly client: Client,
    private readonly userId: number,
  ) {}

  static async close({ cluster, user }: FaultStage): Promise<CommitGate> {
    const client = new Client({ connectionString: cluster.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('select pg_advisory_lock($1)', [GATE]);
    await client.query(`
      create function "billing"."wait_at_gate"() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end $$;
      create constraint trigger "gate" after update on "billing"."account" deferrable initially deferred for each row
        when (new."spent" is distinct from old."spent") execute function "billing"."wait_at_gate"();`);
    return new CommitGate(client, user.id);
  }

  /** Number of bookings that wait at the gate. */
  async waiting(): Promise<number> {
    const { rows } = await this.client.query<{ count: number }>(
      `select count(*)::int as "count" from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [GATE],
    );
    return rows[0]?.count ?? 0;
  }

  /** Bookings that wait for one at the gate, because they insert the same events. */
  async blocked(): Promise<number> {
    const { rows } = await this.client.query<{ count: number }>(
      `select count(*)::int as "count" from pg_stat_activity
       where wait_event_type = 'Lock' and wait_event = 'transactionid' and query like 'insert into "posting"%'`,
    );
    return rows[0]?.count ?? 0;
  }

  async bookings(): Promise<number> {
    const { rows } = await this.client.query<{ count: number }>(
      `select count(*)::int as "count" from "billing"."posting" where "code" = 'consumption' and "user_id" = $1`,
      [this.userId],
    );
    return rows[0]?.count ?? 0;
  }

  open(): Promise<unknown> {
    return this.client.query('select pg_advisory_unlock($1)', [GATE]);
  }

  async remove(): Promise<void> {
    await this.client.query('select pg_advisory_unlock_all()');
    await this.client.query('drop trigger "gate" on "billing"."account"; drop function "billing"."wait_at_gate"()');
    await this.client.end();
  }
}

const reached = async <T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<boolean> =>
  holds(await readUntil(look, holds, REACHED_MS));

async function atTheGate(
  stage: FaultStage,
  work: (gate: CommitGate, pids: readonly number[]) => Promise<string[]>,
): Promise<string[]> {
  const gate = await CommitGate.close(stage);
  const pids = BILLINGS.map((name) => stage.pidOf(name));
  try {
    if (
      !(await reached(
        () => gate.waiting(),
        (count) => count > 0,
      ))
    )
      return ['nobody booked anything'];
    return await work(gate, pids);
  } finally {
    await gate.remove();
    for (const [index, name] of BILLINGS.entries()) await untilReplaced(stage.cluster, name, pids[index] ?? 0);
  }
}

async function kill(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await untilEnded(...pids);
}

/**
 * Suspends the processes while they commit, so that they do not learn of the commit and cannot commit the Kafka offset.
 */
const killAfterBooking = (stage: FaultStage): Promise<string[]> =>
  atTheGate(stage, async (gate, pids) => {
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const before = await gate.bookings();
    await gate.open();
    const isBooked = await reached(
      () => gate.bookings(),
      (count) => count > before,
    );
    await kill(pids);
    return unless(isBooked, 'the booking did not end');
  });

/** The commit of a dead process is still in progress when its successor gets the same events. */
const killBeforeBooking = (stage: FaultStage): Promise<string[]> =>
  atTheGate(stage, async (gate, pids) => {
    await kill(pids);
    const hasHeir = await reached(
      () => gate.blocked(),
      (count) => count > 0,
    );
    await gate.open();
    return unless(hasHeir, 'nobody else took the events');
  });

/** At random moments, repeatedly. */
async function killAtRandom(stage: FaultStage): Promise<void> {
  const random = randomFrom(stage.cluster.run().processes.length);
  for (let round = 0; round < RANDOM_KILLS; round += 1) {
    await pause(200 + random() * 2_500);
    await killReplica(stage, BILLINGS[round % BILLINGS.length] ?? BILLINGS[0]);
  }
}

export const billingRows: readonly FaultRow[] = [
  {
    name: 'billing killed between its booking and its offset',
    mayFail: true,
    when: early,
    inject: killAfterBooking,
  },
  {
    name: 'billing killed while its booking commits',
    seconds: 16,
    mayFail: true,
    when: early,
    inject: killBeforeBooking,
  },
  { name: 'billing killed at random, six times', seconds: 40, mayFail: true, when: early, inject: killAtRandom },
];
