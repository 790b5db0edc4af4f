import { Controller, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type Why, type WhyChannelQuery, whyChannelQuerySchema } from '@tollgate/contracts/api/channel-health';
import { Route } from '@tollgate/chassis';
import { WhyQueries } from './why.queries.js';

@Controller()
export class WhyController {
  constructor(private readonly queries: WhyQueries) {}

  @Route(routes.whyChannels)
  why(@Query({ schema: whyChannelQuerySchema }) query: WhyChannelQuery): Promise<Why> {
    return this.queries.explain(query);
  }
}
