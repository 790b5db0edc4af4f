import { LogType } from '@tollgate/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RequestDoubt } from '@tollgate/contracts/api/invoice';
import { leastIdAt, timeOfId } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import type { LogRow } from '../log/log-row.js';
import { rowset } from '../rowset.js';
import { literal, literals } from './clickhouse-conditions.js';
import type { StoredRow } from './clickhouse-rows.js';
import type { DoubtfulRequests, DoubtSpan, UsageSpan, UsageSum } from './log-store.js';
import { countedSum, doubtTimes, SUMMED_USAGE } from './usage-sums.js';

const HOUR_MS = 3_600_000;
const DAY = 86_400;

const USAGE = `"channel_id", "zone", "day", "model", "sent", "source", "shard"`;
/** Like the trigger for rows in PostgreSQL: summed by hour first, since days begin on the hour in each zone. */
const addUsage = `insert into "channel_usage" as u (${USAGE}, "requests", "input", "cached", "output")
  select h."channelId", z."zone", (to_timestamp(h."hour" * 3600) at time zone z."zone")::date, h."model", h."sent", h."source", pg_backend_pid() % 8,
    sum(h."requests"), sum(h."input"), sum(h."cached"), sum(h."output")
  from json_to_recordset($1::json) as h("channelId" int, "hour" bigint, "model" text, "sent" text, "source" text, "requests" bigint,
    "input" bigint, "cached" bigint, "output" bigint)
  cross join (values ('UTC'), ('America/Los_Angeles')) as z("zone")
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (${USAGE}) do update set "requests" = u."requests" + excluded."requests", "input" = u."input" + excluded."input",
    "cached" = u."cached" + excluded."cached", "output" = u."output" + excluded."output"`;

const isUsage = ({ type, channelId }: LogRow, { is_test: isTest }: StoredRow): boolean =>
  type === LogType.consume && channelId > 0 && isTest === 0;

/** Adds rows to the sums per channel, in the transaction that adds the rows. */
export async function noteUsage(em: EntityManager, rows: readonly (readonly [LogRow, StoredRow])[]): Promise<void> {
  const used = rows.flatMap(([row, stored]) => {
    if (!isUsage(row, stored)) return [];
    const { channelId, eventId, completionTokens: output } = row;
    const { model_name: model, sent, source, input, cached } = stored;
    const hour = Math.floor(timeOfId(eventId) / HOUR_MS);
    return [{ channelId, hour, model, sent, source, requests: 1, input, cached, output }];
  });
  if (used.length > 0) await bound(em, addUsage, [rowset(used)]);
}

/** The first day with complete sums, limited to the requested days and the day after them. */
const firstSummed = `select to_char(greatest($2::date, least("first_day", $3::date + 1)), 'YYYY-MM-DD') as "day"
  from "channel_usage_start" where "zone" = $1`;

export const summedUsage = (
  em: EntityManager,
  { channelIds, firstDay, lastDay, zone }: UsageSpan,
): Promise<UsageSum[]> => bound<UsageSum>(em, SUMMED_USAGE, [zone, firstDay, lastDay, channelIds]);

/** Usage of days before this one is summed from rows. */
export async function summedFrom(em: EntityManager, { firstDay, lastDay, zone }: UsageSpan): Promise<string> {
  const [row] = await bound<{ day: string }>(em, firstSummed, [zone, firstDay, lastDay]);
  return row?.day ?? firstDay;
}

const secondsOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

/**
 * The days as a range in seconds, with a margin: a request ends after its admission, and time zones differ by half a
 * day at most.
 */
export function usageOfRows(table: string, { channelIds, firstDay, zone }: UsageSpan, until: string): string {
  const day = `substring(toString(toDateTime(admitted), ${literal(zone)}), 1, 10)`;
  return `select channel_id as channelId, ${day} as day, model_name as model, sent, source, count() as requests, sum(input) as input,
      sum(cached) as cached, sum(completion_tokens) as output
    from (select * from ${table} and type = ${LogType.consume} and is_test = 0 and channel_id in ${literals(channelIds)}
      and created_at >= ${literal(secondsOf(firstDay) - DAY)} and created_at < ${literal(secondsOf(until) + 3 * DAY)})
    where day >= ${literal(firstDay)} and day < ${literal(until)} group by channelId, day, model, sent, source`;
}

export const toSum = (row: UsageSum): UsageSum => ({ ...countedSum(row), channelId: Number(row.channelId) });

const keyOf = ({ day, model, sent, source, channelId }: UsageSum): string =>
  [day, model, sent, source, String(channelId).padStart(10, '0')].join('\0');

export const inOrder = (rows: readonly UsageSum[]): UsageSum[] =>
  [...rows].sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));

const CUT = ['upstream_cut', 'quota_exhausted', 'interrupted'];

/**
 * Each of the channels that a request tried may have counted it, even if another one answered; so may a channel whose
 * attempt got no reply.
 */
const doubts = ({ from, to }: DoubtSpan): [RequestDoubt, string][] => [
  ['estimated', `source = 'estimated'`],
  ['requested', `source = 'requested'`],
  ['doubted', 'is_doubted = 1'],
  ['cancelled', `outcome = 'client_abort'`],
  ['cut', `outcome in ${literals(CUT)}`],
  ['kept-back', `outcome = 'sensitive_words'`],
  ['retried', 'length(tried) > 1'],
  ['failed', `type = ${LogType.error}`],
  // The ids are of this day, so a request outside of it ended on another day.
  ['midnight', `(created_at * 1000 < ${literal(Math.floor(from))} or created_at * 1000 >= ${literal(Math.floor(to))})`],
];

type Found = Record<'request_id' | 'channel_id' | 'model' | 'time' | 'input' | 'output' | 'total', string> & {
  doubts: number[];
};

/** Queries for the number of requests with a doubt, and for those with the largest usage. */
export function doubtfulRows(table: string, span: DoubtSpan): { count: string; list: string } {
  const { channelIds, models, from, to, limit } = span;
  const [earliest, latest] = doubtTimes(span);
  const tests = doubts(span).map(([, test]) => test);
  const rows = `${table} and type in (${LogType.consume}, ${LogType.error}) and is_test = 0 and event_id >= ${literal(leastIdAt(from))} and event_id < ${literal(leastIdAt(to))}
    and created_at >= ${literal(earliest)} and created_at < ${literal(latest)}
    and (channel_id in ${literals(channelIds)} or hasAny(tried, [${channelIds.map(literal).join(', ')}]))
    and sent in ${literals(models)} and (${tests.join(' or ')})`;
  return {
    count: `select count() as total from ${rows}`,
    list: `select event_id as request_id, channel_id, sent as model, created_at as time, input, completion_tokens as output, [${tests.join(', ')}] as doubts
      from ${rows} order by input + completion_tokens desc, event_id limit ${literal(limit)}`,
  };
}

export const toDoubtful = (span: DoubtSpan, found: readonly Found[], total: number): DoubtfulRequests => ({
  requests: found.map((row) => ({
    ...{ request_id: row.request_id, channel_id: Number(row.channel_id), model: row.model },
    ...{ time: Number(row.time), input: Number(row.input), output: Number(row.output) },
    doubts: doubts(span).flatMap(([name], index) => (Number(row.doubts[index]) === 1 ? name : [])),
  })),
  total,
});
