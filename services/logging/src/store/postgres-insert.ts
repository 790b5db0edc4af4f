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

/**
 * Prepared, with one array per column: for batches of a hundred rows this takes PostgreSQL two thirds of the time of
 * JSON. The existing row of the event is looked up by a scalar subquery, because `not exists` becomes a join, which
 * reads the whole month if it has not been analysed yet.
 */
export const insert = {
  name: 'insert-log',
  text: `insert into "log" ("created_at", "event_id", "user_id", "type", "content", "username", "token_name", "model_name", "quota",
    "prompt_tokens", "completion_tokens", "use_time", "is_stream", "channel_id", "channel_name", "token_id", "group", "other")
  select e."created_at", e."event_id", e."user_id", e."type", case when x."user_id" is not null and e.${MAY_NAME} then '' else e."content" end,
    coalesce(x."pseudonym", e."username"), case when e."token_id" > 0 and x."user_id" is not null then '' else e."token_name" end, e."model_name",
    e."quota", e."prompt_tokens", e."completion_tokens", e."use_time", e."is_stream", e."channel_id", e."channel_name", e."token_id", e."group",
    case when x."user_id" is null then e."other" else bare_other(e."other") end
  from unnest($1::bigint[], $2::uuid[], $3::int[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[],
    $11::bigint[], $12::int[], $13::boolean[], $14::int[], $15::text[], $16::int[], $17::text[], $18::jsonb[]) as e("created_at", "event_id", "user_id",
    "type", "content", "username", "token_name", "model_name", "quota", "prompt_tokens", "completion_tokens", "use_time", "is_stream", "channel_id",
    "channel_name", "token_id", "group", "other")
  left join "erased_user" x on x."user_id" = e."user_id"
  where (
    select true from "log" l where l."event_id" = e."event_id"
      and l."created_at" between e."created_at" - ${SAME_EVENT_SECONDS} and e."created_at" + ${SAME_EVENT_SECONDS} limit 1) is null
  order by e."created_at", e."event_id"
  on conflict ("event_id", "created_at") do nothing
  returning "event_id", "username"`,
};

/** The columns of the rows as parameters, in the order of the insert statement. */
export const columnsOf = (rows: readonly NewLog[]): unknown[] => [
  plainColumn(rows.map(({ createdAt }) => createdAt)),
  plainColumn(rows.map(({ eventId }) => eventId)),
  plainColumn(rows.map(({ userId }) => userId)),
  plainColumn(rows.map(({ type }) => type)),
  textColumn(rows.map(({ content }) => content)),
  textColumn(rows.map(({ username }) => username)),
  textColumn(rows.map(({ tokenName }) => tokenName)),
  textColumn(rows.map(({ modelName }) => modelName)),
  plainColumn(rows.map(({ quota }) => quota)),
  plainColumn(rows.map(({ promptTokens }) => promptTokens)),
  plainColumn(rows.map(({ completionTokens }) => completionTokens)),
  plainColumn(rows.map(({ useTime }) => useTime)),
  plainColumn(rows.map(({ isStream }) => isStream)),
  plainColumn(rows.map(({ channelId }) => channelId)),
  textColumn(rows.map(({ channelName }) => channelName)),
  plainColumn(rows.map(({ tokenId }) => tokenId)),
  textColumn(rows.map(({ group }) => group)),
  jsonColumn(rows.map(({ other }) => other)),
];
