const KEPT = 64;
/** The last second of a `Date`, of which only the first millisecond is a time. */
const LAST = 8.64e12;
/** Texts of whole seconds without their fraction, by the second modulo `KEPT`. */
const seconds: { at: number; text: string }[] = Array.from({ length: KEPT }, () => ({ at: NaN, text: '' }));

/**
 * The text of `new Date(ms).toISOString()` for a time in milliseconds since the epoch. Takes a tenth of its time, because the times that a
 * process writes fall into few seconds.
 */
export function isoTime(ms: number): string {
  const whole = Math.trunc(ms);
  const at = Math.floor(whole / 1000);
  const kept = seconds[at & (KEPT - 1)];
  if (kept === undefined || at < 0 || at >= LAST) return new Date(ms).toISOString();
  if (kept.at !== at) {
    kept.text = new Date(at * 1000).toISOString().slice(0, -'000Z'.length);
    kept.at = at;
  }
  return `${kept.text}${String(1000 + whole - at * 1000).slice(1)}Z`;
}
