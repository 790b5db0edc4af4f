/** The day of a time in milliseconds as `YYYY-MM-DD` in UTC, which is the time zone of statements. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10);

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;

export const shiftDay = (day: string, by: number): string => dayOf(Date.parse(day) + by * 86_400_000);

function nextPeriod(day: string, kind: string): string {
  if (kind === 'week') return shiftDay(day, 7);
  if (kind !== 'month') return shiftDay(day, 1);
  const [year = 0, month = 0] = day.split('-').map(Number);
  return dayOf(Date.UTC(year, month, 1));
}

/** A chart has no room for more bars. */
const MOST_PERIODS = 400;

/** The periods from the first to the last of these, in order, with those between them in which nothing was booked. */
export function everyPeriod(periods: readonly string[], kind: string): string[] {
  const known = [...new Set(periods)].sort();
  const last = known.at(-1);
  const all = new Set(known);
  if (last === undefined || kind === 'span') return known;
  for (let day = known[0] ?? last; day < last; day = nextPeriod(day, kind)) {
    all.add(day);
    if (all.size > MOST_PERIODS) return known;
  }
  return [...all].sort();
}
