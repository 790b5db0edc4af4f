import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import type { InvoiceRequest, RequestDoubt } from '@tollgate/contracts/api/invoice';
import { Answers, leastIdAt } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import type { z } from 'zod';
import { toCount } from '../rowset.js';
import { LogCompleteness } from './log-completeness.js';

/** The moment of admission, out of the id. */
const admitted = `to_timestamp(('x' || translate(left("event_id"::text, 13), '-', ''))::bit(48)::bigint / 1000.0)`;
const day = `to_char(${admitted} at time zone $1, 'YYYY-MM-DD')`;
const sent = `coalesce("other"->>'upstream_model_name', "model_name")`;
const number = (name: string): string => `coalesce(("other"->>'${name}')::numeric, 0)::bigint`;
/** Only Anthropic's prompt count leaves the tokens of caches out. */
const input = `("prompt_tokens" + case when "other"->>'claude' = 'true' then ${number('cache_tokens')} + ${number('cache_creation_tokens')} else 0 end)`;

/** Days and their neighbours in seconds: a request ends after its admission, and zones are half a day apart at most. */
const span = `"created_at" >= extract(epoch from $2::date)::bigint - 86400 and "created_at" < extract(epoch from $3::date)::bigint + 3 * 86400`;

/** When the first day begins and the last one ends where they are, milliseconds. */
const edges = `select (extract(epoch from $1::date::timestamp at time zone $3) * 1000)::float8 as "from",
  (extract(epoch from ($2::date + 1)::timestamp at time zone $3) * 1000)::float8 as "to"`;

const sums = `select "channel_id" as "channelId", to_char("day", 'YYYY-MM-DD') as "day", "model", "sent", "source", sum("requests") as "requests",
    sum("input") as "input", sum("cached") as "cached", sum("output") as "output"
  from "channel_usage" where "channel_id" = any($4::int[]) and "zone" = $1 and "day" between $2::date and $3::date
  group by 1, 2, 3, 4, 5 order by 2, 3, 4, 5, 1`;

/**
 * A request of several attempts may have been counted by each of the channels that were tried, also where another one answered; what
 * answered nobody may have been counted as well.
 */
const doubts: [RequestDoubt, string][] = [
  ['estimated', `"other"->>'usage_source' = 'estimated'`],
  ['requested', `"other"->>'usage_source' = 'requested'`],
  ['doubted', `"other"->>'usage_doubt' is not null`],
  ['cancelled', `"other"->>'outcome' = 'client_abort'`],
  ['cut', `"other"->>'outcome' in ('upstream_cut', 'quota_exhausted', 'interrupted')`],
  ['kept-back', `"other"->>'outcome' = 'sensitive_words'`],
  ['retried', `jsonb_array_length(coalesce("other"->'admin_info'->'use_channel', '[]')) > 1`],
  ['failed', `"type" = 5`],
  ['midnight', `to_char(to_timestamp("created_at") at time zone $1, 'YYYY-MM-DD') <> ${day}`],
];
const doubtful = `with r as (
    select "event_id"::text as "request_id", "created_at", "channel_id", ${sent} as "model", ${input} as "input", "completion_tokens" as "output",
      array_remove(array[${doubts.map(([name, condition]) => `case when ${condition} then '${name}' end`).join(', ')}], null) as "doubts"
    from "log" where "type" in (2, 5) and ${span}
      and ("channel_id" = any($4::int[]) or "other"->'admin_info'->'use_channel' ?| array(select c::text from unnest($4::int[]) c))
      and (${admitted} at time zone $1)::date between $2::date and $3::date and ${sent} = any($5::text[])
  )
  select *, count(*) over ()::int as "total" from r where cardinality("doubts") > 0
  order by "input" + "output" desc, "request_id" limit $6`;

type Found = Omit<InvoiceRequest, 'time' | 'input' | 'output'> &
  Record<'created_at' | 'input' | 'output', string> & { total: number };

/** What requests of channels used, for whoever compares it with the invoice of their provider. */
@Controller()
export class ChannelUsageInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly completeness: LogCompleteness,
  ) {}

  @Answers(sumChannelUsage)
  async sum(
    @Body({ schema: sumChannelUsage.input }) wanted: z.output<typeof sumChannelUsage.input>,
  ): Promise<z.output<typeof sumChannelUsage.output>> {
    const { channelIds, firstDay, lastDay, zone } = wanted;
    type Row = z.output<typeof sumChannelUsage.output>['sums'][number];
    const rows = await bound<Row>(this.em, sums, [zone, firstDay, lastDay, channelIds]);
    return {
      sums: rows.map((row) => ({
        ...row,
        ...{ requests: toCount(row.requests), input: toCount(row.input) },
        ...{ cached: toCount(row.cached), output: toCount(row.output) },
      })),
      isComplete: await this.isComplete(wanted),
    };
  }

  /** Of all hours of the days where they are, which are other ones than those of UTC. */
  private async isComplete({ firstDay, lastDay, zone }: z.output<typeof sumChannelUsage.input>): Promise<boolean> {
    const [row] = await bound<{ from: number; to: number }>(this.em, edges, [firstDay, lastDay, zone]);
    return this.completeness.between(leastIdAt(row?.from ?? 0), leastIdAt(row?.to ?? 0));
  }

  @Answers(listDoubtfulRequests)
  async list(
    @Body({ schema: listDoubtfulRequests.input }) wanted: z.output<typeof listDoubtfulRequests.input>,
  ): Promise<z.output<typeof listDoubtfulRequests.output>> {
    const { channelIds, day: of, zone, models, limit } = wanted;
    const rows = await bound<Found>(this.em, doubtful, [zone, of, of, channelIds, models, limit]);
    return {
      requests: rows.map(({ created_at: at, input: prompt, output, total: _, ...row }) => ({
        ...row,
        ...{ time: Number(at), input: Number(prompt), output: Number(output) },
      })),
      total: rows[0]?.total ?? 0,
    };
  }
}
