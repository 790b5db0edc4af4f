import { LogType } from '@tollgate/contracts';
import { jsonColumn, plainColumn, textColumn } from '@tollgate/database';
import type { NewLog } from './log-store.js';

/**
 * The content of failed requests is the upstream's message, which may repeat text of the person; other contents are
 * composed of numbers.
 */
export const MAY_NAME = `"type" = ${LogType.error}`;

/**
 * A request recovered after its relay died may state another end time than the record that had reached the log before,
 * and so another partition key. Rows of the same event are searched within this distance.
 */
const SAME_EVENT_SECONDS = 86_400;

interface Column {
  name: string;
  type: string;
  /** The values of some rows as one parameter. */
  values: (rows: readonly NewLog[]) => unknown;
  /** What is stored for a row `e` of an erased user `x`, where that is not what the row has. */
  ofErased?: string;
}

const plain = (name: string, type: string, of: (row: NewLog) => number | boolean | string): Column => ({
  ...{ name, type },
  values: (rows) => plainColumn(rows.map(of)),
});
const text = (name: string, of: (row: NewLog) => string, ofErased?: string): Column => ({
  ...{ name, type: 'text', ...(ofErased !== undefined && { ofErased }) },
  values: (rows) => textColumn(rows.map(of)),
});

/** Every column but the id, which the database assigns; the compiler reports a member of the row that is missing. */
const COLUMNS: readonly Column[] = Object.values({
  createdAt: plain('created_at', 'bigint', ({ createdAt }) => createdAt),
  eventId: plain('event_id', 'uuid', ({ eventId }) => eventId),
  userId: plain('user_id', 'int', ({ userId }) => userId),
  type: plain('type', 'smallint', ({ type }) => type),
  content: text('content', ({ content }) => content, `case when e.${MAY_NAME} then '' else e."content" end`),
  username: text('username', ({ username }) => username, 'x."pseudonym"'),
  tokenName: text(
    'token_name',
    ({ tokenName }) => tokenName,
    `case when e."token_id" > 0 then '' else e."token_name" end`,
  ),
  modelName: text('model_name', ({ modelName }) => modelName),
  quota: plain('quota', 'bigint', ({ quota }) => quota),
  promptTokens: plain('prompt_tokens', 'bigint', ({ promptTokens }) => promptTokens),
  completionTokens: plain('completion_tokens', 'bigint', ({ completionTokens }) => completionTokens),
  useTime: plain('use_time', 'int', ({ useTime }) => useTime),
  isStream: plain('is_stream', 'boolean', ({ isStream }) => isStream),
  channelId: plain('channel_id', 'int', ({ channelId }) => channelId),
  channelName: text('channel_name', ({ channelName }) => channelName),
  tokenId: plain('token_id', 'int', ({ tokenId }) => tokenId),
  group: text('group', ({ group }) => group),
  other: {
    ...{ name: 'other', type: 'jsonb', ofErased: 'bare_other(e."other")' },
    values: (rows) => jsonColumn(rows.map(({ other }) => other)),
  },
} satisfies Record<keyof NewLog, Column>);

const NAMES = COLUMNS.map(({ name }) => `"${name}"`).join(', ');
const PARAMETERS = COLUMNS.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
const STORED = COLUMNS.map(({ name, ofErased }) =>
  ofErased === undefined ? `e."${name}"` : `case when x."user_id" is null then e."${name}" else ${ofErased} end`,
).join(', ');

/**
 * Prepared, with one array per column: for batches of a hundred rows this takes PostgreSQL two thirds of the time of
 * JSON. The existing row of the event is looked up by a scalar subquery, because `not exists` becomes a join, which
 * reads the whole month if it has not been analysed yet.
 */
export const insert = {
  name: 'insert-log',
  text: `insert into "log" (${NAMES})
  select ${STORED}
  from unnest(${PARAMETERS}) as e(${NAMES})
  left join "erased_user" x on x."user_id" = e."user_id"
  where (
    select true from "log" l where l."event_id" = e."event_id"
      and l."created_at" between e."created_at" - ${SAME_EVENT_SECONDS} and e."created_at" + ${SAME_EVENT_SECONDS} limit 1) is null
  order by e."created_at", e."event_id"
  on conflict ("event_id", "created_at") do nothing
  returning "event_id", "username"`,
};

/** The columns of the rows as parameters, in the order of the insert statement. */
export const columnsOf = (rows: readonly NewLog[]): unknown[] => COLUMNS.map(({ values }) => values(rows));
