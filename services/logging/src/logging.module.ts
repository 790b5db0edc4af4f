import { EntityManager } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { Host } from '@tollgate/chassis';
import { AuditWriter } from './audit/audit-writer.js';
import { AuditConsumer } from './audit/audit.consumer.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditQueries } from './audit/audit.queries.js';
import { AccountConsumer } from './intake/account.consumer.js';
import { ChannelTestedConsumer } from './intake/channel-tested.consumer.js';
import { RequestConsumedConsumer } from './intake/request-consumed.consumer.js';
import { LogKey } from './search/log-key.js';
import { LogTotals } from './search/log-totals.js';
import { EventPlaces } from './log/event-places.js';
import { LogWriter } from './store/log-writer.js';
import { LogController } from './search/log.controller.js';
import { LogQueries } from './search/log.queries.js';
import { OwnLogReplies } from './search/own-log-replies.js';
import { NamesClient } from './log/names.client.js';
import { PriceVersions } from './log/price-versions.js';
import { TokenLogController } from './search/token-log.controller.js';
import { UsageAnnouncer } from './log/usage-announcer.js';
import { LogClearController } from './retention/log-clear.controller.js';
import { LogClearService } from './retention/log-clear.service.js';
import { DigestInternalController } from './proof/digest.internal.controller.js';
import { ChannelUsageFold } from './proof/channel-usage-fold.js';
import { ChannelUsageInternalController } from './proof/channel-usage.internal.controller.js';
import { LogCompleteness } from './proof/log-completeness.js';
import { EvidenceInternalController } from './search/evidence.internal.controller.js';
import { ChannelHoursInternalController } from './stat/channel-hours.internal.controller.js';
import { DataController } from './stat/data.controller.js';
import { DataQueries } from './stat/data.queries.js';
import { UserErasedConsumer } from './person/user-erased.consumer.js';
import { PersonInternalController } from './person/person.internal.controller.js';
import { PersonRows } from './person/person-rows.js';
import { RefusedCallsController } from './refused/refused-calls.controller.js';
import { RefusedCallsStore } from './refused/refused-calls.store.js';
import { LogStore } from './store/log-store.js';
import { ClickhouseDuties } from './store/clickhouse-duties.js';
import { openLogStore } from './store/open-log-store.js';
import { PostgresMonths } from './store/postgres-months.js';
import { Rollup } from './stat/rollup.js';

@Module({
  controllers: [
    RequestConsumedConsumer,
    ChannelTestedConsumer,
    AccountConsumer,
    AuditConsumer,
    AuditController,
    RefusedCallsController,
    LogController,
    TokenLogController,
    LogClearController,
    DataController,
    ChannelHoursInternalController,
    ChannelUsageInternalController,
    DigestInternalController,
    EvidenceInternalController,
    UserErasedConsumer,
    PersonInternalController,
  ],
  providers: [
    AuditQueries,
    AuditWriter,
    DataQueries,
    EventPlaces,
    LogClearService,
    ChannelUsageFold,
    LogCompleteness,
    LogKey,
    LogQueries,
    LogTotals,
    LogWriter,
    NamesClient,
    OwnLogReplies,
    PersonRows,
    PriceVersions,
    RefusedCallsStore,
    PostgresMonths,
    Rollup,
    { provide: LogStore, inject: [Host, EntityManager, PostgresMonths], useFactory: openLogStore },
    ClickhouseDuties,
    UsageAnnouncer,
  ],
})
export class LoggingModule {}
