import { useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { BlockerFunction, NavigateFunction } from 'react-router-dom';
import { useBlocker, useLocation } from 'react-router-dom';
import { ConfirmDialog, loadConfirm } from './use-confirm.js';

type Way = Parameters<BlockerFunction>[0];

interface DirtyGuardProps {
  dirty: boolean;
  /** The form lives on when only the query changes, so that way is free. */
  samePage?: boolean;
  /** It lives on when the page under it corrects its address, which nobody asked for. */
  overPage?: boolean;
  /** Where the form may outlive the way that it is left by. */
  onDiscard?: () => void;
}

interface FormGuard {
  isLostBy: (way: Way) => boolean;
  discard: () => void;
}

/** Every form that is drawn. The router asks one blocker only, so one asks them all. */
const guards = new Set<{ current: FormGuard }>();

/** A form on its way back, until it has closed or was told to stay. */
let returning: { saved: boolean } | undefined;

/** The state of a navigation that follows a save: what was typed is safe. */
export const savedState = { saved: true } as const;
const isSaved = (state: unknown): boolean => (state as { saved?: boolean } | null)?.saved === true;

/** Closes a form by leading back, once, however often its button is pressed. Nobody is asked about what was saved. */
export function goBack(navigate: NavigateFunction, saved: boolean): void {
  if (returning) return;
  returning = { saved };
  void navigate(-1);
}

/** Whether what was typed may go. */
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
      // Who leaves takes the question along: a way back that has begun must not be called off.
      onClose={() => undefined}
    />
  );
}

/** The forms that lose something by this way. */
const losersOf = (way: Way): FormGuard[] =>
  [...guards].map(({ current }) => current).filter(({ isLostBy }) => isLostBy(way));

/** Asks, in the name of all forms, before typed text is lost by a way out of the page. */
export function LeaveGuard() {
  const { key } = useLocation();
  const losers = useRef<FormGuard[]>([]);
  const blocker = useBlocker((way) => {
    // An entry of the history keeps its state: who goes back to one that followed a save has saved nothing now.
    const isSafe = returning?.saved || (way.historyAction !== 'POP' && isSaved(way.nextLocation.state));
    losers.current = isSafe ? [] : losersOf(way);
    if (losers.current.length > 0) returning = undefined;
    return losers.current.length > 0;
  });
  useEffect(() => () => void (returning = undefined), [key]);
  if (blocker.state !== 'blocked') return null;
  const discard = () => {
    for (const form of losers.current) form.discard();
    blocker.proceed();
  };
  return <DiscardQuestion discard={discard} onStay={blocker.reset} />;
}

/** Tells that a form holds what would be lost; who leaves is asked first, whichever way it is. */
export function DirtyGuard({ dirty, samePage = false, overPage = false, onDiscard }: DirtyGuardProps) {
  const isLostBy = ({ currentLocation, nextLocation, historyAction }: Way) => {
    const livesOn = samePage || (overPage && historyAction === 'REPLACE');
    return dirty && !(livesOn && currentLocation.pathname === nextLocation.pathname);
  };
  const latest = useRef<FormGuard>({ isLostBy, discard: () => onDiscard?.() });
  latest.current = { isLostBy, discard: () => onDiscard?.() };
  useLayoutEffect(() => {
    guards.add(latest);
    return () => void guards.delete(latest);
  }, []);
  useEffect(() => {
    // After the next deploy its file is gone.
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
