import { sessionExpired } from '../api/events.js';
import { USER_KEY, readStoredUser, selectUser, signedIn } from './slices/session.js';
import { toastShown } from './slices/toasts.js';
import type { Store } from './store.js';

/**
 * All tabs of a browser share one session: signing in or out in another tab takes effect in this one too. Returns the function that stops
 * listening.
 */
export function followOtherTabs(store: Store): () => void {
  const follow = (): void => {
    const here = selectUser(store.getState());
    const stored = readStoredUser();
    if (stored?.id === here?.id) return;
    if (!stored) {
      store.dispatch(sessionExpired());
      return;
    }
    store.dispatch(signedIn(stored));
    if (here)
      store.dispatch(toastShown({ severity: 'info', key: 'session.switched', params: { name: stored.username } }));
  };
  const onStorage = ({ key }: StorageEvent): void => {
    // The key is `null` when the whole storage was cleared.
    if (key === USER_KEY || key === null) follow();
  };
  // The page comes from the back-forward cache, in which it heard of no sign-out.
  const onShown = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) follow();
  };
  window.addEventListener('storage', onStorage);
  window.addEventListener('pageshow', onShown);
  return () => {
    window.removeEventListener('storage', onStorage);
    window.removeEventListener('pageshow', onShown);
  };
}
