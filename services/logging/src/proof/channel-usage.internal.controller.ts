import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import type { InvoiceRequest, RequestDoubt } from '@tollgate/contracts/api/invoice';
import { Answers, leastIdAt } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import type { z } from 'zod';
import { admitted, ChannelUsage, day, input, sent, span } from './channel-usage.js';
import { LogCompleteness } from './log-completeness.js';

/** When the first day begins and the last one ends where they are, milliseconds. */
const edges = `select (extract(epoch from $1::date::timestamp at time zone $3) * 1000)::float8 as "from",
  (extract(epoch from ($2::date + 1)::timestamp at time zone $3) * 1000)::float8 as "to"`;

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
    private readonly usage: ChannelUsage,
    private readonly completeness: LogCompleteness,
  ) {}

  @Answers(sumChannelUsage)
  async sum(
    @Body({ schema: sumChannelUsage.input }) wanted: z.output<typeof sumChannelUsage.input>,
  ): Promise<z.output<typeof sumChannelUsage.output>> {
    const { isOff, isCleared } = await this.gaps(wanted);
    return {
      sums: await this.usage.sums(wanted),
      // Sums outlive their rows.
      isComplete: !isOff && (!isCleared || (await this.usage.isWhole(wanted))),
    };
  }

  /** In all hours of the days where they are, which are other ones than those of UTC. */
  private async gaps({ firstDay, lastDay, zone }: z.output<typeof sumChannelUsage.input>) {
    const [row] = await bound<{ from: number; to: number }>(this.em, edges, [firstDay, lastDay, zone]);
    return this.completeness.gaps(leastIdAt(row?.from ?? 0), leastIdAt(row?.to ?? 0));
  }

  @Answers(listDoubtfulRequests)
  async list(
    @Body({ schema: listDoubtfulRequests.input }) wanted: z.output<typeof listDoubtfulRequests.input>,
  ): Promise<z.output<typeof listDoubtfulRequests.output>> {
    const { channelIds, day: of, zone, models, limit } = wanted;
    const rows = await bound<Found>(this.em, doubtful, [zone, of, of, channelIds, models, limit]);
    const { isOff, isCleared } = await this.gaps({ channelIds, zone, firstDay: of, lastDay: of });
    return {
      requests: rows.map(({ created_at: at, input: prompt, output, total: _, ...row }) => ({
        ...row,
        ...{ time: Number(at), input: Number(prompt), output: Number(output) },
      })),
      total: rows[0]?.total ?? 0,
      isComplete: !isOff && !isCleared,
    };
  }
}
