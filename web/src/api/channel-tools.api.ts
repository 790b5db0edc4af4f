import type {
  BuiltInModel,
  ChannelBalanceReply,
  ChannelKeyRow,
  ChannelTestReply,
  ChannelTestRow,
  FetchModels,
  SwitchKey,
  TagChannels,
  TestChannels,
  UpdateTag,
} from '@tollgate/contracts/api/channel';
import { injectEndpoints } from './base-api.js';

const sorted = (names: string[] | null): string[] => [...new Set(names ?? [])].sort();

/** Tags, tests, balances and model lists of channels. */
export const channelToolsApi = injectEndpoints({
  endpoints: (build) => ({
    /** The keys' states; the server never sends a key to the browser. */
    listChannelKeys: build.query<ChannelKeyRow[], number>({
      query: (id) => `api/channel/${id}/keys`,
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
      providesTags: ['ChannelKey'],
    }),
    switchChannelKey: build.mutation<ChannelKeyRow[], SwitchKey & { id: number }>({
      query: ({ id, ...body }) => ({ url: `api/channel/${id}/keys`, method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'ChannelKey'],
    }),
    tagChannels: build.mutation<number, TagChannels>({
      query: (body) => ({ url: 'api/channel/batch/tag', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel'],
    }),
    updateTag: build.mutation<null, UpdateTag>({
      query: (body) => ({ url: 'api/channel/tag', method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    switchTag: build.mutation<null, { tag: string; on: boolean }>({
      query: ({ tag, on }) => ({
        url: `api/channel/tag/${on ? 'enabled' : 'disabled'}`,
        method: 'POST',
        body: { tag },
      }),
      invalidatesTags: ['Channel', 'Model'],
    }),
    /** A failed test is a successful call, since its result is the upstream's error message. */
    testChannel: build.mutation<ChannelTestReply, { id: number; model?: string }>({
      query: ({ id, model }) => ({ url: `api/channel/test/${id}`, params: { model } }),
      transformResponse: (_, meta) => meta?.body as ChannelTestReply,
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel'],
    }),
    /** Tests several channels in one call. Invalidates nothing: the caller fetches the list once after the last call. */
    testSomeChannels: build.mutation<ChannelTestRow[], TestChannels>({
      query: (body) => ({ url: 'api/channel/batch/test', method: 'POST', body }),
      extraOptions: { quiet: true },
    }),
    testChannels: build.mutation<null, void>({ query: () => 'api/channel/test' }),
    updateBalance: build.mutation<number, number>({
      query: (id) => `api/channel/update_balance/${id}/`,
      transformResponse: (_, meta) => (meta?.body as ChannelBalanceReply).balance,
      invalidatesTags: ['Channel'],
    }),
    updateBalances: build.mutation<null, void>({
      query: () => 'api/channel/update_balance',
      invalidatesTags: ['Channel'],
    }),
    fetchStoredModels: build.mutation<string[], number>({
      query: (id) => `api/channel/fetch_models/${id}`,
      transformResponse: sorted,
    }),
    fetchModels: build.mutation<string[], FetchModels>({
      query: (body) => ({ url: 'api/channel/fetch_models', method: 'POST', body }),
      transformResponse: sorted,
    }),
    listBuiltInModels: build.query<string[], void>({
      query: () => 'api/channel/models',
      transformResponse: (models: BuiltInModel[] | null) => sorted((models ?? []).map(({ id }) => id)),
    }),
  }),
});

export const {
  useListChannelKeysQuery,
  useSwitchChannelKeyMutation,
  useTagChannelsMutation,
  useUpdateTagMutation,
  useSwitchTagMutation,
  useTestChannelMutation,
  useTestSomeChannelsMutation,
  useTestChannelsMutation,
  useUpdateBalanceMutation,
  useUpdateBalancesMutation,
  useFetchStoredModelsMutation,
  useFetchModelsMutation,
  useListBuiltInModelsQuery,
} = channelToolsApi;
