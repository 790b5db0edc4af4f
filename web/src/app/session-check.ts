import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit';
import { isApiError } from '../api/api-error.js';
import { selfApi } from '../api/self.api.js';

type Dispatch = ThunkDispatch<unknown, unknown, UnknownAction>;

/** A reply that replaces the session's cookie, in this tab or another one, has arrived by then. */
const SECOND_LOOK_MS = 1000;

interface CheckedSession {
  userId: number;
  /** The server has not confirmed it since the page was loaded. Such a session is looked at once, because nothing in this tab replaces it. */
  isGuess: boolean;
}

/** Whether the server refuses the session; `false` too if it cannot say so now. */
async function isRefused(dispatch: Dispatch): Promise<boolean> {
  const ask = selfApi.endpoints.checkSession.initiate(undefined, { forceRefetch: true, subscribe: false });
  const { error } = await dispatch(ask);
  // A proxy's own 401 does not state the kind.
  return isApiError(error) && error.status === 401 && error.kind === 'unauthenticated';
}

/**
 * Finds out whether a session is over. A call that was refused with status 401 does not prove it: the call may have been sent with the
 * cookie from before another sign-in or a new password, or be refused by a provider, a proxy or another service. Refusals of one
 * user that arrive together share one look.
 */
export function sessionCheck(): (dispatch: Dispatch, session: CheckedSession) => Promise<boolean> {
  const running = new Map<number, Promise<boolean>>();
  const look = async (dispatch: Dispatch, isGuess: boolean): Promise<boolean> => {
    if (!(await isRefused(dispatch))) return false;
    if (isGuess) return true;
    await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
    return isRefused(dispatch);
  };
  return (dispatch, { userId, isGuess }) => {
    const already = running.get(userId);
    if (already) return already;
    const verdict = look(dispatch, isGuess).finally(() => running.delete(userId));
    running.set(userId, verdict);
    return verdict;
  };
}
