import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Callout } from '../components/feedback/callout.js';
import { PART_MISSING } from '../components/basics/lazy-part.js';

/** Shortest interval between two checks, which are made when the window gets the focus. */
const CHECK_MS = 60_000;

/** Address of the entry script; its name contains a hash of its content. */
export const entryOf = (html: string): string | undefined =>
  /<script[^>]*type="module"[^>]*\ssrc="([^"]+)"/.exec(html)?.[1];

/** Whether the server has another version of the console than the one running. `false` if that cannot be found out. */
async function isNewer(running: string): Promise<boolean> {
  try {
    const reply = await fetch(`${window.location.origin}/`, { cache: 'no-cache', headers: { accept: 'text/html' } });
    const served = reply.ok ? entryOf(await reply.text()) : undefined;
    return served !== undefined && served !== running;
  } catch {
    return false;
  }
}

function useIsOutdated(): boolean {
  const [outdated, setOutdated] = useState(false);
  useEffect(() => {
    const running = document.querySelector('script[type="module"][src]')?.getAttribute('src');
    let checkedAt = performance.now();
    const check = () => {
      if (!running) return;
      checkedAt = performance.now();
      void isNewer(running).then((newer) => newer && setOutdated(true));
    };
    const onFocus = () => {
      if (performance.now() - checkedAt >= CHECK_MS) check();
    };
    // A file may also be missing because the network failed.
    window.addEventListener(PART_MISSING, check);
    window.addEventListener('focus', onFocus);
    return () => {
      window.removeEventListener(PART_MISSING, check);
      window.removeEventListener('focus', onFocus);
    };
  }, []);
  return outdated;
}

/**
 * After a deployment the open page still works, but files that it has not loaded yet are gone: a notice says so, and the user reloads when
 * it suits.
 */
export function NewVersion() {
  const { t } = useTranslation();
  const outdated = useIsOutdated();
  return (
    <div role="status">
      {outdated && (
        <Callout
          severity="info"
          sx={{ borderRadius: 0, alignItems: 'center' }}
          action={
            <Button color="inherit" onClick={() => window.location.reload()} sx={{ flexShrink: 0 }}>
              {t('action.reload')}
            </Button>
          }
        >
          {t('shell.newVersion')}
        </Callout>
      )}
    </div>
  );
}
