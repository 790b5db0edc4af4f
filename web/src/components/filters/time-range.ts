/** Ranges other than `custom` are relative to now, and stay relative in the address. */
export const ranges = ['today', '24h', '7d', '30d', 'custom'] as const;
export type Range = (typeof ranges)[number];

const HOUR = 3600;
const DAY = 86_400;
const spans: Partial<Record<Range, number>> = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY };

interface TimeSpan {
  /** Unix seconds; 0: unlimited. */
  start: number;
  end: number;
}

/** Start and end of a range at `now`. The end is an hour ahead, so that rows of the current minute are included. */
export function spanOf(range: string, now: number, custom: TimeSpan): TimeSpan {
  if (range === 'custom') return custom;
  const end = now + HOUR;
  const span = spans[range as Range];
  if (span !== undefined) return { start: now - span, end };
  const midnight = new Date(now * 1000);
  midnight.setHours(0, 0, 0, 0);
  return { start: Math.floor(midnight.getTime() / 1000), end };
}

const isTime = (value: string | null): boolean => /^[1-9]\d{0,11}$/.test(value ?? '');

/** Times of an address without a range are a custom range: the API has times only. */
export function withRange(params: URLSearchParams): URLSearchParams {
  const isCustom = isTime(params.get('start_timestamp')) || isTime(params.get('end_timestamp'));
  if (params.has('range') || !isCustom) return params;
  const next = new URLSearchParams(params);
  next.set('range', 'custom');
  return next;
}
