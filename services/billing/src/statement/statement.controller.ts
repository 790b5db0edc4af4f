import { Body, Controller, Param, Query } from '@nestjs/common';
import { type Page, type PageQuery, pageFromOneSchema, routes } from '@tollgate/contracts';
import {
  type ClosedPeriod,
  closePeriodSchema,
  type PeriodCheck,
  type Statement,
  type StatementFilter,
  statementFilterSchema,
  type StatementQuery,
  statementQuerySchema,
  type StatementSums,
} from '@tollgate/contracts/api/statement';
import {
  AppError,
  type Caller,
  CurrentCaller,
  type IdParam,
  idParamSchema,
  OptionStore,
  RawReply,
  Route,
} from '@tollgate/chassis';
import type { z } from 'zod';
import { PeriodService } from './period.service.js';
import { statementCsv } from './statement-csv.js';
import { StatementQueries } from './statement.queries.js';

@Controller()
export class StatementController {
  constructor(
    private readonly statements: StatementQueries,
    private readonly periods: PeriodService,
    private readonly options: OptionStore,
  ) {}

  @Route(routes.getStatement)
  get(@Query({ schema: statementQuerySchema }) query: StatementQuery): Promise<Statement> {
    return this.statements.page(query);
  }

  @Route(routes.exportStatement)
  export(@Query({ schema: statementFilterSchema }) filter: StatementFilter): RawReply {
    return this.file(filter, false);
  }

  /** A user's own statement, without channels and their costs, which users must not see. */
  @Route(routes.getOwnStatement)
  async getOwn(
    @CurrentCaller() { userId }: Caller,
    @Query({ schema: statementQuerySchema }) query: StatementQuery,
  ): Promise<Statement> {
    requireOwnKey(query.by);
    const statement = await this.statements.page({ ...query, user_id: userId });
    return { ...statement, items: statement.items.map(withoutCost), totals: withoutCost(statement.totals) };
  }

  @Route(routes.exportOwnStatement)
  exportOwn(
    @CurrentCaller() { userId }: Caller,
    @Query({ schema: statementFilterSchema }) filter: StatementFilter,
  ): RawReply {
    requireOwnKey(filter.by);
    return this.file({ ...filter, user_id: userId }, true);
  }

  @Route(routes.listClosedPeriods)
  listPeriods(@Query({ schema: pageFromOneSchema }) query: PageQuery): Promise<Page<ClosedPeriod>> {
    return this.periods.list(query);
  }

  @Route(routes.closePeriod)
  close(
    @CurrentCaller() { userId }: Caller,
    @Body({ schema: closePeriodSchema }) input: z.output<typeof closePeriodSchema>,
  ): Promise<ClosedPeriod> {
    return this.periods.close(input, userId);
  }

  @Route(routes.checkPeriod)
  check(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<PeriodCheck> {
    return this.periods.check(id);
  }

  private file(filter: StatementFilter, own: boolean): RawReply {
    const quotaPerUnit = this.options.get('QuotaPerUnit');
    return new RawReply(statementCsv(this.statements.pieces(filter), { own, quotaPerUnit }), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="statement_${filter.start}_${filter.end}.csv"`,
    });
  }
}

function requireOwnKey(by: StatementFilter['by']): void {
  if (by === 'channel') throw new AppError('forbidden', 'permission-denied', '无权进行此操作，权限不足');
}

function withoutCost<Sums extends StatementSums>(sums: Sums): Sums {
  return { ...sums, cost: undefined, costed: undefined, costed_sales: undefined, margin: undefined };
}
