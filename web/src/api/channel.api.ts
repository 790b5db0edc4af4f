import type {
  DeleteChannels,
  Channel,
  ChannelCounts,
  CreateChannel,
  Demonstration,
  UpdateChannel,
} from '@tollgate/contracts/api/channel';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfArray } from './paged.js';

export type ChannelFilter = {
  keyword: string;
  model: string;
  group: string;
  status: string;
  sort: string;
  tags: string;
};
export interface ChannelRequest extends PageRequest {
  filter: ChannelFilter;
}

/**
 * Parameters of the request: `sort=id` and `tags=1` of the page's address are `id_sort` and `tag_mode` in the API, whose pages count from
 * 0.
 */
const paramsOf = ({ page, size, filter }: ChannelRequest) => ({
  p: page - 1,
  page_size: size,
  id_sort: filter.sort === 'id',
  tag_mode: filter.tags === '1',
  keyword: filter.keyword || undefined,
  group: filter.group || undefined,
  model: filter.model || undefined,
  status: filter.status || undefined,
});

export const channelApi = injectEndpoints({
  endpoints: (build) => ({
    listChannels: build.query<Rows<Channel>, ChannelRequest>({
      query: (request) => ({ url: 'api/channel/search', params: paramsOf(request) }),
      transformResponse: (items: Channel[] | null, meta) => rowsOfArray(items, meta),
      extraOptions: { quiet: true },
      providesTags: ['Channel'],
    }),
    /** Number of channels by status. */
    countChannels: build.query<ChannelCounts, void>({
      query: () => 'api/channel/count',
      extraOptions: { quiet: true },
      providesTags: ['Channel', 'ChannelState'],
    }),
    /**
     * Fetches the same page again after somebody else changed something. The rows shown take over their new state and keep their place; no
     * row appears or disappears under the pointer.
     */
    refreshChannels: build.query<Rows<Channel>, ChannelRequest & { heardAt: number }>({
      query: (request) => ({ url: 'api/channel/search', params: paramsOf(request) }),
      transformResponse: (items: Channel[] | null, meta) => rowsOfArray(items, meta),
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
    }),
    getChannel: build.query<Channel, number>({
      query: (id) => `api/channel/${id}`,
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
    }),
    getDemonstration: build.query<Demonstration, void>({
      query: () => 'api/channel/demonstration',
      extraOptions: { quiet: true },
      providesTags: ['Channel'],
    }),
    createDemonstration: build.mutation<Demonstration, void>({
      query: () => ({ url: 'api/channel/demonstration', method: 'POST' }),
      invalidatesTags: ['Channel', 'Model'],
    }),
    createChannel: build.mutation<{ ids: number[] } | null, CreateChannel>({
      query: (body) => ({ url: 'api/channel/', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    /** Also for changes of status, priority or weight alone. With `oneOfMany` the caller fetches the list once at the end. */
    updateChannel: build.mutation<Channel, { change: UpdateChannel; oneOfMany?: boolean }>({
      query: ({ change }) => ({ url: 'api/channel/', method: 'PUT', body: change }),
      extraOptions: { quiet: true },
      invalidatesTags: (_, __, { oneOfMany = false }) => (oneOfMany ? [] : ['Channel', 'Model']),
    }),
    deleteChannel: build.mutation<null, number>({
      query: (id) => ({ url: `api/channel/${id}/`, method: 'DELETE' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    deleteChannels: build.mutation<number, DeleteChannels>({
      query: (body) => ({ url: 'api/channel/batch', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    fixAbilities: build.mutation<number, void>({
      query: () => ({ url: 'api/channel/fix', method: 'POST' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
  }),
});

export const {
  useListChannelsQuery,
  useCountChannelsQuery,
  useRefreshChannelsQuery,
  useGetChannelQuery,
  useGetDemonstrationQuery,
  useCreateDemonstrationMutation,
  useCreateChannelMutation,
  useUpdateChannelMutation,
  useDeleteChannelMutation,
  useDeleteChannelsMutation,
  useFixAbilitiesMutation,
} = channelApi;
