import { useEffect, useLayoutEffect, useRef } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { useStore } from 'react-redux';
import { useLocation } from 'react-router-dom';
import { selectExpired, selectUser } from '../app/slices/session.js';
import type { RootState } from '../app/store.js';
import { useAppSelector } from '../app/store.js';

const KEY = 'draft';
/** After a login a page may be drawn more than once before it is at rest. */
const REST_MS = 5000;

interface Draft {
  user: number;
  path: string;
  values: Record<string, unknown>;
}

function storeDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // Without storage the text is lost, as it is when the tab is closed.
  }
}

/** What was left at this place by this person; it is gone soon after. */
function takeDraft(user: number, path: string): Draft['values'] | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Draft | null;
    if (draft?.path !== path) return undefined;
    setTimeout(() => sessionStorage.removeItem(KEY), REST_MS);
    return draft.user === user ? draft.values : undefined;
  } catch {
    return undefined;
  }
}

interface DraftOptions<T> {
  /** False while what is to be edited is on its way. */
  ready?: boolean;
  /** Never kept. */
  secrets?: (keyof T)[];
}

/** Changed fields of a form outlive an expired login: they are there again when the same person comes back. */
export function useDraft<T extends FieldValues>(form: UseFormReturn<T>, options: DraftOptions<T> = {}): void {
  const { ready = true, secrets = [] } = options;
  const { pathname } = useLocation();
  const store = useStore<RootState>();
  const user = useAppSelector(selectUser)?.id;
  const { dirtyFields } = form.formState;
  const latest = useRef<() => void>(undefined);
  latest.current = () => {
    const names = Object.keys(dirtyFields).filter((name) => !secrets.includes(name));
    if (names.length === 0 || user === undefined) return;
    const all = form.getValues();
    storeDraft({ user, path: pathname, values: Object.fromEntries(names.map((name) => [name, all[name]])) });
  };
  // The page goes with the session, so its end is the last moment to keep anything.
  useLayoutEffect(
    () => () => {
      if (selectExpired(store.getState())) latest.current?.();
    },
    [store],
  );
  useEffect(() => {
    const values = ready && user !== undefined ? takeDraft(user, pathname) : undefined;
    for (const [name, value] of Object.entries(values ?? {}))
      form.setValue(name as Path<T>, value as PathValue<T, Path<T>>, { shouldDirty: true });
  }, [ready, user, pathname, form]);
}
