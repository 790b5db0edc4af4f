import type { MouseEvent } from 'react';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';

/**
 * Properties of a button that may be denied. It stays in the tab order, and pressing it shows the reason, because a tooltip is reachable
 * neither by keyboard nor by touch.
 */
export function useDeniable() {
  const dispatch = useAppDispatch();
  return (reason: string | undefined, run?: (event: MouseEvent<HTMLButtonElement>) => void) => ({
    'aria-disabled': reason ? (true as const) : undefined,
    title: reason,
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      if (!reason) return run?.(event);
      // The button may be a submit button.
      event.preventDefault();
      dispatch(toastShown({ severity: 'info', key: 'toast.reason', params: { reason } }));
    },
  });
}
