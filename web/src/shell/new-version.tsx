import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Callout } from '../components/feedback/callout.js';
import { PART_MISSING } from '../components/basics/lazy-part.js';

/** Asked for so often at most, when somebody comes back to the window. */
const PAUSE_MS = 60_000;

/** The script a page begins with; its name holds a hash of what is in it. */
export const entryOf = (html: string): string | undefined =>
  /<script[^>]*type="module"[^>]*\ssrc="([^"]+)"/.exec(html)?.[1];

/** Whether the server has another console than the one that runs here. Not knowing counts as no. */
async function isNewer(running: string): Promise<boolean> {
  try {
    const reply = await fetch(`${window.location.origin}/`, { cache: 'no-cache', headers: { accept: 'text/html' } });
    const served = reply.ok ? entryOf(await reply.text()) : undefined;
    return served !== undefined && served !== running;
  } catch {
    return false;
  }
}

function useNews(): boolean {
  const [news, setNews] = useState(false);
  useEffect(() => {
    const running = document.querySelector('script[type="module"][src]')?.getAttribute('src');
    let askedAt = performance.now();
    const onMissing = () => setNews(true);
    const onFocus = () => {
      if (!running || performance.now() - askedAt < PAUSE_MS) return;
      askedAt = performance.now();
      void isNewer(running).then((newer) => newer && setNews(true));
    };
    window.addEventListener(PART_MISSING, onMissing);
    window.addEventListener('focus', onFocus);
    return () => {
      window.removeEventListener(PART_MISSING, onMissing);
      window.removeEventListener('focus', onFocus);
    };
  }, []);
  return news;
}

/** After a deploy the open page still runs, but what it has not loaded yet is gone: it says so, and reloads when the reader is ready. */
export function NewVersion() {
  const { t } = useTranslation();
  const news = useNews();
  return (
    <div role="status">
      {news && (
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
