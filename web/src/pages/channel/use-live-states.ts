import { skipToken } from '@reduxjs/toolkit/query';
import { useEffect, useRef } from 'react';
import type { ChannelRequest } from '../../api/channel.api.js';
import { channelApi, useRefreshChannelsQuery } from '../../api/channel.api.js';
import { selectHeardAt } from '../../app/slices/live.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';

/**
 * Rows follow what others do to their channels. Rows by tags show no state of one channel and wait for the reader. `askedAt`: when the
 * shown page was asked for; what was heard later it may not know yet.
 */
export function useLiveStates(request: ChannelRequest, askedAt = Infinity): void {
  const dispatch = useAppDispatch();
  const heardAt = useAppSelector((state) => selectHeardAt(state, 'channels'));
  const isOld = heardAt > askedAt && request.filter.tags !== '1';
  const { currentData, startedTimeStamp = 0 } = useRefreshChannelsQuery(isOld ? { ...request, heardAt } : skipToken);
  const shownRequest = useRef(request);
  shownRequest.current = request;
  useEffect(() => {
    // A late answer must not overwrite what was asked for after it.
    if (!currentData || startedTimeStamp < askedAt) return;
    const fresh = new Map(currentData.items.map((row) => [row.id, row]));
    dispatch(
      channelApi.util.updateQueryData('listChannels', shownRequest.current, (shown) => {
        shown.items = shown.items.map((row) => fresh.get(row.id) ?? row);
      }),
    );
  }, [currentData, startedTimeStamp, askedAt, dispatch]);
}
