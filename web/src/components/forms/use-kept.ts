import { useEffect, useLayoutEffect, useRef } from 'react';
import { useStore } from 'react-redux';
import { useLocation } from 'react-router-dom';
import type { ZodMiniType } from 'zod/mini';
import { forgetDraft, storeDraft, takeDraft } from '../../app/drafts.js';
import { hasSignedOut, selectExpired, selectUser } from '../../app/slices/session.js';
import type { RootState } from '../../app/store.js';
import { useAppSelector } from '../../app/store.js';

interface Kept<T> {
  /** Distinguishes the forms of one page. */
  id: string;
  /** The data to keep, without secrets; `undefined` if nothing was typed. */
  typed: () => T | undefined;
  restore: (typed: T) => void;
  /** Stored data that does not satisfy it, such as from another version of the console, is ignored. */
  schema: ZodMiniType<T>;
  /** `false` while the object to edit is being loaded. */
  ready?: boolean;
}

/** Keeps typed text over a reload and an expired login: it is restored when the same user returns to the same address. */
export function useKept<T>({ id, typed, restore, schema, ready = true }: Kept<T>): void {
  const { pathname } = useLocation();
  const store = useStore<RootState>();
  const user = useAppSelector(selectUser)?.id;
  const form = `${pathname}#${id}`;
  const latest = useRef<() => void>(undefined);
  /** The form whose draft was already looked up. */
  const lookedUpForm = useRef<string>(undefined);
  const lastUser = useRef(user);
  if (user !== undefined) lastUser.current = user;
  latest.current = () => {
    const value = typed();
    if (value === undefined) {
      // The restored text was submitted or deleted since.
      if (lookedUpForm.current === form) forgetDraft(form);
    } else if (lastUser.current !== undefined) storeDraft(lastUser.current, form, value);
  };
  // An expired login unmounts the page, so this is the last moment to keep the text.
  useLayoutEffect(
    () => () => {
      if (selectExpired(store.getState()) && !hasSignedOut(lastUser.current)) latest.current?.();
    },
    [store],
  );
  useEffect(() => {
    const keep = () => latest.current?.();
    // The page comes from the back-forward cache and still has its text.
    const shownAgain = ({ persisted }: PageTransitionEvent) => persisted && forgetDraft(form);
    window.addEventListener('pagehide', keep);
    window.addEventListener('pageshow', shownAgain);
    return () => {
      window.removeEventListener('pagehide', keep);
      window.removeEventListener('pageshow', shownAgain);
    };
  }, [form]);
  const restoreNow = useRef<(value: unknown) => void>(undefined);
  restoreNow.current = (value) => {
    const { data } = schema.safeParse(value);
    if (data !== undefined) restore(data);
  };
  useEffect(() => {
    if (!ready || user === undefined) return;
    const value = takeDraft(user, form);
    lookedUpForm.current = form;
    if (value !== undefined) restoreNow.current?.(value);
  }, [ready, user, form]);
}
