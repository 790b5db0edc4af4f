import { LogType } from '@tollgate/contracts';
import type { LogOther } from '@tollgate/contracts/api/log';
import { AppError, type ColumnStore, storableJson, storableText, timeOfId } from '@tollgate/chassis';
import type { RowType } from '../log/log.entity.js';
import type { LogRow } from '../log/log-row.js';
import { toCount } from '../rowset.js';
import type { NamelessUser } from './log-store.js';

export const TABLE = 'usage_log';

/**
 * Names and types of the columns. A new column goes to the end; rows written before it have the default value of its type. Fields of
 * `other` that queries need have columns of their own, because old servers have no JSON functions.
 */
const COLUMN_TYPES = {
  ...{ created_at: 'Int64', event_id: 'String', id: 'Int64', version: 'UInt32', user_id: 'Int32', type: 'UInt8' },
  ...{ content: 'String', username: 'String', token_name: 'String', model_name: 'String', quota: 'Int64' },
  ...{ prompt_tokens: 'Int64', completion_tokens: 'Int64', use_time: 'Int32', is_stream: 'UInt8', channel_id: 'Int32' },
  ...{ channel_name: 'String', token_id: 'Int32', group: 'String', other: 'String', admitted: 'Int64', sent: 'String' },
  ...{ source: 'String', outcome: 'String', is_doubted: 'UInt8', is_test: 'UInt8', tried: 'Array(Int32)' },
  ...{ input: 'Int64', cached: 'Int64' },
} as const;

const definitions = Object.entries(COLUMN_TYPES).map(([name, type]) => `\`${name}\` ${type}`);

/**
 * A row that is inserted again replaces the one with the same key and a lower version. Reads use FINAL, which returns
 * one row per event even before the server has merged its parts.
 */
const CREATE_TABLE = `create table if not exists ${TABLE} (${definitions.join(', ')})
  engine = ReplacingMergeTree(version) partition by toYYYYMM(toDateTime(created_at, 'UTC')) order by (created_at, event_id)`;

async function missingDefinitions(columns: ColumnStore): Promise<string[]> {
  const present = await columns.query<{ name: string }>(
    `select name from system.columns where database = currentDatabase() and table = '${TABLE}'`,
  );
  return definitions.filter((definition) => !present.some(({ name }) => definition.startsWith(`\`${name}\` `)));
}

/** Creates the table, or adds the columns that the previous release did not have. Several replicas may do so at once. */
export async function makeColumnTable(columns: ColumnStore): Promise<void> {
  await columns.run(CREATE_TABLE);
  for (const definition of await missingDefinitions(columns))
    try {
      await columns.run(`alter table ${TABLE} add column ${definition}`);
    } catch (error) {
      if ((await missingDefinitions(columns)).includes(definition)) throw error;
    }
}

/** Throws `schema-outdated` when the table or one of its columns is missing; for processes that must not migrate. */
export async function requireColumnTable(columns: ColumnStore): Promise<void> {
  const missing = await missingDefinitions(columns);
  if (missing.length === 0) return;
  const what = missing.length === definitions.length ? `no table ${TABLE}` : `no column ${missing[0]} in ${TABLE}`;
  throw new AppError(
    'unavailable',
    'schema-outdated',
    `ClickHouse has ${what}. Run \`migrate\` first, or set TOLLGATE_MIGRATE=start.`,
  );
}

const columns = {
  createdAt: 'created_at',
  id: 'id',
  eventId: 'event_id',
  userId: 'user_id',
  type: 'type',
  content: 'content',
  username: 'username',
  tokenName: 'token_name',
  modelName: 'model_name',
  quota: 'quota',
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  useTime: 'use_time',
  isStream: 'is_stream',
  channelId: 'channel_id',
  channelName: 'channel_name',
  tokenId: 'token_id',
  group: 'group',
  other: 'other',
} as const satisfies Record<keyof LogRow, keyof typeof COLUMN_TYPES>;

export const columnOf = (name: keyof LogRow): string => `\`${columns[name]}\``;

/** The columns from which a row is restored. */
export const STORED = [...Object.values(columns), 'version'].map((column) => `\`${column}\``).join(', ');

/** A row in the format of the ClickHouse table, in which it also waits in PostgreSQL. */
export interface StoredRow {
  created_at: number;
  id: number;
  version: number;
  [column: string]: unknown;
}

export function toStored(row: LogRow, version = 0): StoredRow {
  const { other, isStream, ...rest } = row;
  const stored = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      columns[name as keyof LogRow],
      typeof value === 'string' ? storableText(value) : value,
    ]),
  );
  return {
    ...{ ...stored, created_at: row.createdAt, id: row.id, version },
    ...{ is_stream: isStream ? 1 : 0, other: other ? storableJson(other) : '' },
    ...drawn(row),
  };
}

/** Columns derived from `other` and from the id, for sums and checks. */
const drawn = (row: LogRow): Record<string, unknown> => ({
  admitted: Math.floor(timeOfId(row.eventId) / 1000),
  sent: storableText(row.other?.upstream_model_name ?? row.modelName),
  ...outcomeColumns(row.other ?? {}),
  is_test: isTest(row) ? 1 : 0,
  ...readTokens(row),
});

const outcomeColumns = ({ usage_source: source, outcome, usage_doubt: doubt, admin_info: info }: LogOther) => ({
  source: source ?? 'upstream',
  outcome: outcome ?? '',
  is_doubted: doubt === undefined ? 0 : 1,
  tried: (info?.use_channel ?? []).map(Number),
});

function readTokens({ promptTokens, other }: LogRow): { input: number; cached: number } {
  const { claude, cache_tokens: read = 0, cache_creation_tokens: written = 0 } = other ?? {};
  // Only Anthropic's prompt count excludes cached tokens.
  return {
    input: promptTokens + (claude === true ? Math.floor(read) + Math.floor(written) : 0),
    cached: Math.floor(read),
  };
}

/** Whether the row is of a channel test; must match `NO_CHANNEL_TEST`. */
const isTest = ({ tokenId, other }: Pick<LogRow, 'tokenId' | 'other'>): boolean =>
  tokenId === 0 && other?.channel_test !== undefined;

/** The inverse of `toStored`. */
export function fromStored(found: Record<string, unknown>): LogRow {
  const count = (name: keyof LogRow): number => toCount(found[columns[name]]);
  const text = (name: keyof LogRow): string => String(found[columns[name]]);
  const other = text('other');
  return {
    ...{ createdAt: count('createdAt'), id: count('id'), eventId: text('eventId'), userId: count('userId') },
    ...{ type: count('type') as RowType, content: text('content'), username: text('username') },
    ...{ tokenName: text('tokenName'), modelName: text('modelName'), quota: count('quota') },
    ...{ promptTokens: count('promptTokens'), completionTokens: count('completionTokens'), useTime: count('useTime') },
    ...{ isStream: count('isStream') === 1, channelId: count('channelId'), channelName: text('channelName') },
    ...{ tokenId: count('tokenId'), group: text('group') },
    other: other === '' ? null : (JSON.parse(other) as LogOther),
  };
}

/** The row without anything that may name its user, whichever name it was written under. */
export function withoutNames<Row extends Omit<LogRow, 'id'>>(row: Row, { pseudonym }: Pick<NamelessUser, 'pseudonym'>) {
  return {
    ...row,
    username: pseudonym,
    tokenName: row.tokenId > 0 ? '' : row.tokenName,
    // The content of failed requests is the upstream's message, which may repeat text of the person.
    content: row.type === LogType.error ? '' : row.content,
    other: row.other && bareOther(row.other),
  };
}

function bareOther(other: LogOther): LogOther {
  const { admin_info: info } = other;
  if (!info?.attempts) return other;
  return { ...other, admin_info: { ...info, attempts: info.attempts.map(({ message: _, ...attempt }) => attempt) } };
}
