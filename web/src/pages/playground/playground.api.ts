import type { Page } from '@tollgate/contracts/envelope';
import type { Log } from '@tollgate/contracts/api/log';
import type { PricingRow } from '@tollgate/contracts/api/pricing';
import { baseApi } from '../../api/base-api.js';

export interface Bill {
  promptTokens: number;
  completionTokens: number;
  quota: number;
}

export const playgroundApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    /** What a request cost, by its id; null until it is booked. */
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
    /** Group → models it may call. */
    listGroupModels: build.query<Record<string, string[]>, void>({
      query: () => 'api/pricing',
      transformResponse: (rows: PricingRow[] | null) => {
        const models: Record<string, string[]> = {};
        for (const { model_name: name, enable_groups: groups } of rows ?? []) {
          for (const group of groups) (models[group] ??= []).push(name);
        }
        return models;
      },
      extraOptions: { quiet: true },
      providesTags: ['Pricing', 'Model'],
    }),
  }),
});

export const { useGetBillQuery, useListGroupModelsQuery } = playgroundApi;
