import { useEffect, useLayoutEffect, useRef } from 'react';
import { useStore } from 'react-redux';
import { useLocation } from 'react-router-dom';
import { forgetDraft, storeDraft, takeDraft } from '../../app/drafts.js';
import { hasSignedOut, selectExpired, selectUser } from '../../app/slices/session.js';
import type { RootState } from '../../app/store.js';
import { useAppSelector } from '../../app/store.js';

interface Kept<T> {
  /** Tells the forms of one page apart. */
  id: string;
  /** What to keep, as plain data without secrets; undefined: nothing was typed. */
  typed: () => T | undefined;
  restore: (typed: T) => void;
  /** False while what is to be edited is on its way. */
  ready?: boolean;
}

/** What was typed outlives a reload and an expired login: it is there again when the same person comes back to the same place. */
export function useKept<T>({ id, typed, restore, ready = true }: Kept<T>): void {
  const { pathname } = useLocation();
  const store = useStore<RootState>();
  const user = useAppSelector(selectUser)?.id;
  const form = `${pathname}#${id}`;
  const latest = useRef<() => void>(undefined);
  /** The form whose draft was looked for. */
  const taken = useRef<string>(undefined);
  const known = useRef(user);
  if (user !== undefined) known.current = user;
  latest.current = () => {
    const value = typed();
    if (value === undefined) {
      // What came back and was sent or wiped since.
      if (taken.current === form) forgetDraft(form);
    } else if (known.current !== undefined) storeDraft(known.current, form, value);
  };
  // The page goes with the session, so its end is the last moment to keep anything.
  useLayoutEffect(
    () => () => {
      if (selectExpired(store.getState()) && !hasSignedOut(known.current)) latest.current?.();
    },
    [store],
  );
  useEffect(() => {
    const keep = () => latest.current?.();
    // Shown again as it was, it has what was typed.
    const shownAgain = ({ persisted }: PageTransitionEvent) => persisted && forgetDraft(form);
    window.addEventListener('pagehide', keep);
    window.addEventListener('pageshow', shownAgain);
    return () => {
      window.removeEventListener('pagehide', keep);
      window.removeEventListener('pageshow', shownAgain);
    };
  }, [form]);
  const restoreNow = useRef(restore);
  restoreNow.current = restore;
  useEffect(() => {
    if (!ready || user === undefined) return;
    const value = takeDraft(user, form);
    taken.current = form;
    if (value !== undefined) restoreNow.current(value as T);
  }, [ready, user, form]);
}
