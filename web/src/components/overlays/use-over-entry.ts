import { useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { goBack } from './dirty-guard.js';

/** The state of an entry of the history that lies right over the one of its page; for links of the page. */
export const overPage = { overPage: true } as const;
const isOverPage = (state: unknown): boolean => (state as { overPage?: boolean } | null)?.overPage === true;

/**
 * What lies over a page under an address of its own. Closed, it leads back to the entry of the page, so that the page has one entry and not two;
 * where the address was opened by itself there is none, and the page takes its place. Whoever has gone elsewhere before a save was answered stays
 * there.
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
