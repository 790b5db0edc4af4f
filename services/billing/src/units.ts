import { storableJson } from '@tollgate/chassis';

/**
 * Converts a bigint, which PostgreSQL returns as text. Quota must be exact, so a value beyond the safe integers throws.
 * It is then the event that is faulty: it goes to the quarantine, and its partition continues.
 */
export function units(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`"${String(value)}" is not a number of units`);
  return number;
}

/** Rows as one JSON parameter, so that a batch of any size is one statement with one placeholder. */
export const rowset = (rows: readonly object[]): string => storableJson(rows);

/**
 * Converts a sum over many wallets or movements that is only shown to people. By filling and emptying a wallet again
 * and again such a sum can exceed what a number holds exactly; the nearest number is then better than a page that
 * fails.
 */
export const nearestUnits = (value: unknown): number => Number(value);
