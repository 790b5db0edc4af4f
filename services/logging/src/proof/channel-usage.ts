import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { sumChannelUsage } from '@tollgate/contracts';
import { NO_CHANNEL_TEST } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import type { z } from 'zod';
import { toCount } from '../rowset.js';

/** The moment of admission, out of the id. */
export const admitted = `to_timestamp(('x' || translate(left("event_id"::text, 13), '-', ''))::bit(48)::bigint / 1000.0)`;
export const day = `to_char(${admitted} at time zone $1, 'YYYY-MM-DD')`;
export const sent = `coalesce("other"->>'upstream_model_name', "model_name")`;
const number = (name: string): string => `coalesce(("other"->>'${name}')::numeric, 0)::bigint`;
/** Only Anthropic's prompt count leaves the tokens of caches out. */
export const input = `("prompt_tokens" + case when "other"->>'claude' = 'true' then ${number('cache_tokens')} + ${number('cache_creation_tokens')} else 0 end)`;

/** Days and their neighbours in seconds: a request ends after its admission, and zones are half a day apart at most. */
export const span = `"created_at" >= extract(epoch from $2::date)::bigint - 86400 and "created_at" < extract(epoch from $3::date)::bigint + 3 * 86400`;

const start = `(select "first_day" from "channel_usage_start" where "zone" = $1)`;

/** The rows are touched only for days that the sums do not hold whole, because some of their rows were written before the sums began. */
const sums = `select "channel_id" as "channelId", to_char("day", 'YYYY-MM-DD') as "day", "model", "sent", "source", sum("requests") as "requests",
    sum("input") as "input", sum("cached") as "cached", sum("output") as "output"
  from "channel_usage" where "channel_id" = any($4::int[]) and "zone" = $1 and "day" between $2::date and $3::date and "day" >= ${start}
  group by 1, 2, 3, 4, 5
  union all
  select "channel_id", ${day}, "model_name", ${sent}, coalesce("other"->>'usage_source', 'upstream'), count(*),
    sum(${input}), sum(${number('cache_tokens')}), sum("completion_tokens")
  from "log" where $2::date < ${start} and "type" = 2 and ${NO_CHANNEL_TEST} and ${span} and "channel_id" = any($4::int[])
    and (${admitted} at time zone $1)::date between $2::date and $3::date and (${admitted} at time zone $1)::date < ${start}
  group by 1, 2, 3, 4, 5 order by 2, 3, 4, 5, 1`;

type Span = z.output<typeof sumChannelUsage.input>;
type Sum = z.output<typeof sumChannelUsage.output>['sums'][number];

/** What channels used by day, model and source: days of before the sums began are added up from the usage log. */
@Injectable()
export class ChannelUsage {
  constructor(private readonly em: EntityManager) {}

  async sums({ channelIds, firstDay, lastDay, zone }: Span): Promise<Sum[]> {
    const rows = await bound<Sum>(this.em, sums, [zone, firstDay, lastDay, channelIds]);
    return rows.map((row) => ({
      ...row,
      ...{ requests: toCount(row.requests), input: toCount(row.input) },
      ...{ cached: toCount(row.cached), output: toCount(row.output) },
    }));
  }

  /** Whether all of the days are kept as sums, which stay when rows are cleared. */
  async isWhole({ firstDay, zone }: Span): Promise<boolean> {
    const whole = `select from "channel_usage_start" where "zone" = $1 and "first_day" <= $2::date`;
    return (await bound<object>(this.em, whole, [zone, firstDay])).length > 0;
  }
}
