import type { Log, LogStat } from '@tollgate/contracts/api/log';
import type { User } from '@tollgate/contracts/api/user';
import type { Page } from '@tollgate/contracts/envelope';
import { baseApi } from '../../api/base-api.js';
import type { PageRequest, Rows } from '../../api/paged.js';
import { rowsOfPage } from '../../api/paged.js';

/** Filters as the wire names them; '' and 0 filter nothing. */
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

export interface LogRequest extends PageRequest {
  /** Everybody's rows, or one's own. */
  all: boolean;
  query: LogQuery;
  /** A later moment makes it a new question, though the query may be the same. */
  askedAt?: number;
}

const given = (query: LogQuery) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '' && value !== 0 && value !== '0'));

export const logApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    listLogs: build.query<Rows<Log>, LogRequest>({
      query: ({ all, page, size, query }) => ({
        url: all ? 'api/log/' : 'api/log/self/',
        params: { p: page, page_size: size, ...given(query) },
      }),
      transformResponse: (page: Page<Log>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      providesTags: ['Log'],
    }),
    /** How many rows match now; `heardAt` makes it a new question. */
    countLogs: build.query<number, Omit<LogRequest, 'page' | 'size'> & { heardAt: number }>({
      query: ({ all, query }) => ({
        url: all ? 'api/log/' : 'api/log/self/',
        params: { p: 1, page_size: 1, ...given(query) },
      }),
      transformResponse: ({ total }: Page<Log>) => total,
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
    }),
    getLogStat: build.query<LogStat, Omit<LogRequest, 'page' | 'size'>>({
      query: ({ all, query }) => ({ url: all ? 'api/log/stat' : 'api/log/self/stat', params: given(query) }),
      extraOptions: { quiet: true },
      providesTags: ['Log'],
    }),
    getLogUser: build.query<User, number>({ query: (id) => `api/user/${id}`, extraOptions: { quiet: true } }),
  }),
});

export const { useListLogsQuery, useCountLogsQuery, useGetLogStatQuery, useGetLogUserQuery } = logApi;
