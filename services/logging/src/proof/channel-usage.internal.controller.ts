import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import { Answers, leastIdAt } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import type { z } from 'zod';
import { LogStore } from '../store/log-store.js';
import { LogCompleteness } from './log-completeness.js';

type Days = Pick<z.output<typeof sumChannelUsage.input>, 'firstDay' | 'lastDay' | 'zone'>;

/** Beginning of the first day and end of the last day in their time zone, in milliseconds. */
const edges = `select (extract(epoch from $1::date::timestamp at time zone $3) * 1000)::float8 as "from",
  (extract(epoch from ($2::date + 1)::timestamp at time zone $3) * 1000)::float8 as "to"`;

/** The usage of channels, to be compared with providers' invoices. */
@Controller()
export class ChannelUsageInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly store: LogStore,
    private readonly completeness: LogCompleteness,
  ) {}

  @Answers(sumChannelUsage)
  async sum(
    @Body({ schema: sumChannelUsage.input }) wanted: z.output<typeof sumChannelUsage.input>,
  ): Promise<z.output<typeof sumChannelUsage.output>> {
    const { isOff, isCleared } = await this.gaps(wanted);
    return {
      sums: await this.store.channelUsage(wanted),
      // Sums are kept when rows are cleared.
      isComplete: !isOff && (!isCleared || (await this.completeness.isSummed(wanted))),
    };
  }

  /** The hours of the days in their own time zone, which differ from those in UTC. */
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
    const days = { zone: wanted.zone, firstDay: wanted.day, lastDay: wanted.day };
    const found = await this.store.doubtful({ ...wanted, ...(await this.edgesOf(days)) });
    const { isOff, isCleared } = await this.gaps(days);
    return { ...found, isComplete: !isOff && !isCleared };
  }
}
