import { skipToken } from '@reduxjs/toolkit/query';
import type { Channel } from '@tollgate/contracts/api/channel';
import type { Rows } from '../../api/paged.js';
import { rowsOfArray } from '../../api/paged.js';
import { selectHeardAt } from '../../app/slices/live.js';
import { useAppSelector } from '../../app/store.js';
import type { ChannelRequest } from './channel.api.js';
import { channelApi, paramsOf } from './channel.api.js';

const statesApi = channelApi.injectEndpoints({
  endpoints: (build) => ({
    /**
     * The same page once more, when somebody else changed something: rows that are shown take over their state and stay where they
     * are, and none comes or goes under the pointer.
     */
    lookAgain: build.query<Rows<Channel>, ChannelRequest & { heardAt: number }>({
      query: (request) => ({ url: 'api/channel/search', params: paramsOf(request) }),
      transformResponse: (items: Channel[] | null, meta) => rowsOfArray(items, meta),
      keepUnusedDataFor: 0,
      extraOptions: { quiet: true },
      async onQueryStarted({ heardAt: _, ...request }, { dispatch, queryFulfilled }) {
        const fresh = await queryFulfilled.then(
          ({ data }) => new Map(data.items.map((row) => [row.id, row])),
          () => new Map<number, Channel>(),
        );
        dispatch(
          channelApi.util.updateQueryData('listChannels', request, (shown) => {
            shown.items = shown.items.map((row) => fresh.get(row.id) ?? row);
          }),
        );
      },
    }),
  }),
});

/** Rows follow what others do to their channels. Rows by tags show no state of one channel and wait for the reader. */
export function useLiveStates(request: ChannelRequest, askedAt = Infinity): void {
  const heardAt = useAppSelector((state) => selectHeardAt(state, 'channels'));
  const isOld = heardAt > askedAt && request.filter.tags !== '1';
  statesApi.useLookAgainQuery(isOld ? { ...request, heardAt } : skipToken);
}
