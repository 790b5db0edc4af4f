import { sessionExpired } from '../api/events.js';
import { USER_KEY, readStoredUser, selectUser, signedIn } from './slices/session.js';
import { toastShown } from './slices/toasts.js';
import type { Store } from './store.js';

/**
 * All tabs of a browser share one session: who signs in or out in another one does so here too. Answers the function that ends it.
 */
export function followOtherTabs(store: Store): () => void {
  const onStorage = ({ key }: StorageEvent): void => {
    // Without a key everything was wiped.
    if (key !== USER_KEY && key !== null) return;
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
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
