import { Module } from '@nestjs/common';
import { UpstreamTokens } from '@tollgate/chassis';
import { AbilityService } from './ability/ability.service.js';
import { ModelsController } from './ability/models.controller.js';
import { RevisionBroadcast } from './routing/revision-broadcast.js';
import { RoutingInternalController } from './routing/routing.internal.controller.js';
import { ChannelChanges } from './channel/channel-changes.js';
import { ChannelKeys } from './channel/channel-keys.js';
import { DemonstrationController } from './channel/demonstration.controller.js';
import { DemonstrationService } from './channel/demonstration.service.js';
import { ChannelController } from './channel/channel.controller.js';
import { ChannelQueries } from './channel/channel.queries.js';
import { ChannelService } from './channel/channel.service.js';
import { KeySwitchService } from './channel/key-switch.service.js';
import { KeyHashBackfill } from './channel/key-hash-backfill.js';
import { ConsumptionService } from './suspicion/consumption.service.js';
import { CountedRequests } from './suspicion/counted-requests.js';
import { HealthMetrics } from './health/health-metrics.js';
import { HealthService } from './health/health.service.js';
import { ChannelReturns } from './suspicion/channel-returns.js';
import { KeyReturns } from './suspicion/key-returns.js';
import { Prober } from './suspicion/prober.js';
import { RequestConsumedConsumer } from './suspicion/request-consumed.consumer.js';
import { Suspicions } from './suspicion/suspicions.js';
import { ChannelSchedule } from './schedule/channel-schedule.js';
import { HealthTimeline } from './timeline/health-timeline.js';
import { TimelineController } from './timeline/timeline.controller.js';
import { WhyController } from './choice/why.controller.js';
import { WhyQueries } from './choice/why.queries.js';
import { TagController } from './tag/tag.controller.js';
import { TagService } from './tag/tag.service.js';
import { ChannelTestController } from './channel-test/channel-test.controller.js';
import { ChannelTestRun } from './channel-test/channel-test-run.js';
import { ChannelTestService } from './channel-test/channel-test.service.js';
import { BalanceService } from './upstream/balance.service.js';
import { UpstreamAudit } from './upstream/upstream-audit.js';
import { UpstreamModelsService } from './upstream/upstream-models.service.js';
import { UpstreamController } from './upstream/upstream.controller.js';
import { UserErasedConsumer } from './person/user-erased.consumer.js';
import { PersonInternalController } from './person/person.internal.controller.js';
import { TaskLogController } from './task/task-log.controller.js';
import { TaskPoller } from './task/task.poller.js';
import { TaskQueries } from './task/task.queries.js';
import { TaskService } from './task/task.service.js';
import { TasksInternalController } from './task/tasks.internal.controller.js';

@Module({
  controllers: [
    TimelineController,
    WhyController,
    DemonstrationController,
    ChannelController,
    TagController,
    ModelsController,
    ChannelTestController,
    UpstreamController,
    RoutingInternalController,
    RequestConsumedConsumer,
    TaskLogController,
    TasksInternalController,
    UserErasedConsumer,
    PersonInternalController,
  ],
  providers: [
    RevisionBroadcast,
    ChannelService,
    DemonstrationService,
    ChannelQueries,
    ChannelChanges,
    ChannelKeys,
    KeyHashBackfill,
    KeySwitchService,
    AbilityService,
    TagService,
    HealthService,
    HealthMetrics,
    Suspicions,
    KeyReturns,
    ChannelReturns,
    Prober,
    CountedRequests,
    ConsumptionService,
    UpstreamTokens,
    ChannelTestService,
    ChannelTestRun,
    ChannelSchedule,
    HealthTimeline,
    WhyQueries,
    BalanceService,
    UpstreamAudit,
    UpstreamModelsService,
    TaskService,
    TaskQueries,
    TaskPoller,
  ],
})
export class ChannelModule {}
