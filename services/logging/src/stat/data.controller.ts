import { Controller, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type QuotaData, type QuotaDataQuery, quotaDataQuerySchema } from '@tollgate/contracts/api/log';
import { AppError, type Caller, Clock, CurrentCaller, Route } from '@tollgate/chassis';
import { DataQueries } from './data.queries.js';
import { isTooLong, spanOf } from './span.js';

/** Data of the dashboard: usage by model and hour. */
@Controller()
export class DataController {
  constructor(
    private readonly queries: DataQueries,
    private readonly clock: Clock,
  ) {}

  @Route(routes.listQuotaData)
  list(@Query({ schema: quotaDataQuerySchema }) query: QuotaDataQuery): Promise<QuotaData[]> {
    const span = spanOf(query, this.clock.seconds());
    return query.username === '' ? this.queries.ofEverybody(span) : this.queries.ofUsername(query.username, span);
  }

  @Route(routes.listOwnQuotaData)
  async listOwn(
    @Query({ schema: quotaDataQuerySchema }) query: QuotaDataQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<QuotaData[]> {
    const now = this.clock.seconds();
    if (isTooLong(query, now)) throw new AppError('invalid', 'span-too-long', '时间跨度不能超过 1 个月');
    return this.queries.ofUser(userId, spanOf(query, now));
  }
}
