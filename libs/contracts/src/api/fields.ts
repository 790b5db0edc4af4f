import { z } from 'zod';
import { lenientInteger } from '../envelope.js';

/** PostgreSQL stores no NUL characters. */
export const hasNoNul = (value: string): boolean => !value.includes('\0');

/** Unix seconds of the end of the year 9999: the last moment that clocks, databases and pages can all write. */
export const LAST_SECOND = 253_402_300_799;

/** The id of a row: a number, or its digits as some forms send them. */
export const idField = (message: string, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int(message).positive(message).max(max, message),
  );

/** A moment of a filter in Unix seconds, 0 for open; what no clock tells is refused with `message`. */
export const momentFilter = (message: string) =>
  lenientInteger(0).pipe(z.number().min(0, message).max(LAST_SECOND, message));

/** The id of a filter, 0 for any; what can be no id of a row filters nothing. */
export const idFilter = lenientInteger(0).pipe(
  z
    .number()
    .min(0)
    .max(2 ** 31 - 1)
    .catch(0),
);
