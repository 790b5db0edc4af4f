import { TokenStatus } from '@tollgate/contracts/roles';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { tokenApi, useListTokensQuery } from '../../api/token.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';

/** Where the first enabled one is looked for. */
const FIRST = { page: 1, size: 100, filter: { keyword: '', token: '' } };
/** As documented, so that the words can be read. */
const LEAVE_MS = 1500;

/** The first enabled token of the person; who has none is told and led to the list. */
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

/** The key of a token, kept no longer than the page. */
export function useKeyOf(id: number) {
  const dispatch = useAppDispatch();
  const [key, setKey] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let left = false;
    const asked = tokenApi.endpoints.getToken.initiate(id, { subscribe: false, forceRefetch: true });
    void dispatch(asked).then((answer) => {
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
