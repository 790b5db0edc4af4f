import { toastShown } from '../app/slices/toasts.js';
import { useAppDispatch } from '../app/store.js';

/**
 * Properties of a button that may be denied: it stays in the order of keys, and pressing it tells the reason, because a hint under the
 * pointer reaches neither keys nor fingers.
 */
export function useDeniable() {
  const dispatch = useAppDispatch();
  return (reason: string | undefined, run: () => void) => ({
    'aria-disabled': reason ? (true as const) : undefined,
    title: reason,
    onClick: () => {
      if (reason) dispatch(toastShown({ severity: 'info', key: 'toast.reason', params: { reason } }));
      else run();
    },
  });
}
