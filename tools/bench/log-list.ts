import { Client } from 'pg';
import { median } from './median.js';
import type { Stage } from './stage.js';

const FEW_ROWS = 10_000;
const SHARE = 500_000;
const ASKED = 25;
const MONTHS = 12;
const MONTH_SECONDS = 30 * 86_400;

interface LogListRow {
  filter: string;
  /** Median milliseconds to read the newest page from a short log and from a long one. */
  few: number;
  many: number;
}

export interface LogList {
  fewRows: number;
  manyRows: number;
  rows: LogListRow[];
}

/** Every documented filter of the log, each with a value that matches some of many rows. */
function filters(now: number): Record<string, string> {
  const since = now - 20 * MONTH_SECONDS;
  return {
    'no filter': '',
    'type, consumption': 'type=2',
    'type, failures': 'type=5',
    username: 'username=user7',
    'token name': 'token_name=token70',
    model: 'model_name=model3',
    channel: 'channel=5',
    group: 'group=group2',
    'time, a year': `start_timestamp=${since}&end_timestamp=${now}`,
    'time, an old day': `start_timestamp=${now - 40 * 86_400}&end_timestamp=${now - 39 * 86_400}`,
    'user and model': 'username=user7&model_name=model3',
    'rare failure of a user': 'username=user50&type=5',
    'model and channel': 'model_name=model3&channel=5',
    'model and group': 'model_name=model3&group=group2',
    'token and channel': 'token_name=token70&channel=30',
    'request id': 'request_id=00000000-0000-7000-8000-000000000777',
  };
}

/** Creates the monthly partitions of a year, as they would have been created over time. */
async function makeMonths(client: Client, now: number): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `select inhrelid::regclass::text as table from pg_inherits where inhparent = 'logging.log'::regclass`,
  );
  for (const { table } of rows)
    await client.query(table.endsWith('default') ? `truncate ${table}` : `drop table ${table}`);
  for (let month = 0; month < MONTHS; month += 1) {
    const to = now - month * MONTH_SECONDS;
    await client.query(
      `create table logging.bench_log_${month} partition of logging.log for values from (${to - MONTH_SECONDS}) to (${to})`,
    );
  }
}

/**
 * Inserts rows `from` to `to` of a log that spreads evenly over the year, newest first; one in fifty is a failed
 * request.
 */
async function fill(
  client: Client,
  now: number,
  { from, to, rows }: Record<'from' | 'to' | 'rows', number>,
): Promise<void> {
  const step = (MONTHS * MONTH_SECONDS) / rows;
  for (let first = from; first < to; first += SHARE) {
    await client.query(
      `insert into logging.log (created_at, event_id, user_id, type, content, username, token_name, model_name, quota,
         prompt_tokens, completion_tokens, use_time, channel_id, channel_name, token_id, "group", other)
       select ${now} - 1 - floor(n * ${step})::bigint, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
         n % 997 + 1, case when n % 50 = 0 then 5 else 2 end, 'a row of the log', 'user' || n % 997, 'token' || n % 4999,
         'model' || n % 37, case when n % 50 = 0 then 0 else n % 9999 end, n % 3000, n % 700, n % 30, n % 41 + 1,
         'channel' || n % 41, n % 4999 + 1, 'group' || n % 5, '{"group_ratio": 1, "model_ratio": 2.5}'::jsonb
       from generate_series($1::bigint, $2::bigint) as n`,
      [first, Math.min(first + SHARE, to) - 1],
    );
  }
  await client.query('vacuum analyze logging.log');
}

async function timeOf({ site }: Stage, query: string): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < ASKED; turn += 1) {
    const startedAt = performance.now();
    const page = await site.root.data<{ items: unknown[] }>('GET', `/api/log/?p=1&page_size=20&${query}`);
    times.push(performance.now() - startedAt);
    if (page.items.length === 0) throw new Error(`nothing was found by ${query}`);
  }
  return median(times);
}

/**
 * Measures reading the newest page of the log with each filter, over few rows and over `manyRows`. Empties the
 * cluster's log first.
 */
export async function measureLogList(stage: Stage, manyRows: number, say: (line: string) => void): Promise<LogList> {
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  try {
    const now = Math.floor(Date.now() / 1000);
    await makeMonths(client, now);
    const times = async (): Promise<number[]> => {
      const found: number[] = [];
      for (const query of Object.values(filters(now))) found.push(await timeOf(stage, query));
      return found;
    };
    await fill(client, now, { from: 0, to: FEW_ROWS, rows: FEW_ROWS });
    await times();
    const few = await times();
    say(`log: filling in ${manyRows} rows`);
    await client.query('truncate logging.log');
    await fill(client, now, { from: 0, to: manyRows, rows: manyRows });
    const many = await times();
    const rows = Object.keys(filters(now)).map((filter, at) => ({ filter, few: few[at] ?? 0, many: many[at] ?? 0 }));
    return { fewRows: FEW_ROWS, manyRows, rows };
  } finally {
    await client.end();
  }
}
