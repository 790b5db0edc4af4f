import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import type { InvoiceRequest, RequestDoubt } from '@tollgate/contracts/api/invoice';
import { Answers, leastIdAt, NO_CHANNEL_TEST } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import type { z } from 'zod';
import { ChannelUsage, day, input, sent } from './channel-usage.js';
import { LogCompleteness } from './log-completeness.js';

type Days = Pick<z.output<typeof sumChannelUsage.input>, 'firstDay' | 'lastDay' | 'zone'>;

/** Clocks of relays and of their rows may be so far apart, and no request takes longer than this. */
const SLACK_MS = 3_600_000;
const LONGEST_MS = 2 * 86_400_000;

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
/** Ids are by the time of admission and indexed: one day of the log. It ends after that, which leaves out partitions. */
const doubtful = `with r as (
    select "event_id"::text as "request_id", "created_at", "channel_id", ${sent} as "model", ${input} as "input", "completion_tokens" as "output",
      array_remove(array[${doubts.map(([name, condition]) => `case when ${condition} then '${name}' end`).join(', ')}], null) as "doubts"
    from "log" where "type" in (2, 5) and ${NO_CHANNEL_TEST} and "event_id" >= $6::uuid and "event_id" < $7::uuid and "created_at" >= $2::bigint and "created_at" < $3::bigint
      and ("channel_id" = any($4::int[]) or "other"->'admin_info'->'use_channel' ?| array(select c::text from unnest($4::int[]) c))
      and ${sent} = any($5::text[])
  )
  select *, count(*) over ()::int as "total" from r where cardinality("doubts") > 0
  order by "input" + "output" desc, "request_id" limit $8`;

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
  private async gaps(days: Days) {
    const { from, to } = await this.edgesOf(days);
    return this.completeness.gaps(leastIdAt(from), leastIdAt(to));
  }

  private async edgesOf({ firstDay, lastDay, zone }: Days): Promise<{ from: number; to: number }> {
    const [row] = await bound<{ from: number; to: number }>(this.em, edges, [firstDay, lastDay, zone]);
    return { from: row?.from ?? 0, to: row?.to ?? 0 };
  }

  @Answers(listDoubtfulRequests)
  async list(
    @Body({ schema: listDoubtfulRequests.input }) wanted: z.output<typeof listDoubtfulRequests.input>,
  ): Promise<z.output<typeof listDoubtfulRequests.output>> {
    const { channelIds, day: of, zone, models, limit } = wanted;
    const days = { zone, firstDay: of, lastDay: of };
    const { from, to } = await this.edgesOf(days);
    const [earliest, latest] = [from - SLACK_MS, to + LONGEST_MS].map((time) => Math.floor(time / 1000));
    const rows = await bound<Found>(this.em, doubtful, [
      ...[zone, earliest, latest, channelIds, models],
      ...[leastIdAt(from), leastIdAt(to), limit],
    ]);
    const { isOff, isCleared } = await this.gaps(days);
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
