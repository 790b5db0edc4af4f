import { LogType } from '@tollgate/contracts';
import { AppError, type ColumnStore } from '@tollgate/chassis';
import type { LogAbout, Period } from '@tollgate/database';
import { rowset, toCount } from '../rowset.js';
import { REMOVAL } from '../store/clickhouse-clear.js';
import { type Cleared, literal, literals, visible, where } from '../store/clickhouse-conditions.js';
import { STORED, type StoredRow, TABLE } from '../store/clickhouse-rows.js';

/** A connection to the platform's database, as the reconciliation uses it. */
interface Connection {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

const COPY = 'pg_temp."log"';
const COLUMNS = {
  id: 'bigint',
  created_at: 'bigint',
  event_id: 'uuid',
  user_id: 'int',
  username: 'text',
  token_id: 'int',
  type: 'int',
  model_name: 'text',
  quota: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  channel_id: 'int',
  content: 'text',
  other: 'jsonb',
} as const;
/** Only the content of payment rows is needed. */
const NAMES = Object.keys(COLUMNS).map((name) =>
  name === 'content' ? `if(type = ${LogType.topUp}, content, '') as content` : `\`${name}\``,
);
const typed = Object.entries(COLUMNS).map(([name, type]) => `"${name}" ${type}`);

const MAKE_COPY = `create temp table "log" (${typed.join(', ')})`;
/** Writers hold this lock shared until their transaction ends. */
const LOCK = `hashtextextended('tollgate:log-rows', 0)`;
const ADD = `insert into ${COPY} select "id", "created_at", "event_id", "user_id", "username", "token_id", "type", "model_name", "quota",
    "prompt_tokens", "completion_tokens", "channel_id", "content", nullif("other", '')::jsonb
  from json_to_recordset($1::json) as r(${typed.join(', ').replace('"other" jsonb', '"other" text')})`;
const INDEX = `create index on "log" ("event_id")`;

const ROWS_AT_ONCE = 5_000;
/** A limit, because the ids of pending rows are listed in a statement. */
const MOST_PENDING = 20_000;
const DAY_MS = 86_400_000;
/** How far the time of a row may differ from the time in its id, in both directions. */
const EARLIER_MS = DAY_MS;
const LATER_MS = 8 * DAY_MS;
/** Time and id of the rows that carry the sums of everything outside the period: they lie in no period. */
const NEVER = { created_at: '-1000000000000', event_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** The state that PostgreSQL keeps about the log, as of the transaction. */
interface View {
  cleared: Cleared[];
  /** Committed rows that may or may not be in ClickHouse yet, in their latest version. */
  pending: StoredRow[];
}

/**
 * Makes the usage log in ClickHouse available to SQL statements in PostgreSQL: the temporary table `log` of the
 * connection gets the rows as of the connection's transaction. The last assigned id shows what was committed by then;
 * rows that are not in ClickHouse yet are taken from `log_pending`.
 */
export class ColumnLog {
  constructor(private readonly columns: ColumnStore) {}

  /**
   * Called before the read-only transaction, in which no table can be created. From here until the transaction has
   * taken its snapshot, nobody can add rows.
   */
  async prepare(client: Connection): Promise<void> {
    await client.query(MAKE_COPY);
    await client.query(INDEX);
    await client.query(`select pg_advisory_lock_shared(${REMOVAL})`);
    await client.query(`select pg_advisory_lock(${LOCK})`);
  }

  /** Called inside the transaction, which takes its snapshot with the first statement of this method. */
  async fill(client: Connection, period: Period, reportStep: (step: string) => void): Promise<void> {
    const last = await this.lastNumber(client);
    const view = await viewOf(client);
    const common = [`id <= ${literal(last)}`, ...visible(view.cleared), ...notPending(view)];
    const span = `created_at >= ${literal(seconds(period.from - EARLIER_MS))} and created_at < ${literal(seconds(period.to + LATER_MS))}`;
    const rows = `select ${NAMES.join(', ')} from ${TABLE} final${where([span, ...common])}`;
    await this.copy(client, this.columns.stream<object>(rows), (count) =>
      reportStep(`reading the usage log, ${count} so far`),
    );
    await add(client, view.pending);
    // The total used by a channel is the sum over all of its rows, so the rows outside the period are added as one sum
    // per channel.
    const others = await this.columns.query<{ channel_id: number; quota: string }>(
      `select channel_id, sum(quota) as quota from ${TABLE} final${where([`not (${span})`, `type = ${LogType.consume}`, 'is_test = 0', ...common])} group by channel_id`,
    );
    await add(
      client,
      others.map((sum) => ({ ...sum, ...NEVER, id: 0, type: 2, token_id: 0, user_id: 0 })),
    );
    // After a failure the connection is closed, which releases its locks.
    await client.query(`select pg_advisory_unlock_shared(${REMOVAL})`);
    await client.query(`analyze ${COPY}`);
  }

  /** Rows as they are stored, oldest first. */
  async about(client: Connection, about: LogAbout, limit: number): Promise<object[]> {
    const view = await viewOf(client);
    const tests = [...testsAbout(about), ...visible(view.cleared), ...notPending(view)];
    const found = await this.columns.query<Record<string, unknown>>(
      `select ${STORED} from ${TABLE} final${where(tests)} order by created_at desc, id desc limit ${literal(limit)}`,
    );
    const pending = view.pending.filter((row) => isAbout(row, about));
    return [...found.reverse(), ...pending].map(shown);
  }

  private async lastNumber(client: Connection): Promise<number> {
    const { rows } = await client.query<{ last: unknown }>(`select "last_value" as "last" from "logging"."log_id_seq"`);
    await client.query(`select pg_advisory_unlock(${LOCK})`);
    return toCount(rows[0]?.last);
  }

  private async copy(
    client: Connection,
    rows: AsyncIterable<object>,
    reportCount: (count: number) => void,
  ): Promise<void> {
    let some: object[] = [];
    let count = 0;
    for await (const row of rows) {
      some.push(row);
      if (some.length < ROWS_AT_ONCE) continue;
      await add(client, some);
      reportCount((count += some.length));
      some = [];
    }
    await add(client, some);
  }
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

async function add(client: Connection, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await client.query(ADD, [rowset(rows)]);
}

async function viewOf(client: Connection): Promise<View> {
  const cleared = await client.query<Record<keyof Cleared, unknown>>(
    `select "before", "id" from "logging"."log_cleared"`,
  );
  const { rows } = await client.query<{ row: string }>(
    `select distinct on ("id") "row" from "logging"."log_pending" order by "id", "version" desc limit ${MOST_PENDING + 1}`,
  );
  if (rows.length > MOST_PENDING)
    throw new AppError(
      'unavailable',
      'log-behind',
      `More than ${MOST_PENDING} rows of the usage log wait to be moved to ClickHouse: try again once they are there.`,
    );
  const bounds = cleared.rows.map(({ before, id }) => ({ before: toCount(before), id: toCount(id) }));
  const pending = rows.map(({ row }) => JSON.parse(row) as StoredRow);
  const isCleared = ({ created_at: at, id }: StoredRow): boolean =>
    bounds.some((bound) => at < bound.before && id <= bound.id);
  return { cleared: bounds, pending: pending.filter((row) => !isCleared(row)) };
}

const notPending = ({ pending }: View): string[] =>
  pending.length === 0 ? [] : [`not (id in ${literals(pending.map(({ id }) => id))})`];

const columnsOf = ({ eventId, channelId, userId, modelName }: LogAbout): [string, string | number][] =>
  Object.entries({ event_id: eventId, channel_id: channelId, user_id: userId, model_name: modelName }).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, value] as [string, string | number]]),
  );

const testsAbout = (about: LogAbout): string[] => [
  ...columnsOf(about).map(([name, value]) => `${name} = ${literal(value)}`),
  ...(about.types === undefined ? [] : [`type in ${literals(about.types)}`]),
  ...(about.from === undefined ? [] : [`created_at >= ${literal(about.from)}`]),
  ...(about.to === undefined ? [] : [`created_at <= ${literal(about.to)}`]),
];

const isAbout = (row: StoredRow, about: LogAbout): boolean =>
  columnsOf(about).every(([name, value]) => row[name] === value) &&
  (about.types?.includes(Number(row['type'])) ?? true) &&
  row.created_at >= (about.from ?? -Infinity) &&
  row.created_at <= (about.to ?? Infinity);

function shown({ other, ...row }: Record<string, unknown>): object {
  return { ...row, other: other === '' ? null : (JSON.parse(String(other)) as unknown) };
}
