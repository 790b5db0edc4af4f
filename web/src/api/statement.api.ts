import type { Page } from '@tollgate/contracts/envelope';
import type {
  ClosedPeriod,
  ClosePeriod,
  PeriodCheck,
  Statement,
  StatementRow,
} from '@tollgate/contracts/api/statement';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfPage } from './paged.js';

export type StatementFilter = Record<'start' | 'end' | 'period' | 'by' | 'user_id', string>;
interface StatementRequest extends PageRequest {
  /** Whether only the reader's own rows are wanted. */
  own: boolean;
  filter: StatementFilter;
}
/** Table rows need a numeric id. */
export type NumberedRow = StatementRow & { row: number };
export interface StatementPage extends Rows<NumberedRow>, Pick<Statement, 'totals' | 'opening' | 'closing'> {
  /** Missing in the reply of a replica of the previous release. */
  complete?: boolean;
}

export const statementApi = injectEndpoints({
  endpoints: (build) => ({
    getStatement: build.query<StatementPage, StatementRequest>({
      query: ({ page, size, filter, own }) => ({
        url: own ? 'api/statement/self' : 'api/statement',
        params: { p: page, page_size: size, ...filter },
      }),
      transformResponse: ({ items, total, totals, opening, closing, complete }: Statement) => ({
        items: items.map((item, row) => ({ ...item, row })),
        total,
        ...{ totals, opening, closing, complete },
      }),
      extraOptions: { quiet: true },
      providesTags: ['Statement'],
    }),
    listClosedPeriods: build.query<Rows<ClosedPeriod>, PageRequest>({
      query: ({ page, size }) => ({ url: 'api/period', params: { p: page, page_size: size } }),
      transformResponse: (page: Page<ClosedPeriod>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      providesTags: ['Statement'],
    }),
    closePeriod: build.mutation<ClosedPeriod, ClosePeriod>({
      query: (body) => ({ url: 'api/period/close', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Statement'],
    }),
    checkPeriod: build.mutation<PeriodCheck, number>({
      query: (id) => `api/period/${id}/check`,
      extraOptions: { quiet: true },
    }),
  }),
});

export const { useGetStatementQuery, useListClosedPeriodsQuery, useClosePeriodMutation, useCheckPeriodMutation } =
  statementApi;
