import { useEffect, useLayoutEffect, useRef } from 'react';
import { useStore } from 'react-redux';
import { useLocation } from 'react-router-dom';
import { selectExpired, selectUser } from '../../app/slices/session.js';
import type { RootState } from '../../app/store.js';
import { useAppSelector } from '../../app/store.js';

const KEY = 'draft';
/** After a login a page may be drawn more than once before it is at rest, which it is when somebody acts upon it. */
const REST_MS = 5000;
const ACTS = ['pointerdown', 'keydown'] as const;
/** Drafts that were taken and are still there: what ends their time. */
const restless = new Map<string, () => void>();

interface Drafts {
  user: number;
  /** Form → what was typed into it. */
  forms: Record<string, unknown>;
}

function readDrafts(): Drafts | undefined {
  try {
    const drafts = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<Drafts> | null;
    return typeof drafts?.user === 'number' && typeof drafts.forms === 'object' ? (drafts as Drafts) : undefined;
  } catch {
    return undefined;
  }
}

function writeDrafts(drafts: Drafts): void {
  try {
    if (Object.keys(drafts.forms).length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(drafts));
  } catch {
    // Without storage the text is lost, as it is when the tab is closed.
  }
}

function storeDraft(user: number, form: string, value: unknown): void {
  restless.get(form)?.();
  const known = readDrafts();
  writeDrafts({ user, forms: { ...(known?.user === user ? known.forms : {}), [form]: value } });
}

function forgetDraft(form: string): void {
  restless.get(form)?.();
  const drafts = readDrafts();
  if (!drafts) return;
  const { [form]: _, ...forms } = drafts.forms;
  writeDrafts({ ...drafts, forms });
}

/** Once the page is at rest, unless it is kept anew before. */
function forgetAtRest(form: string): void {
  restless.get(form)?.();
  const forget = () => forgetDraft(form);
  const timer = setTimeout(forget, REST_MS);
  for (const act of ACTS) window.addEventListener(act, forget, true);
  restless.set(form, () => {
    clearTimeout(timer);
    for (const act of ACTS) window.removeEventListener(act, forget, true);
    restless.delete(form);
  });
}

/** What this person left in this form; it is gone soon after. */
function takeDraft(user: number, form: string): unknown {
  const drafts = readDrafts();
  if (drafts?.user !== user || !(form in drafts.forms)) return undefined;
  forgetAtRest(form);
  return drafts.forms[form];
}

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
  const known = useRef(user);
  if (user !== undefined) known.current = user;
  latest.current = () => {
    const value = typed();
    if (value !== undefined && known.current !== undefined) storeDraft(known.current, form, value);
  };
  // The page goes with the session, so its end is the last moment to keep anything.
  useLayoutEffect(
    () => () => {
      if (selectExpired(store.getState())) latest.current?.();
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
    const value = ready && user !== undefined ? takeDraft(user, form) : undefined;
    if (value !== undefined) restoreNow.current(value as T);
  }, [ready, user, form]);
}
