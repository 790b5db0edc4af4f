import { Controller, Query } from '@nestjs/common';
import { type PageQuery, routes } from '@tollgate/contracts';
import {
  type Log,
  logFilterSchema,
  type LogFilter,
  type LogListQuery,
  logListQuerySchema,
  type LogPage,
  type LogSearchQuery,
  logSearchQuerySchema,
  type LogStat,
} from '@tollgate/contracts/api/log';
import { type Caller, CurrentCaller, Route } from '@tollgate/chassis';
import { toPage } from '@tollgate/database';
import { ownCriteria } from './log-filter.js';
import { LogTotals } from './log-totals.js';
import type { LogRow } from '../log/log-row.js';
import { type FoundLogs, LogQueries } from './log.queries.js';
import { toLogReply } from './log.reply.js';
import { OwnLogReplies } from './own-log-replies.js';

@Controller()
export class LogController {
  constructor(
    private readonly queries: LogQueries,
    private readonly totals: LogTotals,
    private readonly own: OwnLogReplies,
  ) {}

  @Route(routes.listLogs)
  async list(@Query({ schema: logListQuerySchema }) query: LogListQuery): Promise<LogPage> {
    return toLogPage(await this.queries.list(query, query), query, toLogReply);
  }

  @Route(routes.listOwnLogs)
  async listOwn(
    @Query({ schema: logListQuerySchema }) query: LogListQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<LogPage> {
    return toLogPage(await this.queries.list(ownCriteria(query, userId), query), query, this.own.of);
  }

  @Route(routes.getLogStat)
  stat(@Query({ schema: logFilterSchema }) filter: LogFilter): Promise<LogStat> {
    return this.totals.stat(filter);
  }

  @Route(routes.getOwnLogStat)
  statOwn(
    @Query({ schema: logFilterSchema }) filter: LogFilter,
    @CurrentCaller() { userId }: Caller,
  ): Promise<LogStat> {
    return this.totals.stat(ownCriteria(filter, userId));
  }

  @Route(routes.searchLogs)
  async search(@Query({ schema: logSearchQuerySchema }) { keyword }: LogSearchQuery): Promise<Log[]> {
    return (await this.queries.search(keyword)).map(toLogReply);
  }

  @Route(routes.searchOwnLogs)
  async searchOwn(
    @Query({ schema: logSearchQuerySchema }) { keyword }: LogSearchQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<Log[]> {
    return (await this.queries.searchOwn(keyword, userId)).map(this.own.of);
  }
}

const toLogPage = (found: FoundLogs, query: PageQuery, reply: (log: LogRow) => Log): LogPage => ({
  ...toPage(found.logs, found.total, query, reply),
  ...(found.isEstimate && { total_is_estimate: true }),
});
