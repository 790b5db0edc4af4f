import type { MouseEvent } from 'react';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';

/**
 * Properties of a button that may be denied: it stays in the order of keys, and pressing it tells the reason, because a hint under the
 * pointer reaches neither keys nor fingers.
 */
export function useDeniable() {
  const dispatch = useAppDispatch();
  return (reason: string | undefined, run?: (event: MouseEvent<HTMLButtonElement>) => void) => ({
    'aria-disabled': reason ? (true as const) : undefined,
    title: reason,
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      if (!reason) return run?.(event);
      // It may be the one that sends a form.
      event.preventDefault();
      dispatch(toastShown({ severity: 'info', key: 'toast.reason', params: { reason } }));
    },
  });
}
