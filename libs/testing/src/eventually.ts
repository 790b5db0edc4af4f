import { setTimeout as pause } from 'node:timers/promises';

/** Shorter than the time-out of a test, which would not say what was waited for. */
const LIMIT_MS = 20_000;
const PAUSE_MS = 20;

/**
 * Asks `check` until its answer is truthy, and returns that answer. Fails with `what` when the time is over, and at once
 * with the error of a check that throws.
 */
export async function eventually<T>(what: string, check: () => T | Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await check();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${limitMs / 1000} s in vain: ${what}`);
    await pause(PAUSE_MS);
  }
}
