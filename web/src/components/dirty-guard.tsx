import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { ConfirmDialog } from './confirm-dialog.js';

/** Asks before typed text is lost, whichever way the form is left. */
export function DirtyGuard({ dirty }: { dirty: boolean }) {
  const { t } = useTranslation();
  const blocker = useBlocker(dirty);
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [dirty]);
  if (blocker.state !== 'blocked') return null;
  return (
    <ConfirmDialog
      options={{
        title: t('form.discardTitle'),
        consequences: [t('form.discardBody')],
        confirm: { label: t('action.discard'), danger: true },
        run: async () => blocker.proceed(),
      }}
      onClose={() => blocker.state === 'blocked' && blocker.reset()}
    />
  );
}
