import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { storableJson, storableText } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { LogType } from './log.entity.js';
import type { LogDraft, RequestColumns } from './log-row.js';
import { type Names, NamesClient } from './names.client.js';

/** What failed requests say is the upstream's text, which may repeat what the person wrote; all other contents are made of numbers. */
export const MAY_NAME = `"type" = ${LogType.failed}`;

/**
 * A recovered request may state another end than the record that reached the log before its relay died, and so another
 * partition key: rows of the same event are looked for this far around.
 */
const SAME_EVENT_SECONDS = 86_400;

/**
 * Prepared, and with an array for each column: for batches of a hundred rows that takes PostgreSQL two thirds of the same as JSON. The row of the
 * same event is looked up for each, as a value: as `not exists` it is a join, for which a month that was not analysed yet is read whole.
 */
const insert = {
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

/** A draft with its names, as it was written. */
export type WrittenLog<Draft extends LogDraft> = Draft & { username: string };

@Injectable()
export class LogWriter {
  constructor(private readonly names: NamesClient) {}

  /** Asks other services, so not from within a transaction. */
  resolveNames(drafts: readonly LogDraft[]): Promise<Names> {
    return this.names.resolve({
      users: drafts.map(({ userId }) => userId),
      tokens: drafts.map(({ request }) => request?.tokenId ?? 0),
      channels: drafts.map(({ request }) => request?.channelId ?? 0),
    });
  }

  /** One statement in the caller's transaction. Answers the rows that were not there before: the event id is their key. Erased users are named by their pseudonym, however late. */
  async write<Draft extends LogDraft>(
    em: EntityManager,
    drafts: readonly Draft[],
    names: Names,
  ): Promise<WrittenLog<Draft>[]> {
    if (drafts.length === 0) return [];
    const unique = new Map(drafts.map((draft) => [draft.eventId.toLowerCase(), draft]));
    const rows = await bound<{ event_id: string; username: string }>(
      em,
      insert,
      columnsOf([...unique.values()], names),
    );
    return rows.flatMap(({ event_id: id, username }) => {
      const draft = unique.get(id);
      return draft ? [{ ...draft, username }] : [];
    });
  }
}

/** What the columns of requests hold in other rows. */
const noRequest = {
  modelName: '',
  quota: 0,
  promptTokens: 0,
  completionTokens: 0,
  useTime: 0,
  isStream: false,
  channelId: 0,
  tokenId: 0,
  group: '',
  other: null,
};

/** Numbers and identifiers need no quotes. */
const plain = (values: readonly (number | boolean | string)[]): string => `{${values.join()}}`;
const texts = (values: readonly string[]): string[] => values.map(storableText);

/** In the order of the statement. */
function columnsOf(drafts: readonly LogDraft[], names: Names): unknown[] {
  const requests = drafts.map(({ request }) => request ?? noRequest);
  return [
    plain(drafts.map(({ createdAt }) => createdAt)),
    plain(drafts.map(({ eventId }) => eventId)),
    plain(drafts.map(({ userId }) => userId)),
    plain(drafts.map(({ type }) => type)),
    texts(drafts.map(({ content }) => content)),
    texts(drafts.map(({ userId }) => names.user(userId))),
    texts(drafts.map(({ request }) => (request ? tokenName(request, names) : ''))),
    texts(requests.map(({ modelName }) => modelName)),
    plain(requests.map(({ quota }) => quota)),
    plain(requests.map(({ promptTokens }) => promptTokens)),
    plain(requests.map(({ completionTokens }) => completionTokens)),
    plain(requests.map(({ useTime }) => useTime)),
    plain(requests.map(({ isStream }) => isStream)),
    plain(requests.map(({ channelId }) => channelId)),
    texts(requests.map(({ channelId }) => names.channel(channelId))),
    plain(requests.map(({ tokenId }) => tokenId)),
    texts(requests.map(({ group }) => group)),
    requests.map(({ other }) => (other === null ? null : storableJson(other))),
  ];
}

/** The playground needs no token; its rows say which group paid. */
const tokenName = ({ tokenId, tokenName: named, group }: RequestColumns, names: Names): string =>
  tokenId === 0 ? (named ?? `playground-${group}`) : names.token(tokenId);
