import { AppError } from '@tollgate/chassis';

/** A date, or a date with time, in UTC unless it says otherwise. Throws `period-invalid`. */
export function readTime(text: string): number {
  const full = /^\d{4}-\d{2}$/.test(text) ? `${text}-01` : text;
  const time = Date.parse(/[T ]\d/.test(full) && !/(Z|[+-]\d\d:?\d\d)$/.test(full) ? `${full}Z` : full);
  if (Number.isNaN(time) || !/^\d{4}-\d{2}-\d{2}/.test(full))
    throw new AppError('invalid', 'period-invalid', `"${text}" is no date like 2026-11-01 or 2026-11-01T12:00:00Z.`);
  return time;
}
