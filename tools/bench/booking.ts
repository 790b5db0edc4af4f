import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { cpuSeconds, MEASURED_CORE, OTHER_CORE, pin, treeCpuSeconds } from './cpu.js';
import type { LoadProgram } from './programs.js';
import type { Stage } from './stage.js';

/** Kafka is suspended for this long; after ten seconds the broker would consider its consumers dead. */
const LOAD_SECONDS = 6;
const CONNECTIONS = 32;
const POLL_MS = 200;
const BOOKED_WITHIN_MS = 120_000;
/**
 * Share of the events between which the rate is measured. The first batches are left out because the consumer is waking
 * up, the last one because it is small.
 */
const FROM = 0.1;
const UNTIL = 0.9;

const INSERT_SECONDS = 5;
const INSERT_CONNECTIONS = 8;

interface Rate {
  perSecond: number;
  /** Events per CPU second of PostgreSQL, over all its processes. */
  perDatabaseSecond: number;
}

export interface Booking {
  events: number;
  booked: Rate;
  /** Events per CPU second of billing. */
  perBillingSecond: number;
  /** One INSERT per event, each in its own transaction. */
  inserted: Rate;
}

interface Reading {
  at: number;
  rows: number;
  database: number;
  billing: number;
}

/**
 * Measures how fast billing books a backlog of usage events. Kafka and logging are suspended while requests are served;
 * then Kafka resumes, and logging only after the measurement. The CPU that PostgreSQL needs for it is compared with
 * that of plain inserts of the same record.
 */
export async function measureBooking(stage: Stage, load: LoadProgram): Promise<Booking> {
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  try {
    const { requests, rates } = await bookWhatWaits(stage, load, client);
    const inserted = await insertOneByOne(stage, client);
    return { events: requests, inserted, ...rates };
  } finally {
    await client.end();
  }
}

type BookingRates = Pick<Booking, 'booked' | 'perBillingSecond'>;

/** Builds up a backlog of served requests in the event log and measures how fast billing then books it. */
export async function bookWhatWaits(
  { billing, logging, kafkaPid, relay, postgresPid, isPinned }: Stage,
  load: LoadProgram,
  client: Client,
): Promise<{ requests: number; rates: BookingRates }> {
  try {
    const postings = async (): Promise<number> => {
      const { rows } = await client.query<{ count: string }>('select count(*) from billing.posting');
      return Number(rows[0]?.count);
    };
    const before = await postings();
    for (const pid of [kafkaPid, logging]) process.kill(pid, 'SIGSTOP');
    const { requests } = await load
      .run({ ...relay, kind: 'json', connections: CONNECTIONS, warmSeconds: 0, seconds: LOAD_SECONDS })
      .finally(() => process.kill(kafkaPid, 'SIGCONT'));
    if (isPinned) pin(billing, MEASURED_CORE);
    const read = async (): Promise<Reading> => ({
      at: performance.now(),
      rows: (await postings()) - before,
      database: treeCpuSeconds(postgresPid),
      billing: cpuSeconds(billing),
    });
    return { requests, rates: ratesOf(await readUntil(requests, read)) };
  } finally {
    process.kill(logging, 'SIGCONT');
    if (isPinned) pin(billing, OTHER_CORE);
  }
}

async function readUntil(rows: number, read: () => Promise<Reading>): Promise<Reading[]> {
  const readings = [await read()];
  const deadline = performance.now() + BOOKED_WITHIN_MS;
  while ((readings.at(-1)?.rows ?? 0) < rows) {
    if (performance.now() > deadline)
      throw new Error(`${readings.at(-1)?.rows} of ${rows} requests were booked in time`);
    await pause(POLL_MS);
    readings.push(await read());
  }
  return readings;
}

function ratesOf(readings: readonly Reading[]): BookingRates {
  const all = readings.at(-1)?.rows ?? 0;
  const first = readings.find(({ rows }) => rows >= all * FROM) as Reading;
  const last = readings.find(({ rows }) => rows >= all * UNTIL) as Reading;
  const rows = last.rows - first.rows;
  return {
    booked: {
      perSecond: rows / ((last.at - first.at) / 1000),
      perDatabaseSecond: rows / (last.database - first.database),
    },
    perBillingSecond: rows / (last.billing - first.billing),
  };
}

/**
 * Inserts into a copy of the posting table that has the primary key as its only index: the least that storing a request
 * can cost.
 */
async function insertOneByOne({ databaseUrl, postgresPid }: Stage, admin: Client): Promise<Rate> {
  await admin.query('create table bench_insert (like billing.posting including defaults, primary key (id))');
  const clients = Array.from({ length: INSERT_CONNECTIONS }, () => new Client({ connectionString: databaseUrl }));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const before = treeCpuSeconds(postgresPid);
    const startedAt = performance.now();
    const deadline = startedAt + INSERT_SECONDS * 1000;
    const counts = await Promise.all(clients.map((client) => insertUntil(client, deadline)));
    const rows = counts.reduce((sum, count) => sum + count, 0);
    const seconds = (performance.now() - startedAt) / 1000;
    return { perSecond: rows / seconds, perDatabaseSecond: rows / (treeCpuSeconds(postgresPid) - before) };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await admin.query('drop table bench_insert');
  }
}

async function insertUntil(client: Client, deadline: number): Promise<number> {
  let rows = 0;
  for (; performance.now() < deadline; rows += 1) {
    await client.query({
      name: 'insert',
      text: `insert into bench_insert (id, code, debit, credit, amount, user_id, reference)
             values (gen_random_uuid(), 'consumption', 'wallet:1', 'revenue', 100, 1, gen_random_uuid()::text)`,
    });
  }
  return rows;
}
