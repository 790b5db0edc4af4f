const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 6 * 60 * 60_000;
const GROWTH = 4;

/** Milliseconds to wait after so many failed attempts: 5 s, 20 s, 80 s and so on, six hours at most. */
export const pauseAfter = (attempts: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** Math.max(0, attempts - 1));
