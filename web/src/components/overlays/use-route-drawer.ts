import type { NavigateOptions } from 'react-router-dom';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { savedState } from './dirty-guard.js';
import { overPage, useOverEntry } from './use-over-entry.js';

/** An id from the address; `undefined` if it is missing or not a number. */
const numberOf = (text: string | undefined): number | undefined =>
  /^\d+$/.test(text ?? '') ? Number(text) : undefined;

/**
 * The drawer of a list page has an address: `<base>/add`, `<base>/add/7` (a copy of 7) and `<base>/edit/7`. The list's filters stay in the
 * address.
 */
export function useRouteDrawer(base: string) {
  const { mode, id } = useParams();
  const navigate = useNavigate();
  const { search } = useLocation();
  const entry = useOverEntry();
  const go = (path: string, options?: NavigateOptions) => void navigate(`${base}${path}${search}`, options);
  // Opened from another drawer, its history entry does not directly follow the list's.
  const open = (path: string) => go(path, mode === undefined ? { state: overPage } : undefined);
  const number = numberOf(id);
  const saved = () => entry.leave(() => go('', { replace: true, state: savedState }), { saved: true });
  return {
    open: mode === 'add' || (mode === 'edit' && number !== undefined),
    /** The address is `<base>/edit` without an id. */
    nameless: mode === 'edit' && id === undefined,
    id: mode === 'edit' ? number : undefined,
    copyFrom: mode === 'add' ? number : undefined,
    add: () => open('/add'),
    edit: (of: number) => open(`/edit/${of}`),
    copy: (of: number) => open(`/add/${of}`),
    close: () => entry.leave(() => go('', { replace: true })),
    /** Closes after a save, without asking about unsaved text. */
    saved,
    /** The handler of a save: does `first`, then closes as `saved` does. */
    savedAfter:
      <Args extends unknown[]>(first: (...args: Args) => void) =>
      (...args: Args) => {
        first(...args);
        saved();
      },
  };
}
export type RouteDrawer = ReturnType<typeof useRouteDrawer>;
