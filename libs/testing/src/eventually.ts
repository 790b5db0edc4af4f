import { setTimeout as pause } from 'node:timers/promises';

/** Shorter than the time-out of a test, which would not say what was waited for. */
const LIMIT_MS = 20_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Asks `check` until its answer is truthy, and returns that answer. Fails with `what` when the time is over, and at once
 * with the error of a check that throws.
 */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  limitMs = LIMIT_MS,
): Promise<NonNullable<T>> {
  return (await readUntil(check, Boolean, limitMs, () => what)) as NonNullable<T>;
}

/** Reads until the value is as wanted, and returns it. Fails with the last value when the time is over. */
export async function readUntil<T>(
  read: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  limitMs = LIMIT_MS,
  describe = (last: T): string => `the last value was ${JSON.stringify(last)?.slice(0, 2000)}`,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    const waitedMs = performance.now() - began;
    if (waitedMs > limitMs) throw new Error(`waited ${limitMs / 1000} s in vain: ${describe(value)}`);
    // Some reads start a program: they come less often the longer they are in vain.
    await pause(Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, waitedMs / 10)));
  }
}
