import { Readable } from 'node:stream';
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
  type StatementRow,
  statementSumsSchema,
} from '@tollgate/contracts/api/statement';
import { AppError, type Caller, CurrentCaller, type IdParam, idParamSchema, RawReply, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { CSV_MARK, csvLines } from '../journal/csv.js';
import { PeriodService } from './period.service.js';
import { StatementQueries } from './statement.queries.js';

const COLUMNS = ['period', 'key', ...Object.keys(statementSumsSchema.shape)] as (keyof StatementRow)[];

@Controller()
export class StatementController {
  constructor(
    private readonly statements: StatementQueries,
    private readonly periods: PeriodService,
  ) {}

  @Route(routes.getStatement)
  get(@Query({ schema: statementQuerySchema }) query: StatementQuery): Promise<Statement> {
    return this.statements.page(query);
  }

  @Route(routes.exportStatement)
  export(@Query({ schema: statementFilterSchema }) filter: StatementFilter): RawReply {
    return this.file(filter);
  }

  /** Which channels served is nothing that users learn. */
  @Route(routes.getOwnStatement)
  getOwn(
    @CurrentCaller() { userId }: Caller,
    @Query({ schema: statementQuerySchema }) query: StatementQuery,
  ): Promise<Statement> {
    if (query.by === 'channel') throw new AppError('forbidden', 'permission-denied', '无权进行此操作，权限不足');
    return this.statements.page({ ...query, user_id: userId });
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

  private file(filter: StatementFilter): RawReply {
    const { statements } = this;
    async function* text(): AsyncGenerator<string> {
      yield CSV_MARK + csvLines([COLUMNS]);
      for await (const rows of statements.pieces(filter))
        yield csvLines(rows.map((row) => COLUMNS.map((name) => row[name])));
    }
    return new RawReply(Readable.from(text(), { objectMode: false }), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="statement_${filter.start}_${filter.end}.csv"`,
    });
  }
}
