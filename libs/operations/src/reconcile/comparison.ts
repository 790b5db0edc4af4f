import type { Client } from 'pg';
import { requestConsumed } from '@tollgate/contracts';
import type { BookCheck, Logger, ServiceDefinition } from '@tollgate/chassis';
import { connectPatiently, type Period } from '@tollgate/database';
import { Checker, faultOf, type Found, type PlacedCheck, runShared, together } from './checker.js';
import { crossChecks, eventChecks, JOURNAL_AND_LOG, sumQuery, usageQuery } from './cross-checks.js';
import { type Rater, type Scan, scanEvents, SEEN_TABLES } from './event-scan.js';
import type { OutsideLog } from './outside-log.js';
import type { ReconcileReport, StoreSum } from './report.js';
import { auditLogChecks } from './audit-log-checks.js';
import { hasTableLog, tableReader, type TopicReader } from './topic-reader.js';

export interface ComparisonOptions {
  services: readonly ServiceDefinition[];
  url: string;
  log: Logger;
  rate: Rater;
  /** Reads topics from the event log if that is not in the database. */
  read?: TopicReader;
  /** The usage log if that is not in the database. */
  outsideLog?: OutsideLog;
  /** Called with a description of each step, because a large journal takes minutes. */
  reportStep?: (step: string) => void;
}

/** The sums of the stores at one moment, and the faults found. */
type Comparison = Found & Pick<ReconcileReport, 'sums' | 'usage' | 'notices'>;

/** Connections that share one snapshot of the database. */
interface Moment {
  /** The connection with the temporary tables for the events. */
  events: Checker;
  tables: readonly Checker[];
  /**
   * Reads the event log in parallel with the processing of what was read; undefined if events are not in the database.
   */
  reader?: Client;
  /** Whether the usage log is a temporary copy. Only one connection can read that, so all checks share it. */
  isCopy: boolean;
}

/**
 * Number of connections for checks that do not concern events. Together with the connection for events they use three
 * processors of the database server.
 */
const TABLE_CONNECTIONS = 2;
const BEGIN = 'begin isolation level repeatable read read only';
const LOG_IS_WHOLE = 'the event log is whole';

/**
 * Checks that compare the requests of the period with each other. As long as they find nothing, another run cannot
 * change the sums of the stores.
 */
const ofRequests: ReadonlySet<string> = new Set([
  LOG_IS_WHOLE,
  JOURNAL_AND_LOG,
  ...eventChecks.map(({ name }) => name),
]);

/** Runs all checks: those of events on one connection and, in parallel, those of tables on others. */
export async function compareOnce(options: ComparisonOptions, period: Period): Promise<Comparison> {
  return withMoment(options, period, async (moment) => {
    const ofEvents = compareEvents(moment, options, period);
    // With a single connection the checks must not overlap, because each sets the connection's search path.
    if (moment.isCopy) await ofEvents;
    const [seen, tables] = await Promise.all([ofEvents, compareTables(moment, options.services)]);
    const { requests, units } = tables.log;
    const sums = seen.sums.toSpliced(1, 0, { store: 'usage log', requests, units });
    return { ...together([seen, tables]), sums, usage: tables.usage, notices: seen.notices };
  });
}

/**
 * Repeats the checks that found faults. While an installation runs, one store is always ahead of another, mostly in
 * totals over all time; if only such totals differ, the events, whose comparison takes longest, are not read again.
 */
export async function compareAgain(
  options: ComparisonOptions,
  period: Period,
  { faults, ...first }: Comparison,
): Promise<Comparison> {
  if (faults.some(({ check }) => ofRequests.has(check))) return compareOnce(options, period);
  const names = new Set(faults.map(({ check }) => check));
  const checks = tableChecks(options.services).filter(({ name }) => names.has(name));
  return withMoment(options, period, async ({ tables }) => ({ ...first, ...(await runShared(tables, checks)) }));
}

async function withMoment<T>(
  options: ComparisonOptions,
  period: Period,
  work: (moment: Moment) => Promise<T>,
): Promise<T> {
  const { outsideLog, reportStep = () => undefined } = options;
  reportStep('connecting to PostgreSQL');
  const clients: Client[] = [];
  const connect = async (): Promise<Client> => {
    const client = await connectPatiently(options.url, options.log);
    clients.push(client);
    await client.query(`set application_name = 'tollgate-reconcile'`);
    // Each check consists of one or two joins of whole tables, which are faster in memory.
    await client.query(`set work_mem = '128MB'; set jit = off`);
    return client;
  };
  try {
    const first = await connect();
    for (const table of SEEN_TABLES) await first.query(table);
    await outsideLog?.prepare(first);
    await first.query(BEGIN);
    await outsideLog?.fill(first, period, reportStep);
    const isCopy = outsideLog !== undefined;
    const beside = async (): Promise<Client> => sameMoment(first, await connect());
    const checkerOf = (client: Client): Checker => new Checker(client, { period, reportStep, isCopy });
    const reader = options.read === undefined ? await beside() : undefined;
    const others: Client[] = [];
    while (!isCopy && others.length < TABLE_CONNECTIONS) others.push(await beside());
    const events = checkerOf(first);
    return await work({ events, tables: isCopy ? [events] : others.map(checkerOf), isCopy, ...(reader && { reader }) });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function sameMoment(first: Client, other: Client): Promise<Client> {
  const { rows } = await first.query<{ snapshot: string }>('select pg_export_snapshot() as "snapshot"');
  await other.query(BEGIN);
  await other.query(`set transaction snapshot '${rows[0]?.snapshot ?? ''}'`);
  return other;
}

async function compareEvents(
  { events, reader }: Moment,
  options: ComparisonOptions,
  period: Period,
): Promise<Found & Pick<Comparison, 'sums' | 'notices'>> {
  const scan = await scanOf(events.client, reader, options, period);
  const found = [faultsOf(scan)];
  if (scan) for (const check of eventChecks) found.push(await events.run(sinceBound(check, scan)));
  options.reportStep?.('adding up');
  const sums = await events.rows<Amounts & { store: string }>(sumQuery(scan !== undefined));
  return { ...together(found), sums: sums.map(numbers), notices: scan?.notices ?? [NO_LOG] };
}

async function compareTables(
  { tables: [first, ...others] }: Moment,
  services: ComparisonOptions['services'],
): Promise<Found & Pick<Comparison, 'usage'> & { log: Omit<StoreSum, 'store'> }> {
  if (!first) throw new Error('no connection for the tables');
  const found = await runShared([first, ...others], tableChecks(services));
  const usage = (await first.rows<Amounts & { source: string }>(usageQuery)).map(numbers);
  const sum = (name: 'requests' | 'units'): number => usage.reduce((all, row) => all + row[name], 0);
  return { ...found, usage, log: { requests: sum('requests'), units: sum('units') } };
}

const NO_LOG =
  'The event log was not compared: there is none in this database, and KAFKA_BROKERS does not tell where it is.';

const tableChecks = (services: ComparisonOptions['services']): PlacedCheck[] => [
  ...crossChecks,
  ...auditLogChecks,
  ...services.flatMap(({ name, database }) => (database?.checks ?? []).map((check) => ({ ...check, schema: name }))),
];

async function scanOf(
  client: Client,
  reader: Client | undefined,
  { read, rate, reportStep }: ComparisonOptions,
  period: Period,
): Promise<Scan | undefined> {
  if (!read && !(reader && (await hasTableLog(reader)))) return undefined;
  const from = read ?? (reader && tableReader(reader));
  return from && scanEvents({ client, period, read: from, rate, isDense: !read, ...(reportStep && { reportStep }) });
}

const faultsOf = (scan: Scan | undefined): Found => ({
  faults: (scan?.faults ?? []).map((fault) =>
    faultOf({ check: LOG_IS_WHOLE, store: `event log, ${requestConsumed.name}`, ...fault }),
  ),
  unlisted: scan?.unlisted ?? 0,
});

const sinceBound = (check: BookCheck, { since }: Scan): BookCheck => ({
  ...check,
  query: check.query.replaceAll(':since', String(Number.isFinite(since) ? Math.ceil(since / 1000) : 1e12)),
});

/** Integers of 64 bits, which the driver returns as strings. */
type Amounts = Record<'requests' | 'units', string>;
const numbers = <Row extends Amounts>({ requests, units, ...row }: Row) => ({
  ...row,
  requests: Number(requests),
  units: Number(units),
});
