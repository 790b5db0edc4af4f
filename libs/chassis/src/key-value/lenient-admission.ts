import { AppError } from '../errors/app-error.js';
import type { Admission, KeyValue } from './key-value.js';

const PATIENCE_MS = 500;

export interface Window {
  key: string;
  limit: number;
  windowMs: number;
}

/**
 * For limits that protect resources, not secrets: while the store is down or takes longer than half a second, every call is admitted,
 * because an unavailable counter must not take the service down.
 */
export async function admitLeniently(keyValue: KeyValue, { key, limit, windowMs }: Window): Promise<Admission> {
  const passed: Admission = { admitted: true, remaining: limit, retryAfterMs: 0 };
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<Admission>((resolve) => {
    timer = setTimeout(() => resolve(passed), PATIENCE_MS);
  });
  const answer = keyValue.admit(key, limit, windowMs).catch((error: unknown) => {
    if (error instanceof AppError && error.kind === 'unavailable') return passed;
    throw error;
  });
  try {
    return await Promise.race([answer, patience]);
  } finally {
    clearTimeout(timer);
  }
}
