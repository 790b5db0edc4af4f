import { z } from 'zod';

/** PostgreSQL stores no NUL characters. */
export const hasNoNul = (value: string): boolean => !value.includes('\0');

/** Unix seconds of the end of the year 9999: the last moment that clocks, databases and pages can all write. */
export const LAST_SECOND = 253_402_300_799;
/** The same in milliseconds. */
export const LAST_MILLISECOND = LAST_SECOND * 1000 + 999;

/** The id of a row: a number, or its digits as some forms send them. */
export const idField = (message: string, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int(message).positive(message).max(max, message),
  );

/** As the reference reads numbers of filters: what is none is 0, and what is too large the largest one. */
function readInteger(value: unknown): number {
  if (typeof value !== 'string' && typeof value !== 'number') return 0;
  const number = Number.isNaN(Number(value)) ? Number.parseInt(String(value), 10) : Math.trunc(Number(value));
  return Number.isNaN(number) ? 0 : Math.max(Number.MIN_SAFE_INTEGER, Math.min(number, Number.MAX_SAFE_INTEGER));
}

/** A whole number of a filter, 0 for any. What is beyond every row finds none of them, and not all. */
export const integerFilter = z.preprocess(readInteger, z.number());

/** A moment of a filter in Unix seconds, 0 for open; what is no time is refused with `message`. */
export const momentFilter = (message: string) =>
  integerFilter.pipe(z.number().min(0, message).max(LAST_SECOND, message));

/** The largest id that a row can have, because ids are int4; no row comes near it. PostgreSQL refuses a query for a larger one. */
export const MAX_ID = 2 ** 31 - 1;

/** The id of a filter, 0 for any; what can be no id of a row finds nothing. */
export const idFilter = z.preprocess((value) => {
  const id = readInteger(value);
  return id < 0 ? MAX_ID : Math.min(id, MAX_ID);
}, z.number().min(0).max(MAX_ID));

/** One of a few words, empty for any; others are refused with `message`, because a filter that is dropped finds everything. */
export const wordFilter = <const Word extends string>(words: readonly Word[], message: string) =>
  z.preprocess((value) => value ?? '', z.enum([...words, ''], message));
