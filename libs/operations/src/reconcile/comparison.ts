import type { Client } from 'pg';
import { requestConsumed } from '@tollgate/contracts';
import type { BookCheck, Logger, Period, ServiceDefinition } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';
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
  /** Reads topics where they are not in the database. */
  read?: TopicReader;
  /** Where the usage log is, unless it is in the database. */
  outsideLog?: OutsideLog;
  /** Called with what is being done now, in words; a large journal takes minutes. */
  tell?: (step: string) => void;
}

/** What the stores held at one moment, and what did not add up. */
export type Comparison = Found & Pick<ReconcileReport, 'sums' | 'usage' | 'notices'>;

/** Connections that see the same moment. */
interface Moment {
  /** With the tables for the events. */
  events: Checker;
  tables: readonly Checker[];
  /** Reads the event log while what was read is being worked on; undefined where events are not in the database. */
  reader?: Client;
  /** There is a copy of the usage log, which belongs to one connection, and all share that. */
  isCopy: boolean;
}

/** So many share the checks that are not about events. With that of the events they take three processors of the database. */
const TABLE_CONNECTIONS = 2;
const BEGIN = 'begin isolation level repeatable read read only';
const LOG_IS_WHOLE = 'the event log is whole';

/** Checks that compare the requests of the period with each other. Where they find nothing, nothing can change what the stores count. */
const ofRequests: ReadonlySet<string> = new Set([
  LOG_IS_WHOLE,
  JOURNAL_AND_LOG,
  ...eventChecks.map(({ name }) => name),
]);

/** Compares everything: the events by one connection, and beside it the tables by others. */
export async function compareOnce(options: ComparisonOptions, period: Period): Promise<Comparison> {
  return withMoment(options, period, async (moment) => {
    const ofEvents = compareEvents(moment, options, period);
    // Each check sets the search path of its connection.
    if (moment.isCopy) await ofEvents;
    const [seen, tables] = await Promise.all([ofEvents, compareTables(moment, options.services)]);
    const { requests, units } = tables.log;
    const sums = seen.sums.toSpliced(1, 0, { store: 'usage log', requests, units });
    return { ...together([seen, tables]), sums, usage: tables.usage, notices: seen.notices };
  });
}

/**
 * Compares once more what did not add up. An installation that runs is ahead in one place at any moment, mostly in what is added up over all
 * times; then the events, which take longest, are not read again.
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
  const { outsideLog, tell = () => undefined } = options;
  tell('connecting to PostgreSQL');
  const clients: Client[] = [];
  const connect = async (): Promise<Client> => {
    const client = await connectPatiently(options.url, options.log);
    clients.push(client);
    await client.query(`set application_name = 'tollgate-reconcile'`);
    // Each check is one or two joins of everything: in memory where they fit.
    await client.query(`set work_mem = '128MB'; set jit = off`);
    return client;
  };
  try {
    const first = await connect();
    for (const table of SEEN_TABLES) await first.query(table);
    await outsideLog?.prepare(first);
    await first.query(BEGIN);
    await outsideLog?.fill(first, period, tell);
    const isCopy = outsideLog !== undefined;
    const beside = async (): Promise<Client> => sameMoment(first, await connect());
    const checkerOf = (client: Client): Checker => new Checker(client, { period, tell, isCopy });
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
  options.tell?.('adding up');
  const sums = await events.rows<Amounts & { store: string }>(sumQuery(scan !== undefined));
  return { ...together(found), sums: sums.map(numbers), notices: scan?.notices ?? [] };
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

const tableChecks = (services: ComparisonOptions['services']): PlacedCheck[] => [
  ...crossChecks,
  ...auditLogChecks,
  ...services.flatMap(({ name, database }) => (database?.checks ?? []).map((check) => ({ ...check, schema: name }))),
];

async function scanOf(
  client: Client,
  reader: Client | undefined,
  { read, rate, tell }: ComparisonOptions,
  period: Period,
): Promise<Scan | undefined> {
  if (!read && !(reader && (await hasTableLog(reader)))) return undefined;
  const from = read ?? (reader && tableReader(reader));
  return from && scanEvents({ client, period, read: from, rate, isDense: !read, ...(tell && { tell }) });
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

/** As PostgreSQL hands them out. */
type Amounts = Record<'requests' | 'units', string>;
const numbers = <Row extends Amounts>({ requests, units, ...row }: Row) => ({
  ...row,
  requests: Number(requests),
  units: Number(units),
});
