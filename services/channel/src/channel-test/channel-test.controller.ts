import { Body, Controller, Param, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type ChannelTestReply, type ChannelTestRow, testChannelsSchema } from '@tollgate/contracts/api/channel';
import { hasNoNul } from '@tollgate/contracts/api/fields';
import { type Caller, CurrentCaller, type IdParam, idParamSchema, RawReply, Route } from '@tollgate/chassis';
import { z } from 'zod';
import { UpstreamAudit } from '../upstream/upstream-audit.js';
import { ChannelTestRun } from './channel-test-run.js';
import { ChannelTestService } from './channel-test.service.js';

const testQuerySchema = z.object({ model: z.string().max(255).refine(hasNoNul).default('') });

@Controller()
export class ChannelTestController {
  constructor(
    private readonly tests: ChannelTestService,
    private readonly run: ChannelTestRun,
    private readonly audit: UpstreamAudit,
  ) {}

  /** Replies once the run has begun. */
  @Route(routes.testChannels)
  async testAll(@CurrentCaller() caller: Caller): Promise<void> {
    await this.run.start();
    await this.audit.note(caller, 'channel-test', 'all');
  }

  @Route(routes.testSomeChannels)
  async testSome(
    @CurrentCaller() caller: Caller,
    @Body({ schema: testChannelsSchema }) { ids }: z.output<typeof testChannelsSchema>,
  ): Promise<ChannelTestRow[]> {
    const rows = await this.tests.testEach(ids);
    await this.audit.note(caller, 'channel-test', ids);
    return rows;
  }

  @Route(routes.testChannel)
  async test(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Query({ schema: testQuerySchema }) { model }: z.output<typeof testQuerySchema>,
  ): Promise<RawReply> {
    const { success, message, responseTimeMs } = await this.tests.test(id, model);
    await this.audit.note(caller, 'channel-test', [id], { success, ...(model && { model }) });
    return new RawReply({ success, message, time: responseTimeMs / 1000 } satisfies ChannelTestReply);
  }
}
