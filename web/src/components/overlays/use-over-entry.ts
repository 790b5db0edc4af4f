import { useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { goBack } from './dirty-guard.js';

/** State of a history entry that directly follows the entry of its page; links of the page pass it. */
export const overPage = { overPage: true } as const;
const isOverPage = (state: unknown): boolean => (state as { overPage?: boolean } | null)?.overPage === true;

/**
 * For a drawer or dialog with an address of its own. Closing it goes back to the page's history entry, so that the page does not get a
 * second one. If the address was opened directly there is no such entry, and the page's address replaces it. If the user navigated
 * elsewhere before the reply to a save, nothing happens.
 */
export function useOverEntry() {
  const navigate = useNavigate();
  const { key, state } = useLocation();
  const shown = useRef<string>(undefined);
  useLayoutEffect(() => {
    shown.current = key;
    return () => void (shown.current = undefined);
  }, [key]);
  return {
    leave: (replace: () => void, { saved = false } = {}) => {
      if (shown.current !== key) return;
      if (isOverPage(state)) goBack(navigate, saved);
      else replace();
    },
  };
}
