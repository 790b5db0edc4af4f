import { Body, Controller, Param, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type ChannelTestReply, type ChannelTestRow, testChannelsSchema } from '@tollgate/contracts/api/channel';
import { hasNoNul } from '@tollgate/contracts/api/fields';
import { type IdParam, idParamSchema, RawReply, Route } from '@tollgate/chassis';
import { z } from 'zod';
import { ChannelTestRun } from './channel-test-run.js';
import { ChannelTestService } from './channel-test.service.js';

const testQuerySchema = z.object({ model: z.string().max(255).refine(hasNoNul).default('') });

@Controller()
export class ChannelTestController {
  constructor(
    private readonly tests: ChannelTestService,
    private readonly run: ChannelTestRun,
  ) {}

  /** Replies once the run has begun. */
  @Route(routes.testChannels)
  testAll(): Promise<void> {
    return this.run.start();
  }

  @Route(routes.testSomeChannels)
  testSome(
    @Body({ schema: testChannelsSchema }) { ids }: z.output<typeof testChannelsSchema>,
  ): Promise<ChannelTestRow[]> {
    return this.tests.testEach(ids);
  }

  @Route(routes.testChannel)
  async test(
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Query({ schema: testQuerySchema }) { model }: z.output<typeof testQuerySchema>,
  ): Promise<RawReply> {
    const { success, message, responseTimeMs } = await this.tests.test(id, model);
    return new RawReply({ success, message, time: responseTimeMs / 1000 } satisfies ChannelTestReply);
  }
}
