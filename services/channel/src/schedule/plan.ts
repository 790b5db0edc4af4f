const MINUTE_MS = 60_000;
/** Share of a frequency by which runs are apart from it, so that those of many installations do not meet at an upstream. */
const JITTER = 0.1;

/** When the next run is due, in milliseconds: `minutes` from now, a tenth earlier or later. `random` is uniform in [0, 1). */
export const nextRunAt = (nowMs: number, minutes: number, random: () => number): number =>
  Math.round(nowMs + minutes * MINUTE_MS * (1 - JITTER + 2 * JITTER * random()));

/** The setting where there is one, the variable otherwise; 0 = never. */
export const frequencyOf = (setting: number | undefined, variable: number): number => setting ?? variable;
