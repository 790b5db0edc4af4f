import type { ChannelHealth, Why, whyEndpoints } from '@tollgate/contracts/api/channel-health';
import { injectEndpoints } from './base-api.js';

export interface WhyRequest {
  group: string;
  model: string;
  endpoint: '' | (typeof whyEndpoints)[number];
  channel?: number;
}

/** Why channels are in their state, and how they are probed. */
export const channelHealthApi = injectEndpoints({
  endpoints: (build) => ({
    getChannelHealth: build.query<ChannelHealth, { id: number; hours: number }>({
      query: ({ id, hours }) => ({ url: `api/channel/${id}/health`, params: { hours } }),
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
      providesTags: ['Channel', 'ChannelState'],
    }),
    whyChannels: build.query<Why, WhyRequest>({
      query: ({ group, model, endpoint, channel }) => ({
        url: 'api/channel/why',
        params: { group, model, endpoint: endpoint || undefined, channel_id: channel },
      }),
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
      providesTags: ['Channel', 'ChannelState'],
    }),
  }),
});

export const { useGetChannelHealthQuery, useWhyChannelsQuery } = channelHealthApi;
