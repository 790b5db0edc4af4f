import type { Channel, CreateChannel, UpdateChannel } from '@tollgate/contracts/api/channel';
import { baseApi } from '../../api/base-api.js';
import type { PageRequest, Rows } from '../../api/paged.js';
import { rowsOfArray } from '../../api/paged.js';

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

/** The address says `sort=id` and `tags=1`, the wire says `id_sort` and `tag_mode`; pages count from 0 there. */
export const paramsOf = ({ page, size, filter }: ChannelRequest) => ({
  p: page - 1,
  page_size: size,
  id_sort: filter.sort === 'id',
  tag_mode: filter.tags === '1',
  keyword: filter.keyword || undefined,
  group: filter.group || undefined,
  model: filter.model || undefined,
  status: filter.status || undefined,
});

export const channelApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    listChannels: build.query<Rows<Channel>, ChannelRequest>({
      query: (request) => ({ url: 'api/channel/search', params: paramsOf(request) }),
      transformResponse: (items: Channel[] | null, meta) => rowsOfArray(items, meta),
      extraOptions: { quiet: true },
      providesTags: ['Channel'],
    }),
    /** How many channels have a status; '' counts all. */
    countChannels: build.query<number | undefined, string>({
      query: (status) => ({ url: 'api/channel/', params: { p: 0, page_size: 1, status: status || undefined } }),
      transformResponse: (items: unknown[] | null, meta) => rowsOfArray(items, meta).total,
      extraOptions: { quiet: true },
      providesTags: ['Channel', 'ChannelState'],
    }),
    getChannel: build.query<Channel, number>({
      query: (id) => `api/channel/${id}`,
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
    }),
    createChannel: build.mutation<{ ids: number[] } | null, CreateChannel>({
      query: (body) => ({ url: 'api/channel/', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    /** Also the list's partial update: status, priority or weight alone. */
    updateChannel: build.mutation<Channel, UpdateChannel>({
      query: (body) => ({ url: 'api/channel/', method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    deleteChannel: build.mutation<null, number>({
      query: (id) => ({ url: `api/channel/${id}/`, method: 'DELETE' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    deleteChannels: build.mutation<number, number[]>({
      query: (ids) => ({ url: 'api/channel/batch', method: 'POST', body: { ids } }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Channel', 'Model'],
    }),
    deleteDisabledChannels: build.mutation<number, void>({
      query: () => ({ url: 'api/channel/disabled', method: 'DELETE' }),
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
  useGetChannelQuery,
  useCreateChannelMutation,
  useUpdateChannelMutation,
  useDeleteChannelMutation,
  useDeleteChannelsMutation,
  useDeleteDisabledChannelsMutation,
  useFixAbilitiesMutation,
} = channelApi;
