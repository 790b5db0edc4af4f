import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { formatRelative, formatTime, zoneName } from '../basics/time-format.js';

const TICK_MS = 30_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowSeconds = Math.floor(Date.now() / 1000);

/** One timer for all relative times on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowSeconds = Math.floor(Date.now() / 1000);
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
const useNow = (): number => useSyncExternalStore(subscribe, () => nowSeconds);

interface TimeTextProps {
  /** Unix seconds. */
  at: number;
  mode?: 'absolute' | 'relative';
}

function Relative({ at }: { at: number }) {
  const { i18n } = useTranslation();
  return formatRelative(at, Math.max(useNow(), at), i18n.language);
}

/** A time: absolute for facts, relative for freshness; the tooltip has the other form and the time zone. */
export function TimeText({ at, mode = 'absolute' }: TimeTextProps) {
  const { i18n } = useTranslation();
  const moment = new Date(at * 1000);
  if (!Number.isFinite(moment.getTime())) return '—';
  const absolute = `${formatTime(at)} ${zoneName(moment)}`;
  const hint =
    mode === 'absolute'
      ? `${formatRelative(at, Math.floor(Date.now() / 1000), i18n.language)} · ${zoneName(moment)}`
      : absolute;
  return (
    <time dateTime={moment.toISOString()} title={`${hint}\n${moment.toISOString()}`}>
      {mode === 'absolute' ? formatTime(at) : <Relative at={at} />}
    </time>
  );
}
