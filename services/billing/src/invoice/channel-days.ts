import type { EntityManager } from '@mikro-orm/postgresql';
import { leastIdAt } from '@tollgate/chassis';
import { bound, sqlTimeOfId } from '@tollgate/database';
import { nearestUnits, units } from '../units.js';
import type { JournalSum } from './match.js';

const DAY_MS = 86_400_000;

const start = `(select "first_day" from "channel_day_start" where "zone" = $2)`;
const admitted = `to_timestamp(${sqlTimeOfId('"id"')} / 1000.0) at time zone $2`;

/** Postings are read only for days before `channel_day` began, since its sums for those days would be incomplete. */
const sums = `select to_char("day", 'YYYY-MM-DD') as "day", "channel_id" as "channelId", "model", "sent", sum("requests") as "requests",
    sum("sales") as "sales", sum("cost") as "cost", sum("costed") as "costed"
  from "channel_day" where "channel_id" = any($1::int[]) and "zone" = $2 and "day" between $3::date and $4::date and "day" >= ${start}
  group by 1, 2, 3, 4
  union all
  select to_char(${admitted}, 'YYYY-MM-DD'), "channel_id", "model", "upstream_model", count(*), sum("amount"), coalesce(sum("cost"), 0), count("cost")
  from "posting" where $3::date < ${start} and "code" = 'consumption' and "reason" is distinct from 'failed' and "id" >= $5::uuid and "id" < $6::uuid
    and "channel_id" = any($1::int[]) and (${admitted})::date between $3::date and $4::date and (${admitted})::date < ${start}
  group by 1, 2, 3, 4`;

interface Span {
  channelIds: readonly number[];
  /** First and last day, inclusive, in local time of `zone`, YYYY-MM-DD. */
  firstDay: string;
  lastDay: string;
  zone: string;
}

/** Sales of channels by day and model. Days before `channel_day` began are added up from the journal. */
export async function channelDays(
  em: EntityManager,
  { channelIds, firstDay, lastDay, zone }: Span,
): Promise<JournalSum[]> {
  // One day of margin on each side covers every time zone.
  const from = leastIdAt(Date.parse(firstDay) - DAY_MS);
  const to = leastIdAt(Date.parse(lastDay) + 2 * DAY_MS);
  const params = [channelIds, zone, firstDay, lastDay, from, to];
  const rows = await bound<Record<keyof JournalSum, string>>(em, sums, params);
  return rows.map(({ channelId, day, model, sent, requests, sales, cost, costed }) => ({
    ...{ channelId: Number(channelId), day, model, sent },
    ...{ requests: units(requests), sales: nearestUnits(sales), cost: nearestUnits(cost), costed: units(costed) },
  }));
}
