import { defineService } from '@tollgate/chassis';
import { ErasedUserRow } from '@tollgate/database';
import { AuditEntry } from './audit/audit-entry.entity.js';
import { Log } from './log/log.entity.js';
import { LoggingModule } from './logging.module.js';
import { migrations } from './migrations/index.js';
import { loggingChecks } from './proof/book-checks.js';
import { ChannelHour } from './stat/channel-hour.entity.js';
import { RefusedCallsRow } from './refused/refused-calls.entity.js';
import { QuotaHour } from './stat/quota-hour.entity.js';

export const logging = defineService({
  name: 'logging',
  module: LoggingModule,
  database: {
    entities: [Log, QuotaHour, ChannelHour, AuditEntry, RefusedCallsRow, ErasedUserRow],
    migrations,
    checks: loggingChecks,
  },
});

export { ColumnLog } from './proof/column-log.js';
export { makeColumnTable } from './store/clickhouse-rows.js';
export { requireLogIn } from './store/open-log-store.js';
