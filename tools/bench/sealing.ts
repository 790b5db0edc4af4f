import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { bookWhatWaits } from './booking.js';
import { cpuSeconds, treeCpuSeconds } from './cpu.js';
import { median } from './median.js';
import type { LoadProgram } from './programs.js';
import type { Stage } from './stage.js';

const ROUNDS = 3;
const POLL_MS = 200;
const CHAINED_WITHIN_MS = 120_000;

/** What billing does in addition to booking. */
const ways = [
  'booking alone',
  'with sums for statements',
  'with sums for channels too',
  'with sums and sealing',
] as const;
type Way = (typeof ways)[number];

export interface SealingCost {
  way: Way;
  events: number;
  /** Events booked per second, medians over the rounds. */
  perSecond: number;
  /** CPU microseconds per event; with sealing, until the event is in the chain. */
  postgres: number;
  billing: number;
}

/**
 * Measures how fast billing books a backlog with and without the parts that make the journal provable, round by round
 * in the same run. For the ways without sealing another session holds the lock on the chains; for those without sums
 * the triggers are disabled, which leaves this database's sums wrong afterwards.
 */
export async function measureSealing(
  stage: Stage,
  load: LoadProgram,
  say: (line: string) => void,
): Promise<SealingCost[]> {
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const found = new Map<Way, SealingCost[]>(ways.map((way) => [way, []]));
  try {
    for (let round = 1; round <= ROUNDS; round += 1)
      for (const way of ways) {
        const cost = await measureOne(stage, { load, client, way });
        found.get(way)?.push(cost);
        say(`${way} ${round}/${ROUNDS}: ${cost.perSecond.toFixed(0)} events a second`);
      }
  } finally {
    await client.end();
  }
  return ways.map((way) => {
    const rounds = found.get(way) ?? [];
    const of = (value: (cost: SealingCost) => number): number => median(rounds.map(value));
    return {
      ...{
        way,
        events: rounds.reduce((sum, { events }) => sum + events, 0),
        perSecond: of(({ perSecond }) => perSecond),
      },
      ...{ postgres: of(({ postgres }) => postgres), billing: of(({ billing }) => billing) },
    };
  });
}

async function measureOne(
  stage: Stage,
  { load, client, way }: { load: LoadProgram; client: Client; way: Way },
): Promise<SealingCost> {
  const isSealing = way === 'with sums and sealing';
  await sumUp(client, 'posting_statement', way !== 'booking alone');
  await sumUp(client, 'posting_channel_day', isSealing || way === 'with sums for channels too');
  await chained(client);
  const holder = isSealing ? undefined : await holdChains(stage.databaseUrl);
  try {
    const before = { postgres: treeCpuSeconds(stage.postgresPid), billing: cpuSeconds(stage.billing) };
    const { requests, rates } = await bookWhatWaits(stage, load, client);
    if (isSealing) await chained(client);
    const spent = (after: number, first: number): number => ((after - first) * 1e6) / requests;
    return {
      ...{ way, events: requests, perSecond: rates.booked.perSecond },
      postgres: spent(treeCpuSeconds(stage.postgresPid), before.postgres),
      billing: spent(cpuSeconds(stage.billing), before.billing),
    };
  } finally {
    await holder?.end();
  }
}

async function sumUp(client: Client, trigger: string, isOn: boolean): Promise<void> {
  await client.query(`alter table billing.posting ${isOn ? 'enable' : 'disable'} trigger "${trigger}"`);
}

/** Locks the row that billing locks before it extends the chains, which keeps it from chaining. */
async function holdChains(url: string): Promise<Client> {
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; select from billing.seal_progress for update');
  return holder;
}

/**
 * Waits until every transaction that has begun by now is chained. It reads the progress of the chains, because counting
 * rows would add to the cost that is being measured.
 */
async function chained(client: Client): Promise<void> {
  const deadline = performance.now() + CHAINED_WITHIN_MS;
  const { rows: now } = await client.query<{ next: string }>(
    `select pg_snapshot_xmax(pg_current_snapshot())::text as "next"`,
  );
  for (;;) {
    const { rows } = await client.query<{ isDone: boolean }>(
      `select "old_id" is null and "tx" >= $1 as "isDone" from billing.seal_progress where "id" = 1`,
      [now[0]?.next],
    );
    if (rows[0]?.isDone) return;
    if (performance.now() > deadline) throw new Error('the journal is not chained in time');
    await pause(POLL_MS);
  }
}
