import { AppError } from '../errors/app-error.js';
import type { Admission, KeyValue } from './key-value.js';

const PATIENCE_MS = 500;

interface Window {
  key: string;
  limit: number;
  windowMs: number;
  /** The caller gives places back, so one that is granted after the patience is over is given back here. */
  returnsPlace?: boolean;
}

/**
 * For limits that protect resources, not secrets: while the store is down or takes longer than half a second, every call is admitted,
 * because an unavailable counter must not take the service down.
 */
export async function admitLeniently(
  keyValue: KeyValue,
  { key, limit, windowMs, returnsPlace }: Window,
): Promise<Admission> {
  const passed: Admission = { admitted: true, remaining: limit, retryAfterMs: 0 };
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const patience = new Promise<Admission>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(passed);
    }, PATIENCE_MS);
  });
  const answer = keyValue.admit(key, limit, windowMs).catch((error: unknown) => {
    if (error instanceof AppError && error.kind === 'unavailable') return passed;
    throw error;
  });
  const giveBackLate = ({ place }: Admission) => (isLate && place ? keyValue.giveBack(key, place) : undefined);
  if (returnsPlace) answer.then(giveBackLate).catch(() => undefined);
  try {
    return await Promise.race([answer, patience]);
  } finally {
    clearTimeout(timer);
  }
}
