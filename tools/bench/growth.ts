import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { LoadProgram } from './programs.js';
import type { Stage } from './stage.js';
import { cpuOf } from './system.js';

const CONNECTIONS = 32;
const WARM_SECONDS = 5;
const LOAD_SECONDS = 5;
/** A replica learns of a change within a second and may need some time to load a long list. */
const PROPAGATION_MS = 5000;

/** Sizes of the two lists that grow. */
const CHANNELS = [1, 100, 1000, 10_000];
const TOKENS = [1, 10_000, 1_000_000];

export interface GrowthRow {
  what: string;
  count: number;
  /** CPU microseconds per request: of the relay, and of all processes until every request is booked and logged. */
  relay: number;
  all: number;
}

interface Column {
  name: string;
  isNullable: boolean;
  isUnique: boolean;
}

/**
 * Measures the cost of a JSON request as the number of channels of the same model grows, and as the number of users
 * with a token each grows.
 */
export async function measureGrowth(
  stage: Stage,
  load: LoadProgram,
  say: (line: string) => void,
): Promise<GrowthRow[]> {
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const rows: GrowthRow[] = [];
  const take = async (what: string, count: number): Promise<void> => {
    say(`growth: ${count} ${what}`);
    await pause(PROPAGATION_MS);
    rows.push({ what, count, ...(await costOf(stage, load)) });
  };
  try {
    for (const [at, count] of CHANNELS.entries()) {
      // A lower priority than the channel in use, so that the relay keeps choosing that one.
      await copies(client, 'channel.channel', { from: CHANNELS[at - 1] ?? 1, to: count }, { priority: '-1' });
      await client.query('update channel.routing_revision set revision = revision + 1');
      await take('channels', count);
    }
    await client.query('delete from channel.channel where priority = -1');
    await client.query('update channel.routing_revision set revision = revision + 1');
    for (const [at, count] of TOKENS.entries()) {
      const range = { from: TOKENS[at - 1] ?? 1, to: count };
      await copies(client, 'billing.account', range, { user_id: '1000000 + n' });
      await copies(client, 'billing.token', range, { user_id: '1000000 + n' });
      // Maintenance that PostgreSQL would otherwise do in the background while the requests are measured.
      await client.query('vacuum analyze billing.account, billing.token');
      await client.query('checkpoint');
      await take('users with a token', count);
    }
    return rows;
  } finally {
    await client.end();
  }
}

async function costOf(stage: Stage, load: LoadProgram): Promise<Pick<GrowthRow, 'relay' | 'all'>> {
  const { relay, processes } = stage;
  const order = { ...relay, kind: 'json' as const, connections: CONNECTIONS, warmSeconds: 0 };
  await load.run({ ...order, seconds: WARM_SECONDS });
  await stage.settled();
  const before = processes.map(cpuOf);
  const { requests, failures, failure } = await load.run({ ...order, seconds: LOAD_SECONDS });
  if (failures > 0 || requests === 0) throw new Error(`${failures} failures, the first one: ${failure}`);
  await stage.settled();
  const spent = processes.map((process, at) => (1e6 * (cpuOf(process) - (before[at] ?? 0))) / requests);
  return { relay: spent[0] ?? 0, all: spent.reduce((sum, one) => sum + one, 0) };
}

/**
 * Inserts copies `from` (inclusive) to `to` (exclusive) of the first row of a table, with new values in its unique
 * columns. `values` are SQL expressions of `n`, the number of the copy.
 */
async function copies(
  client: Client,
  table: string,
  { from, to }: { from: number; to: number },
  values: Record<string, string>,
): Promise<void> {
  if (to <= from) return;
  const columns = (await columnsOf(client, table)).filter(({ name }) => name !== 'id');
  const valueOf = ({ name, isNullable, isUnique }: Column): string => {
    if (values[name] !== undefined) return values[name];
    if (!isUnique) return `sample."${name}"`;
    return isNullable ? 'null' : `'bench-' || n`;
  };
  await client.query(
    `insert into ${table} (${columns.map(({ name }) => `"${name}"`).join()})
     select ${columns.map(valueOf).join()} from (select * from ${table} order by 1 limit 1) as sample, generate_series($1::int, $2::int) as n`,
    [from, to - 1],
  );
}

async function columnsOf(client: Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select a.attname as name, not a.attnotnull as "isNullable",
       exists (select from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey)) as "isUnique"
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
    [table],
  );
  return rows;
}
