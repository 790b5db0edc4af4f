import Button from '@mui/material/Button';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../components/basics/lazy-part.js';

const Fireworks = lazyPart(async () => (await import('./fireworks.js')).Fireworks, { instead: () => null });

/** The documented behaviour: the effect stops, and later the page is reloaded. */
const STOP_MS = 3000;
const RELOAD_MS = 10_000;

const isNewYear = (now: Date): boolean => now.getMonth() === 0 && now.getDate() === 1;

/** A button with fireworks, shown on the first of January only. */
export function Festive({ now = new Date(), reload = () => window.location.reload() }) {
  const { t } = useTranslation();
  const [lit, setLit] = useState(0);
  const [burning, setBurning] = useState(false);
  useEffect(() => {
    if (lit === 0) return;
    const stop = setTimeout(() => setBurning(false), STOP_MS);
    const anew = setTimeout(reload, RELOAD_MS);
    return () => {
      clearTimeout(stop);
      clearTimeout(anew);
    };
    // Another press restarts both timers.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what reloads is given once
  }, [lit]);
  if (!isNewYear(now)) return null;
  const light = () => {
    setBurning(true);
    setLit((count) => count + 1);
  };
  return (
    <>
      <Button color="inherit" onClick={light} title={t('shell.newYear')} sx={{ minWidth: 0, px: 1 }}>
        <span aria-hidden>🎉</span>
        <span hidden>{t('shell.newYear')}</span>
      </Button>
      <span role="status">{burning ? t('shell.newYear') : ''}</span>
      {burning && (
        <Suspense fallback={null}>
          <Fireworks />
        </Suspense>
      )}
    </>
  );
}
