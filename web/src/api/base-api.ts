import { createApi } from '@reduxjs/toolkit/query/react';
import { envelopeQuery } from './envelope-query.js';

/** Pages add their calls with `injectEndpoints`; data of the server lives here and nowhere else. */
export const baseApi = createApi({
  reducerPath: 'api',
  baseQuery: envelopeQuery,
  tagTypes: [
    'Status',
    'Self',
    'Token',
    'Channel',
    'Log',
    'Option',
    'User',
    'Pricing',
    'Group',
    'Model',
    // What follows changes by anybody, as the live stream tells of them.
    'Usage',
    'ChannelState',
  ],
  refetchOnReconnect: true,
  endpoints: () => ({}),
});
