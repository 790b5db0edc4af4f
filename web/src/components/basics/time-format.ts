const two = (value: number): string => String(value).padStart(2, '0');

/** Local time of a moment in Unix seconds: `YYYY-MM-DD HH:mm:ss`. */
export function formatTime(seconds: number): string {
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return '\u2014';
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** `UTC+8`, `UTC−3:30`. */
export function zoneName(at = new Date()): string {
  const minutes = -at.getTimezoneOffset();
  const hours = Math.trunc(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? '\u2212' : '+'}${hours}${rest ? `:${two(rest)}` : ''}`;
}

/** Parses `2026-11-21 12:03`, with or without seconds, as local time into Unix seconds; `undefined` if the text is no time. */
export function parseTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?)?$/.exec(text.trim());
  if (!match) return undefined;
  const [, day = '', minute = '00:00', second = ':00'] = match;
  const at = Math.floor(new Date(`${day}T${minute}${second}`).getTime() / 1000);
  // Rejects dates such as 30 February, which `Date` would turn into 2 March.
  return Number.isFinite(at) && formatTime(at) === `${day} ${minute}${second}` ? at : undefined;
}

/** The same time of day a month earlier, in Unix seconds; the last day of that month if it has no such day. */
export function monthBefore(seconds: number): number {
  const at = new Date(seconds * 1000);
  const day = at.getDate();
  at.setMonth(at.getMonth() - 1);
  // 31 February has become a day of March.
  if (at.getDate() !== day) at.setDate(0);
  return Math.floor(at.getTime() / 1000);
}

const DAY = 86_400;
const relativeSteps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** `3 minutes ago`, in the language of the console. */
export function formatRelative(seconds: number, now: number, language: string): string {
  const difference = seconds - now;
  const [unit, length] = relativeSteps.find(([, size]) => Math.abs(difference) >= size) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.trunc(difference / length), unit);
}
