const MINUTE_MS = 60_000;
/**
 * Random share by which an interval is varied, so that runs of many installations do not hit an upstream at the same
 * time.
 */
const JITTER = 0.1;

/**
 * The time of the next run in milliseconds: `minutes` from now, up to a tenth earlier or later. `random` is uniform in
 * [0, 1).
 */
export const nextRunAt = (nowMs: number, minutes: number, random: () => number): number =>
  Math.round(nowMs + minutes * MINUTE_MS * (1 - JITTER + 2 * JITTER * random()));

/** The option if it is set, otherwise the environment variable; 0 = never. */
export const frequencyOf = (setting: number | undefined, variable: number): number => setting ?? variable;
