import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Callout } from '../components/feedback/callout.js';

const events = ['online', 'offline'] as const;

/** Whether the browser knows that it has no network. */
export function useOffline(): boolean {
  return useSyncExternalStore(
    (notify) => {
      for (const event of events) window.addEventListener(event, notify);
      return () => {
        for (const event of events) window.removeEventListener(event, notify);
      };
    },
    () => !navigator.onLine,
  );
}

/** Says above the page that the browser is offline; the region is always there, so that screen readers announce the text. */
export function Offline({ offline }: { offline: boolean }) {
  const { t } = useTranslation();
  return (
    <div role="status">
      {offline && (
        <Callout severity="warning" sx={{ borderRadius: 0 }}>
          {t('shell.offline')}
        </Callout>
      )}
    </div>
  );
}
