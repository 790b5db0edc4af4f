const FIRST_MS = 3000;
const LONGEST_MS = 60_000;
const GROWTH = 1.5;

/** How long a task is left alone that told nothing new so many times, in milliseconds. */
export const pauseAfter = (idlePolls: number): number =>
  Math.min(LONGEST_MS, Math.round(FIRST_MS * GROWTH ** Math.min(idlePolls, 20)));
