import type { Log, LogOther, LogStat } from '@tollgate/contracts/api/log';
import type { User } from '@tollgate/contracts/api/user';
import type { Page } from '@tollgate/contracts/envelope';
import { baseApi } from '../../api/base-api.js';
import type { PageRequest, Rows } from '../../api/paged.js';
import { rowsOfPage } from '../../api/paged.js';
import type { LogSearch } from './log-filter.js';
import { periodOf } from './log-filter.js';

/** A row with its inner JSON read once. */
export interface LogRow extends Omit<Log, 'other'> {
  other?: LogOther;
}

export interface LogRequest extends PageRequest {
  filter: LogSearch;
  /** Administrators see everybody's rows, others their own. */
  admin: boolean;
}
type StatRequest = Pick<LogRequest, 'filter' | 'admin'>;

/** Asked for when the call is made: a relative range moves on with every query. */
function filterParams(filter: LogSearch): Record<string, string | number> {
  const { start, end } = periodOf(filter, Math.floor(Date.now() / 1000));
  const { range: _, start_timestamp: __, end_timestamp: ___, ...rest } = filter;
  const all: Record<string, string | number> = { ...rest, start_timestamp: start, end_timestamp: end };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== 0 && value !== '0'));
}

function otherOf(text: string): LogOther | undefined {
  try {
    const value: unknown = text === '' ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as LogOther) : undefined;
  } catch {
    return undefined;
  }
}

const rowOf = (log: Log): LogRow => ({ ...log, other: otherOf(log.other) });

export const logApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    listLogs: build.query<Rows<LogRow>, LogRequest>({
      query: ({ admin, filter, page, size }) => ({
        url: admin ? 'api/log/' : 'api/log/self/',
        params: { p: page, page_size: size, ...filterParams(filter) },
      }),
      transformResponse: (page: Page<Log>) => rowsOfPage({ ...page, items: page.items.map(rowOf) }),
      extraOptions: { quiet: true },
      providesTags: ['Log'],
    }),
    getLogStat: build.query<LogStat, StatRequest>({
      query: ({ admin, filter }) => ({
        url: admin ? 'api/log/stat' : 'api/log/self/stat',
        params: filterParams(filter),
      }),
      extraOptions: { quiet: true },
      providesTags: ['Log'],
    }),
    getLogUser: build.query<User, number>({
      query: (id) => `api/user/${id}`,
      extraOptions: { quiet: true },
      providesTags: ['User'],
    }),
  }),
});

export const { useListLogsQuery, useGetLogStatQuery, useGetLogUserQuery } = logApi;
