import { useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { BlockerFunction, Location, NavigateFunction } from 'react-router-dom';
import { NavigationType, useBlocker, useLocation } from 'react-router-dom';
import { ConfirmDialog, loadConfirm } from './use-confirm.js';

type Navigation = Parameters<BlockerFunction>[0];

interface DirtyGuardProps {
  dirty: boolean;
  /** The form stays when only the query of the address changes, so that navigation is not blocked. */
  samePage?: boolean;
  /** The form stays when the page below it replaces its own address, which the user did not ask for; that navigation is not blocked. */
  overPage?: boolean;
  /** Called when the user discards the text, for a form that may stay mounted after the navigation. */
  onDiscard?: () => void;
}

interface FormGuard {
  isLostBy: (navigation: Navigation) => boolean;
  discard: () => void;
}

/** All mounted forms. React Router supports one blocker at a time, so a single blocker checks them all. */
const guards = new Set<{ current: FormGuard }>();

/** Set from `goBack` until that navigation has ended or was refused by the user. */
let returning: { saved: boolean } | undefined;

/** State of a navigation that follows a save: the user is not asked about typed text. */
export const savedState = { saved: true } as const;
const isSaved = (state: unknown): boolean => (state as { saved?: boolean } | null)?.saved === true;

/** Closes a form by navigating back, only once however often its button is pressed. With `saved` the user is not asked about typed text. */
export function goBack(navigate: NavigateFunction, saved: boolean): void {
  if (returning) return;
  returning = { saved };
  void navigate(-1);
}

/** Asks whether typed text may be discarded. */
export function DiscardQuestion({ discard, onStay }: { discard: () => void; onStay: () => void }) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      options={{
        title: t('form.discardTitle'),
        consequences: [t('form.discardBody')],
        confirm: { label: t('action.discard'), danger: true },
        run: async () => discard(),
        onCancel: onStay,
      }}
      // Does nothing: the dialog is unmounted with the form. `onClose` also runs after `discard`, where it must not cancel the navigation
      // that has begun.
      onClose={() => undefined}
    />
  );
}

/** The forms that would lose typed text by this navigation. */
const affectedBy = (navigation: Navigation): FormGuard[] =>
  [...guards].map(({ current }) => current).filter(({ isLostBy }) => isLostBy(navigation));

/** Whether typed text would be lost together with the current page, as at a sign-out. */
export const isLostWithPage = (at: Location): boolean =>
  affectedBy({
    currentLocation: at,
    nextLocation: { ...at, pathname: '/login' },
    historyAction: NavigationType.Push,
  }).length > 0;

/** Asks the user, on behalf of all forms, before a navigation discards typed text. */
export function LeaveGuard() {
  const { key } = useLocation();
  const affected = useRef<FormGuard[]>([]);
  const blocker = useBlocker((navigation) => {
    // History entries keep their state, so going back to an entry that followed a save does not mean that something was saved now.
    const isSafe = returning?.saved || (navigation.historyAction !== 'POP' && isSaved(navigation.nextLocation.state));
    affected.current = isSafe ? [] : affectedBy(navigation);
    if (affected.current.length > 0) returning = undefined;
    return affected.current.length > 0;
  });
  useEffect(() => () => void (returning = undefined), [key]);
  if (blocker.state !== 'blocked') return null;
  const discard = () => {
    for (const form of affected.current) form.discard();
    blocker.proceed();
  };
  return <DiscardQuestion discard={discard} onStay={blocker.reset} />;
}

/** Registers a form that holds unsaved text: the user is asked before any navigation or a reload discards it. */
export function DirtyGuard({ dirty, samePage = false, overPage = false, onDiscard }: DirtyGuardProps) {
  const isLostBy = ({ currentLocation, nextLocation, historyAction }: Navigation) => {
    const staysMounted = samePage || (overPage && historyAction === 'REPLACE');
    return dirty && !(staysMounted && currentLocation.pathname === nextLocation.pathname);
  };
  const latest = useRef<FormGuard>({ isLostBy, discard: () => onDiscard?.() });
  latest.current = { isLostBy, discard: () => onDiscard?.() };
  useLayoutEffect(() => {
    guards.add(latest);
    return () => void guards.delete(latest);
  }, []);
  useEffect(() => {
    // Loaded now, because the file does not exist any more after the next deployment.
    if (dirty) loadConfirm();
  }, [dirty]);
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [dirty]);
  return null;
}
