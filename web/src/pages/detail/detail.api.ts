import type { QuotaData } from '@tollgate/contracts/api/log';
import { baseApi } from '../../api/base-api.js';

export interface DetailRequest {
  /** Everybody's hours, or one's own. */
  all: boolean;
  username: string;
  start_timestamp: number;
  end_timestamp: number;
  default_time: string;
}

export const detailApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    listQuotaData: build.query<QuotaData[], DetailRequest>({
      query: ({ all, username, ...span }) =>
        all
          ? { url: 'api/data/', params: { username: username || undefined, ...span } }
          : { url: 'api/data/self/', params: span },
      transformResponse: (rows: QuotaData[] | null) => rows ?? [],
      extraOptions: { quiet: true },
      providesTags: ['Log'],
    }),
  }),
});

export const { useListQuotaDataQuery } = detailApi;
