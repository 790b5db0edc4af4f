/** Inclusive upper bounds in milliseconds. They must never change, because stored counters refer to them. */
export const FIRST_TOKEN_BOUNDS = [
  50, 100, 150, 200, 300, 400, 500, 650, 800, 1_000, 1_250, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500, 10_000,
  15_000, 20_000, 30_000, 60_000, 120_000,
] as const;

export const noFirstTokens = (): number[] => new Array<number>(FIRST_TOKEN_BOUNDS.length + 1).fill(0);

/** The index of the counter for a time; the last counter is for times above the last bound. */
export function bucketOf(ms: number): number {
  const index = FIRST_TOKEN_BOUNDS.findIndex((bound) => ms <= bound);
  return index === -1 ? FIRST_TOKEN_BOUNDS.length : index;
}

/**
 * The time within which `share` of the streams had their first token, by linear interpolation within a bucket;
 * `undefined` if there are no streams. Above the last bound the result is that bound, i.e. a lower limit.
 */
export function quantileOf(buckets: readonly number[], share: number): number | undefined {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let rank = share * total;
  for (const [index, upper] of FIRST_TOKEN_BOUNDS.entries()) {
    const count = buckets[index] ?? 0;
    const lower = FIRST_TOKEN_BOUNDS[index - 1] ?? 0;
    if (count > 0 && rank <= count) return Math.round(lower + ((upper - lower) * rank) / count);
    rank -= count;
  }
  return FIRST_TOKEN_BOUNDS.at(-1);
}
