import type { QuotaData } from '@tollgate/contracts/api/log';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { baseApi } from '../../api/base-api.js';
import { rowsOfArray } from '../../api/paged.js';

export interface DetailRequest {
  /** Everybody's hours, or one's own. */
  all: boolean;
  username: string;
  start_timestamp: number;
  end_timestamp: number;
  default_time: string;
  /** A later moment makes it a new question, though the times may be the same. */
  askedAt: number;
}

export const detailApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    listQuotaData: build.query<QuotaData[], DetailRequest>({
      query: ({ all, username, askedAt: _, ...span }) =>
        all
          ? { url: 'api/data/', params: { username: username || undefined, ...span } }
          : { url: 'api/data/self/', params: span },
      transformResponse: (rows: QuotaData[] | null) => rows ?? [],
      extraOptions: { quiet: true },
      providesTags: ['Log', 'Usage'],
    }),
    /** Channels the system has switched off. */
    countOff: build.query<number, void>({
      query: () => ({ url: 'api/channel/', params: { p: 0, page_size: 1, status: ChannelStatus.autoDisabled } }),
      transformResponse: (items: unknown[] | null, meta) => rowsOfArray(items, meta).total ?? 0,
      extraOptions: { quiet: true },
      providesTags: ['Channel', 'ChannelState'],
    }),
  }),
});

export const { useListQuotaDataQuery, useCountOffQuery } = detailApi;
