import { z } from 'zod';

/** PostgreSQL stores no NUL characters. */
export const hasNoNul = (value: string): boolean => !value.includes('\0');

/** Unix seconds of the end of the year 9999, the last moment that clocks, databases and pages can all represent. */
export const LAST_SECOND = 253_402_300_799;
/** The same moment in milliseconds. */
export const LAST_MILLISECOND = LAST_SECOND * 1000 + 999;

/** A field that may be absent; null counts as absent. */
export const optionalField = <S extends z.ZodType>(schema: S) =>
  schema
    .nullish()
    .transform((value): z.output<S> | undefined => value ?? undefined)
    .optional();

/** As `optionalField`, with a value for the absent field. */
export const fieldOr = <S extends z.ZodType>(schema: S, fallback: z.output<S>) =>
  schema.nullish().transform((value): z.output<S> => value ?? fallback);

/** The id of a row: a number, or its digits as a string, as some forms send it. */
export const idField = (message: string, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int(message).positive(message).max(max, message),
  );

/** Reads a number of a filter as the reference does: an invalid one is 0, and one that is too large becomes the largest one. */
function readInteger(value: unknown): number {
  if (typeof value !== 'string' && typeof value !== 'number') return 0;
  const number = Number.isNaN(Number(value)) ? Number.parseInt(String(value), 10) : Math.trunc(Number(value));
  return Number.isNaN(number) ? 0 : Math.max(Number.MIN_SAFE_INTEGER, Math.min(number, Number.MAX_SAFE_INTEGER));
}

/** An integer filter, 0 for any. A value beyond all rows matches none instead of all. */
export const integerFilter = z.preprocess(readInteger, z.number());

/** A time filter in Unix seconds, 0 for open; an invalid time is refused with `message`. */
export const momentFilter = (message: string) =>
  integerFilter.pipe(z.number().min(0, message).max(LAST_SECOND, message));

/** The largest id a row can have, because ids are int4; no table comes near it. PostgreSQL refuses to compare with a larger one. */
export const MAX_ID = 2 ** 31 - 1;

/** An id filter, 0 for any; a value that cannot be an id matches nothing. */
export const idFilter = z.preprocess((value) => {
  const id = readInteger(value);
  return id < 0 ? MAX_ID : Math.min(id, MAX_ID);
}, z.number().min(0).max(MAX_ID));

/** One of several words, empty for any. Others are refused with `message`, because ignoring a filter would return everything. */
export const wordFilter = <const Word extends string>(words: readonly Word[], message: string) =>
  z.preprocess((value) => value ?? '', z.enum([...words, ''], message));
