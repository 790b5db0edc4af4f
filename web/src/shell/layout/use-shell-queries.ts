import { skipToken } from '@reduxjs/toolkit/query';
import { useEffect, useRef } from 'react';
import { selectLiveUp } from '../../app/slices/live.js';
import { selectUser } from '../../app/slices/session.js';
import { STATUS_KEY, selectStatus, statusReceived, DEFAULT_LOGO } from '../../app/slices/status.js';
import { useGetSelfQuery } from '../../api/self.api.js';
import { useGetStatusQuery } from '../../api/status.api.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';

const STALE_MS = 60_000;
/** Polling interval while there is no live stream: the longest time until a changed option is shown, while the window has the focus. */
const POLL_MS = 20_000;

/**
 * Fetches status and user in parallel at the start. The status is fetched again when the live stream reports a change, by polling while
 * there is no stream, and on focus if it is older than a minute. A status stored by another tab is taken over.
 */
export function useShellQueries() {
  const dispatch = useAppDispatch();
  const user = useAppSelector(selectUser);
  const { logo } = useAppSelector(selectStatus);
  const live = useAppSelector(selectLiveUp);
  const { refetch, fulfilledTimeStamp = 0 } = useGetStatusQuery(undefined, {
    pollingInterval: live ? 0 : POLL_MS,
    skipPollingIfUnfocused: true,
  });
  useGetSelfQuery(user ? undefined : skipToken);
  const askedAt = useRef(fulfilledTimeStamp);
  askedAt.current = fulfilledTimeStamp;

  useEffect(() => {
    const onFocus = () => {
      if (Date.now() - askedAt.current > STALE_MS) void refetch();
    };
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key !== STATUS_KEY || !newValue) return;
      try {
        dispatch(statusReceived(JSON.parse(newValue)));
      } catch {
        // The key was written by another program; the next reply overwrites it.
      }
    };
    window.addEventListener('focus', onFocus);
    window.addEventListener('storage', onStorage);
    return () => {
      window.removeEventListener('focus', onFocus);
      window.removeEventListener('storage', onStorage);
    };
  }, [dispatch, refetch]);

  useEffect(() => {
    document.querySelector('link[rel="icon"]')?.setAttribute('href', logo || DEFAULT_LOGO);
  }, [logo]);
  return { refetchStatus: () => void refetch() };
}
