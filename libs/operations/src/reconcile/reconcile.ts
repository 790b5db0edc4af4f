import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { requestConsumed } from '@tollgate/contracts';
import { bindPeriod, type BookCheck, type Logger, type Period, type ServiceDefinition } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';
import { crossChecks, eventChecks, sumsQuery, usageQuery } from './cross-checks.js';
import { type Rater, type Scan, scanEvents, SEEN_TABLES } from './event-scan.js';
import { aboutCopy, type OutsideLog } from './outside-log.js';
import type { BookFault, ReconcileReport, StoreSum } from './report.js';
import { hasTableLog, lateOnTable, type LateReader, tableReader, type TopicReader } from './topic-reader.js';

export interface ReconcileOptions {
  services: readonly ServiceDefinition[];
  url: string;
  log: Logger;
  /** By default everything up to a minute ago. */
  period?: Partial<Period>;
  rate: Rater;
  /** Reads topics where they are not in the database. */
  read?: TopicReader;
  /** Who has not read all events of a topic, where they are not in the database. */
  lateReaders?: (topic: string) => Promise<LateReader[]>;
  /** Where the usage log is, unless it is in the database. */
  outsideLog?: OutsideLog;
  /** Told what is being done now, in words; a large journal takes minutes. */
  tell?: (step: string) => void;
  /** How long what is on its way may take to arrive before it counts as missing. */
  patienceMs?: number;
}

/** Requests of the last minute may be under way between the services. */
const FRESH_MS = 60_000;
const PATIENCE_MS = 5_000;
const LISTED = 1_000;

/**
 * Proves that every store tells the same about the requests of a period, and that balances, leases, orders, codes and tasks follow from
 * the journal. Reads only. What does not add up is looked at a second time, because an installation that runs is ahead in one place.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const started = performance.now();
  const period = {
    from: options.period?.from ?? 0,
    to: Math.min(options.period?.to ?? Infinity, options.period?.to === undefined ? Date.now() - FRESH_MS : Date.now()),
  };
  let look = await lookOnce(options, period);
  if (look.faults.length > 0) {
    await pause(options.patienceMs ?? PATIENCE_MS);
    const before = new Set(look.faults.map(keyOf));
    look = await lookOnce(options, period);
    look.faults = look.faults.filter((fault) => before.has(keyOf(fault)));
  }
  const { faults, unlisted, sums, usage, notices } = look;
  return {
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    balanced: faults.length === 0,
    ...{ sums, usage, faults, unlisted: faults.length === 0 ? 0 : unlisted, notices },
    seconds: (performance.now() - started) / 1000,
  };
}

const keyOf = ({ check, subject }: BookFault): string => `${check} ${subject}`;

type Look = Pick<ReconcileReport, 'sums' | 'usage' | 'faults' | 'unlisted' | 'notices'>;

/** Everything as of one moment: the events by one connection, and beside it the tables by another, which sees the same. */
async function lookOnce(options: ReconcileOptions, period: Period): Promise<Look> {
  const { tell = () => undefined, outsideLog } = options;
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
    // A copy of a log that is elsewhere belongs to one connection.
    const second = outsideLog ? first : await connect();
    for (const table of SEEN_TABLES) await first.query(table);
    await outsideLog?.prepare(first);
    await first.query(BEGIN);
    await (outsideLog?.fill(first, period, tell) ?? shareSnapshot(first, second));
    const isCopy = outsideLog !== undefined;
    const events = new Checker(first, { period, tell, isCopy });
    const tables = new Checker(second, { period, tell, isCopy });
    const ofEvents = compareEvents(events, options);
    // Each sets the search path of its connection.
    if (isCopy) await ofEvents;
    const [seen, usage] = await Promise.all([ofEvents, compareTables(tables, options.services)]);
    const faults = [...events.faults, ...tables.faults];
    return {
      ...{ sums: seen.sums, usage, faults, unlisted: events.unlisted + tables.unlisted },
      notices: [...seen.notices, ...(faults.length > 0 ? await late(options, first) : [])],
    };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function shareSnapshot(first: Client, second: Client): Promise<void> {
  const { rows } = await first.query<{ snapshot: string }>('select pg_export_snapshot() as "snapshot"');
  await second.query(BEGIN);
  await second.query(`set transaction snapshot '${rows[0]?.snapshot ?? ''}'`);
}

const BEGIN = 'begin isolation level repeatable read read only';

async function compareEvents(checker: Checker, options: ReconcileOptions): Promise<Pick<Look, 'sums' | 'notices'>> {
  const scan = await scanOf(options, checker.client, checker.period);
  checker.addEventFaults(scan);
  if (scan) for (const check of eventChecks) await checker.run(sinceBound(check, scan));
  return { sums: await checker.sums(scan), notices: scan?.notices ?? [] };
}

async function compareTables(checker: Checker, services: ReconcileOptions['services']): Promise<Look['usage']> {
  for (const check of crossChecks) await checker.run(check);
  for (const { name, database } of services) for (const check of database?.checks ?? []) await checker.run(check, name);
  return checker.usage();
}

/** After a kill some have read on and others have not: until the next start that looks like a fault. */
async function late({ read, lateReaders }: ReconcileOptions, client: Client): Promise<string[]> {
  const ofTable = async (): Promise<LateReader[]> =>
    (await hasTableLog(client)) ? lateOnTable(client, requestConsumed.name) : [];
  const readers = read === undefined ? await ofTable() : ((await lateReaders?.(requestConsumed.name)) ?? []);
  return readers.map(
    ({ reader, events }) =>
      `${reader} has not read ${events} events yet, and lacks what they tell; it reads them while Tollgate runs.`,
  );
}

async function scanOf(options: ReconcileOptions, client: Client, period: Period): Promise<Scan | undefined> {
  const isDense = options.read === undefined;
  if (isDense && !(await hasTableLog(client))) return undefined;
  const { read = tableReader(client), rate, tell } = options;
  return scanEvents({ client, period, read, rate, isDense, ...(tell && { tell }) });
}

const sinceBound = (check: BookCheck, { since }: Scan): BookCheck => ({
  ...check,
  query: check.query.replaceAll(':since', String(Number.isFinite(since) ? Math.ceil(since / 1000) : 1e12)),
});

class Checker {
  readonly faults: BookFault[] = [];
  unlisted = 0;

  constructor(
    readonly client: Client,
    private readonly options: { period: Period; tell: (step: string) => void; isCopy: boolean },
  ) {}

  get period(): Period {
    return this.options.period;
  }

  /** `schema` is where the query's tables are, unless it names them itself. */
  async run({ name, store, query }: BookCheck, schema?: string): Promise<void> {
    this.options.tell(`checking that ${name}`);
    await this.client.query(`set local search_path = ${schema ? `"${schema}"` : 'default'}`);
    const { rows } = await this.client.query<{ subject: string; expected: string; found: string; total: string }>(
      `select f.*, count(*) over () as "total" from (${this.bind(query)}) f limit ${LISTED}`,
    );
    await this.client.query('set local search_path = default');
    this.unlisted += Math.max(0, Number(rows[0]?.total ?? 0) - rows.length);
    for (const { subject, expected, found } of rows) this.add({ check: name, store, subject, expected, found });
  }

  private bind(query: string): string {
    return bindPeriod(this.options.isCopy ? aboutCopy(query) : query, this.period);
  }

  addEventFaults(scan: Scan | undefined): void {
    this.unlisted += scan?.unlisted ?? 0;
    for (const fault of scan?.faults ?? [])
      this.add({ check: 'the event log is whole', store: `event log, ${requestConsumed.name}`, ...fault });
  }

  private add(fault: Omit<BookFault, 'more'>): void {
    this.faults.push({ ...fault, more: `npm run tollgate -- show '${fault.subject}'` });
  }

  async sums(scan: Scan | undefined): Promise<StoreSum[]> {
    this.options.tell('adding up');
    const events = scan ? ` union all select 'events', count(*), coalesce(sum("quota"), 0) from "seen_event"` : '';
    const { rows } = await this.client.query<{ store: string; requests: string; units: string }>(
      this.bind(sumsQuery) + events,
    );
    return rows.map(({ store, requests, units }) => ({ store, requests: Number(requests), units: Number(units) }));
  }

  async usage(): Promise<ReconcileReport['usage']> {
    const { rows } = await this.client.query<{ source: string; requests: string; units: string }>(
      this.bind(usageQuery),
    );
    return rows.map(({ source, requests, units }) => ({ source, requests: Number(requests), units: Number(units) }));
  }
}
