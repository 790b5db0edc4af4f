import { createApi } from '@reduxjs/toolkit/query/react';
import { envelopeQuery } from './envelope-query.js';

/** The only cache of server data; each resource adds its calls in `api/<resource>.api.ts`. */
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
    // Data that anybody's actions change; the live stream reports these changes.
    'Usage',
    'ChannelState',
    'ChannelKey',
  ],
  refetchOnReconnect: true,
  endpoints: () => ({}),
});

/** Adds calls. Throws if a name is already taken; RTK Query would silently drop the second call of that name. */
export const injectEndpoints: typeof baseApi.injectEndpoints = (options) =>
  baseApi.injectEndpoints({ ...options, overrideExisting: 'throw' });
