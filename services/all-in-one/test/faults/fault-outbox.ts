import { type Person, readUntil } from '@tollgate/testing';
import { Client } from 'pg';
import { untilEnded, untilReplaced } from '../cluster/cluster.js';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

const BILLINGS = ['billing-1', 'billing-2'] as const;
/** Id of an advisory lock that the test holds and each record of a sent event needs. */
const GATE = 7_070_709;
const REACHED_MS = 20_000;
const TOLD_MS = 40_000;
const OPENING = 1_000;

let persons = 0;
const customer = ({ site }: FaultStage): Promise<Person> => site.user(`adjusted${(persons += 1)}`, OPENING);

/** An administrator's action: a posting in billing, and an event of which logging makes two rows. */
const adjust = ({ site }: FaultStage, { id }: Person, name: string, quota: number): Promise<unknown> =>
  site.root.data('PUT', '/api/user/', { id, username: name, display_name: name, group: 'default', quota });

async function killBoth(stage: FaultStage): Promise<readonly number[]> {
  const pids = BILLINGS.map((name) => stage.pidOf(name));
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await untilEnded(...pids);
  return pids;
}

const untilBack = async (stage: FaultStage, pids: readonly number[]): Promise<void> => {
  for (const [index, name] of BILLINGS.entries()) await untilReplaced(stage.cluster, name, pids[index] ?? 0);
};

const count = async (client: Client, query: string, values: unknown[] = []): Promise<number> =>
  (await client.query<{ n: number }>(query, values)).rows[0]?.n ?? 0;

const waitsToLeave = (client: Client): Promise<number> =>
  count(
    client,
    `select count(*)::int as "n" from "billing"."outbox_event" where "topic" = 'quota-adjusted' and "published_at" is null`,
  );

/** The change is committed, but the processes die before its event can be sent. */
async function killBeforeSending(stage: FaultStage, client: Client, person: Person, name: string): Promise<string[]> {
  await stage.kafka.stop();
  await adjust(stage, person, name, OPENING + 1);
  const waiting = await waitsToLeave(client);
  const pids = await killBoth(stage);
  await stage.kafka.start();
  await untilBack(stage, pids);
  return unless(waiting > 0, 'the event had left before anybody was killed');
}

/** The event is sent, and the process dies before it records that: its successor sends the event again. */
async function killBeforeNoting(stage: FaultStage, client: Client, person: Person, name: string): Promise<string[]> {
  await client.query(`
    select pg_advisory_lock(${GATE});
    create function "billing"."wait_to_note"() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return new; end $$;
    create trigger "outbox_gate" before update on "billing"."outbox_event" for each row
      when (new."topic" = 'quota-adjusted') execute function "billing"."wait_to_note"();`);
  const atTheGate = `from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`;
  try {
    await adjust(stage, person, name, OPENING + 2);
    const waiting = await readUntil(
      () => count(client, `select count(*)::int as "n" ${atTheGate}`),
      (n) => n > 0,
      REACHED_MS,
    );
    const pids = await killBoth(stage);
    // The statement of the dead process must not be executed after all.
    await client.query(`select pg_terminate_backend(pid) ${atTheGate}`);
    await client.query('select pg_advisory_unlock_all()');
    await untilBack(stage, pids);
    return unless(waiting > 0, 'nobody noted that the event had left');
  } finally {
    await client.query('select pg_advisory_unlock_all()');
    await client.query(
      'drop trigger "outbox_gate" on "billing"."outbox_event"; drop function "billing"."wait_to_note"()',
    );
  }
}

/** Each adjustment must have one posting, one row in the audit log and one in the usage log. */
async function faultsOf(client: Client, { id }: Person, adjustments: number): Promise<string[]> {
  const tellings = {
    postings: `select count(*)::int as "n" from "billing"."posting" where "code" = 'admin-adjustment' and "user_id" = $1`,
    'rows of the audit log': `select count(*)::int as "n" from "logging"."audit_entry" where "action" = 'quota-adjust' and "user_id" = $1`,
  };
  const faults: string[] = [];
  for (const [name, query] of Object.entries(tellings)) {
    const told = await readUntil(
      () => count(client, query, [id]),
      (n) => n >= adjustments,
      TOLD_MS,
    );
    faults.push(...unless(told === adjustments, `${adjustments} adjustments led to ${told} ${name}`));
  }
  return faults;
}

async function killAroundTheOutbox(stage: FaultStage): Promise<string[]> {
  const client = new Client({ connectionString: stage.cluster.databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const person = await customer(stage);
    const name = `adjusted${persons}`;
    return [
      ...(await killBeforeSending(stage, client, person, name)),
      ...(await killBeforeNoting(stage, client, person, name)),
      ...(await faultsOf(client, person, 3)),
    ];
  } finally {
    await client.end();
  }
}

export const outboxRows: readonly FaultRow[] = [
  {
    name: 'billing killed between an effect and its event',
    seconds: 24,
    mayFail: true,
    when: early,
    inject: killAroundTheOutbox,
  },
];
