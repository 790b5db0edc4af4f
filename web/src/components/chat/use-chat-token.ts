import { TokenStatus } from '@tollgate/contracts/roles';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { tokenApi, useListTokensQuery } from '../../api/token.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';

/** The first enabled token is searched on this page of the list. */
const FIRST = { page: 1, size: 100, filter: { keyword: '', token: '' } };
/** The documented delay, which gives time to read the message. */
const LEAVE_MS = 1500;

/** The user's first enabled token. A user without one sees a message and is redirected to the list of tokens. */
export function useChatToken() {
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const { data, error, refetch } = useListTokensQuery(FIRST, { refetchOnMountOrArgChange: true });
  const token = data?.items.find(({ status }) => status === TokenStatus.enabled);
  const none = data !== undefined && !token;
  useEffect(() => {
    if (!none) return;
    dispatch(toastShown({ severity: 'error', key: 'chat.noToken' }));
    const timer = setTimeout(() => void navigate('/token', { replace: true }), LEAVE_MS);
    return () => clearTimeout(timer);
  }, [none, dispatch, navigate]);
  return { token, none, error, retry: () => void refetch() };
}

/** The key of a token, kept in the component's state only. */
export function useKeyOf(id: number) {
  const dispatch = useAppDispatch();
  const [key, setKey] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let left = false;
    const call = tokenApi.endpoints.getToken.initiate(id, { subscribe: false, forceRefetch: true });
    void dispatch(call).then((answer) => {
      if (left) return;
      setKey(answer.data?.key);
      setError(answer.error);
    });
    return () => {
      left = true;
    };
  }, [id, dispatch, tries]);
  return { key, error, retry: () => setTries(tries + 1) };
}
