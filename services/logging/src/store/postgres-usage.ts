import type { EntityManager } from '@mikro-orm/postgresql';
import { LogType } from '@tollgate/contracts';
import type { InvoiceRequest, RequestDoubt } from '@tollgate/contracts/api/invoice';
import { leastIdAt } from '@tollgate/chassis';
import { bound, NO_CHANNEL_TEST, sqlTimeOfId } from '@tollgate/database';
import type { DoubtfulRequests, DoubtSpan, UsageSpan, UsageSum } from './log-store.js';
import { countedSum, doubtTimes, FIRST_DAY, SUMMED_USAGE } from './usage-sums.js';

/** The time of admission, taken from the id. */
const admitted = `to_timestamp(${sqlTimeOfId('"event_id"')} / 1000.0)`;
const day = `to_char(${admitted} at time zone $1, 'YYYY-MM-DD')`;
const sent = `coalesce("other"->>'upstream_model_name', "model_name")`;
const number = (name: string): string => `coalesce(("other"->>'${name}')::numeric, 0)::bigint`;
/** Only Anthropic's prompt count excludes cached tokens. */
const input = `("prompt_tokens" + case when "other"->>'claude' = 'true' then ${number('cache_tokens')} + ${number('cache_creation_tokens')} else 0 end)`;

/**
 * The days as a range in seconds, with a margin: a request ends after its admission, and time zones differ by half a
 * day at most.
 */
const span = `"created_at" >= extract(epoch from $2::date)::bigint - 86400 and "created_at" < extract(epoch from $3::date)::bigint + 3 * 86400`;

/** Rows are read only for days without complete sums, i.e. days with rows from before the sums were introduced. */
const sums = `${SUMMED_USAGE}
  union all
  select "channel_id", ${day}, "model_name", ${sent}, coalesce("other"->>'usage_source', 'upstream'), count(*),
    sum(${input}), sum(${number('cache_tokens')}), sum("completion_tokens")
  from "log" where $2::date < ${FIRST_DAY} and "type" = ${LogType.consume} and ${NO_CHANNEL_TEST} and ${span} and "channel_id" = any($4::int[])
    and (${admitted} at time zone $1)::date between $2::date and $3::date and (${admitted} at time zone $1)::date < ${FIRST_DAY}
  group by 1, 2, 3, 4, 5 order by 2, 3, 4, 5, 1`;

/** Days from before the sums were introduced are summed from rows. */
export async function sumUsage(
  em: EntityManager,
  { channelIds, firstDay, lastDay, zone }: UsageSpan,
): Promise<UsageSum[]> {
  const rows = await bound<UsageSum>(em, sums, [zone, firstDay, lastDay, channelIds]);
  return rows.map(countedSum);
}

/**
 * Each of the channels that a request tried may have counted it, even if another one answered; so may a channel whose
 * attempt got no reply.
 */
const doubts: [RequestDoubt, string][] = [
  ['estimated', `"other"->>'usage_source' = 'estimated'`],
  ['requested', `"other"->>'usage_source' = 'requested'`],
  ['doubted', `"other"->>'usage_doubt' is not null`],
  ['cancelled', `"other"->>'outcome' = 'client_abort'`],
  ['cut', `"other"->>'outcome' in ('upstream_cut', 'quota_exhausted', 'interrupted')`],
  ['kept-back', `"other"->>'outcome' = 'sensitive_words'`],
  ['retried', `jsonb_array_length(coalesce("other"->'admin_info'->'use_channel', '[]')) > 1`],
  ['failed', `"type" = ${LogType.error}`],
  ['midnight', `to_char(to_timestamp("created_at") at time zone $1, 'YYYY-MM-DD') <> ${day}`],
];
/**
 * Ids are ordered by admission time and indexed, so this reads one day of the log. Requests end later, hence the range
 * of `created_at`, which excludes partitions.
 */
const doubtful = `with r as (
    select "event_id"::text as "request_id", "created_at", "channel_id", ${sent} as "model", ${input} as "input", "completion_tokens" as "output",
      array_remove(array[${doubts.map(([name, condition]) => `case when ${condition} then '${name}' end`).join(', ')}], null) as "doubts"
    from "log" where "type" in (${LogType.consume}, ${LogType.error}) and ${NO_CHANNEL_TEST} and "event_id" >= $6::uuid and "event_id" < $7::uuid and "created_at" >= $2::bigint and "created_at" < $3::bigint
      and ("channel_id" = any($4::int[]) or "other"->'admin_info'->'use_channel' ?| array(select c::text from unnest($4::int[]) c))
      and ${sent} = any($5::text[])
  )
  select *, count(*) over ()::int as "total" from r where cardinality("doubts") > 0
  order by "input" + "output" desc, "request_id" limit $8`;

type Found = Omit<InvoiceRequest, 'time' | 'input' | 'output'> &
  Record<'created_at' | 'input' | 'output', string> & { total: number };

/**
 * Requests of a day and model that the provider may have counted differently: the `limit` largest by tokens, and their
 * total number.
 */
export async function doubtfulRequests(em: EntityManager, span: DoubtSpan): Promise<DoubtfulRequests> {
  const { from, to, zone, channelIds, models, limit } = span;
  const [earliest, latest] = doubtTimes(span);
  const rows = await bound<Found>(em, doubtful, [
    ...[zone, earliest, latest, channelIds, models],
    ...[leastIdAt(from), leastIdAt(to), limit],
  ]);
  return {
    requests: rows.map(({ created_at: at, input: prompt, output, total: _, ...row }) => ({
      ...row,
      ...{ time: Number(at), input: Number(prompt), output: Number(output) },
    })),
    total: rows[0]?.total ?? 0,
  };
}
