import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { listChannelHours } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { ChannelHour } from './channel-hour.entity.js';
import { quantileOf } from './first-token-buckets.js';

/** The health of channels by hour. */
@Controller()
export class ChannelHoursInternalController {
  constructor(private readonly em: EntityManager) {}

  @Answers(listChannelHours)
  async list(
    @Body({ schema: listChannelHours.input }) input: z.output<typeof listChannelHours.input>,
  ): Promise<z.output<typeof listChannelHours.output>> {
    const { channelIds, from, to } = input;
    const where = { hour: { $gte: from, $lte: to }, ...(channelIds.length > 0 && { channelId: { $in: channelIds } }) };
    const rows = await this.em.find(ChannelHour, where, {
      orderBy: [{ hour: 'asc' }, { channelId: 'asc' }],
      limit: 10_000,
      disableIdentityMap: true,
    });
    return { hours: rows.map(toHour) };
  }
}

function toHour({
  channelId,
  hour,
  requests,
  failures,
  answers,
  durationMsSum,
  firstTokenBuckets,
}: ChannelHour): z.output<typeof listChannelHours.output>['hours'][number] {
  const firstTokenP50Ms = quantileOf(firstTokenBuckets, 0.5);
  const firstTokenP95Ms = quantileOf(firstTokenBuckets, 0.95);
  const durationMs = answers > 0 ? Math.round(durationMsSum / answers) : undefined;
  return { channelId, hour, requests, failures, firstTokenP50Ms, firstTokenP95Ms, durationMs };
}
