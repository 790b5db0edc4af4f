import { AppError } from '@tollgate/chassis';

const WRITTEN = /^(\d{4}-\d{2})(?:(-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:(Z)|([+-]\d{2}):?(\d{2}))?)?)?$/;

/**
 * Parses a month, a date, or a date with time, in UTC unless it states an offset, to milliseconds since 1970. Throws
 * `period-invalid`, also for days that do not exist.
 */
export function readTime(text: string): number {
  const [, month = '', day = '-01', clock = '00:00', , hours = '+00', minutes = '00'] = WRITTEN.exec(text) ?? [];
  const time = Date.parse(`${month}${day}T${clock}${hours}:${minutes}`);
  if (Number.isNaN(time) || !isDay(`${month}${day}`))
    throw new AppError('invalid', 'period-invalid', `"${text}" is no date like 2026-11-01 or 2026-11-01T12:00:00Z.`);
  return time;
}

/** Whether a date exists: JavaScript reads 30 February as 2 March. */
const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
