import { skipToken } from '@reduxjs/toolkit/query';
import { useEffect, useRef } from 'react';
import type { ChannelRequest } from '../../api/channel.api.js';
import { channelApi, useRefreshChannelsQuery } from '../../api/channel.api.js';
import { selectHeardAt } from '../../app/slices/live.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';

/**
 * Updates the shown rows when others change or disable channels. The tag view is not updated, since its rows show no
 * state of a single channel. `askedAt`: when the shown page was requested; it may not include changes announced after
 * that.
 */
export function useLiveStates(request: ChannelRequest, askedAt = Infinity): void {
  const dispatch = useAppDispatch();
  const heardAt = useAppSelector((state) => selectHeardAt(state, 'channels'));
  const isOld = heardAt > askedAt && request.filter.tags !== '1';
  const { currentData, startedTimeStamp = 0 } = useRefreshChannelsQuery(isOld ? { ...request, heardAt } : skipToken);
  const shownRequest = useRef(request);
  shownRequest.current = request;
  useEffect(() => {
    // A reply to an earlier request must not overwrite rows that were requested later.
    if (!currentData || startedTimeStamp < askedAt) return;
    const fresh = new Map(currentData.items.map((row) => [row.id, row]));
    dispatch(
      channelApi.util.updateQueryData('listChannels', shownRequest.current, (shown) => {
        shown.items = shown.items.map((row) => fresh.get(row.id) ?? row);
      }),
    );
  }, [currentData, startedTimeStamp, askedAt, dispatch]);
}
