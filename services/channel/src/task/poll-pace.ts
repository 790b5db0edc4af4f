const FIRST_MS = 3000;
const LONGEST_MS = 60_000;
const GROWTH = 1.5;

/** Milliseconds until the next poll of a task after this many polls without progress. */
export const pauseAfter = (idlePolls: number): number =>
  Math.min(LONGEST_MS, Math.round(FIRST_MS * GROWTH ** Math.min(idlePolls, 20)));
