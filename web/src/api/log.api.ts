import type { Log, LogPage, LogStat, QuotaData } from '@tollgate/contracts/api/log';
import { REACHABLE_LOGS } from '@tollgate/contracts/api/log-limits';
import type { Page } from '@tollgate/contracts/envelope';
import { injectEndpoints } from './base-api.js';
import type { Inexact, PageRequest, Rows } from './paged.js';
import { rowsOfPage } from './paged.js';

/** Filters by their names in the API; '' and 0 filter nothing. */
export interface LogQuery {
  type: string;
  token_name: string;
  model_name: string;
  group: string;
  username: string;
  channel: string;
  request_id: string;
  start_timestamp: number;
  end_timestamp: number;
}

interface LogRequest extends PageRequest {
  /** All users' rows instead of the caller's own. */
  all: boolean;
  query: LogQuery;
  /** Part of the cache key: another moment causes a new fetch even if the query is the same. */
  askedAt?: number;
}

/** The number of matching rows, and the newest of them. */
export interface LogCount {
  total: number;
  inexact?: Inexact;
  newest?: Log;
}

export interface Bill {
  promptTokens: number;
  completionTokens: number;
  quota: number;
}

interface QuotaDataRequest {
  /** All users' hours instead of the caller's own. */
  all: boolean;
  username: string;
  start_timestamp: number;
  end_timestamp: number;
  default_time: string;
  /** Part of the cache key: another moment causes a new fetch even if the times are the same. */
  askedAt: number;
}

/** The filters that are set; 0 filters nothing, either. */
const filtersOf = (query: Partial<LogQuery>) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '' && value !== 0 && value !== '0'));

/** Counting ends at the last row that a page can reach; below it an estimate may be too large or too small. */
const inexactOf = ({ total, total_is_estimate: isEstimate }: LogPage): Inexact | undefined =>
  isEstimate ? (total >= REACHABLE_LOGS ? 'atLeast' : 'about') : undefined;

export const logApi = injectEndpoints({
  endpoints: (build) => ({
    listLogs: build.query<Rows<Log>, LogRequest>({
      query: ({ all, page, size, query }) => ({
        url: all ? 'api/log/' : 'api/log/self/',
        params: { p: page, page_size: size, ...filtersOf(query) },
      }),
      transformResponse: (page: LogPage) => ({ ...rowsOfPage(page), inexact: inexactOf(page) }),
      extraOptions: { quiet: true },
      providesTags: ['Log'],
    }),
    /** Number of matching rows; another `askedAt` causes a new fetch. */
    countLogs: build.query<LogCount, { all: boolean; query: Partial<LogQuery>; askedAt?: number }>({
      query: ({ all, query }) => ({
        url: all ? 'api/log/' : 'api/log/self/',
        params: { p: 1, page_size: 1, ...filtersOf(query) },
      }),
      transformResponse: (page: LogPage) => ({ total: page.total, inexact: inexactOf(page), newest: page.items[0] }),
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
    }),
    getLogStat: build.query<LogStat, Omit<LogRequest, 'page' | 'size'>>({
      query: ({ all, query }) => ({ url: all ? 'api/log/stat' : 'api/log/self/stat', params: filtersOf(query) }),
      extraOptions: { quiet: true },
      providesTags: ['Log'],
    }),
    /** Deletes all rows before a moment; returns their number. */
    clearLogs: build.mutation<number, number>({
      query: (before) => ({ url: 'api/log/', method: 'DELETE', params: { target_timestamp: before } }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Log'],
    }),
    /** The cost of a request by its id; `null` until it is booked. */
    getBill: build.query<Bill | null, string>({
      query: (requestId) => ({ url: 'api/log/self/', params: { request_id: requestId, p: 1, page_size: 1 } }),
      transformResponse: ({ items }: Page<Log>) => {
        const [row] = items;
        return row
          ? { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens, quota: row.quota }
          : null;
      },
      extraOptions: { quiet: true },
    }),
    listQuotaData: build.query<QuotaData[], QuotaDataRequest>({
      query: ({ all, username, askedAt: _, ...span }) =>
        all
          ? { url: 'api/data/', params: { username: username || undefined, ...span } }
          : { url: 'api/data/self/', params: span },
      transformResponse: (rows: QuotaData[] | null) => rows ?? [],
      extraOptions: { quiet: true },
      providesTags: ['Log', 'Usage'],
    }),
  }),
});

export const {
  useListLogsQuery,
  useCountLogsQuery,
  useLazyCountLogsQuery,
  useGetLogStatQuery,
  useClearLogsMutation,
  useGetBillQuery,
  useListQuotaDataQuery,
} = logApi;
