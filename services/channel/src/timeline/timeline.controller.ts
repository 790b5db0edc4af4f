import { Controller, Param, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import {
  type ChannelHealth,
  type ChannelHealthQuery,
  channelHealthQuerySchema,
} from '@tollgate/contracts/api/channel-health';
import { type IdParam, idParamSchema, Route } from '@tollgate/chassis';
import { HealthTimeline } from './health-timeline.js';

@Controller()
export class TimelineController {
  constructor(private readonly timeline: HealthTimeline) {}

  @Route(routes.getChannelHealth)
  health(
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Query({ schema: channelHealthQuerySchema }) { hours }: ChannelHealthQuery,
  ): Promise<ChannelHealth> {
    return this.timeline.of(id, hours);
  }
}
