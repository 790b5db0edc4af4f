import { z } from 'zod';

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
