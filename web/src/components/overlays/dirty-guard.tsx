import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { ConfirmDialog } from './use-confirm.js';

interface DirtyGuardProps {
  dirty: boolean;
  /** The form lives on when only the query changes, so that way is free. */
  samePage?: boolean;
}

/** The state of a navigation that follows a save: what was typed is safe. */
export const savedState = { saved: true } as const;
const isSaved = (state: unknown): boolean => (state as { saved?: boolean } | null)?.saved === true;

/** Whether what was typed may go. */
export function DiscardQuestion({ discard, onClose }: { discard: () => void; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      options={{
        title: t('form.discardTitle'),
        consequences: [t('form.discardBody')],
        confirm: { label: t('action.discard'), danger: true },
        run: async () => discard(),
      }}
      onClose={onClose}
    />
  );
}

/** Asks before typed text is lost, whichever way the form is left. */
export function DirtyGuard({ dirty, samePage = false }: DirtyGuardProps) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation, historyAction }) =>
      dirty &&
      // An entry of the history keeps its state: who goes back to one that followed a save has saved nothing now.
      !(historyAction !== 'POP' && isSaved(nextLocation.state)) &&
      !(samePage && currentLocation.pathname === nextLocation.pathname),
  );
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [dirty]);
  if (blocker.state !== 'blocked') return null;
  return <DiscardQuestion discard={blocker.proceed} onClose={() => blocker.state === 'blocked' && blocker.reset()} />;
}
