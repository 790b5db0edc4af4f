import { createApi } from '@reduxjs/toolkit/query/react';
import { envelopeQuery } from './envelope-query.js';

/** Data of the server lives here and nowhere else; each resource adds its calls in `api/<resource>.api.ts`. */
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
    'Redemption',
    'TopUp',
    'Journal',
    'Approval',
    'Statement',
    'Cost',
    'Invoice',
    'User',
    'Pricing',
    'Group',
    'Model',
    // What follows changes by anybody, as the live stream tells of them.
    'Usage',
    'ChannelState',
    'ChannelKey',
  ],
  refetchOnReconnect: true,
  endpoints: () => ({}),
});

/** Adds calls. A name that is taken already throws: by default the second call of that name would be dropped without a word. */
export const injectEndpoints: typeof baseApi.injectEndpoints = (options) =>
  baseApi.injectEndpoints({ ...options, overrideExisting: 'throw' });
