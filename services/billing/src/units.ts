import { storableJson } from '@tollgate/chassis';

/**
 * PostgreSQL hands out bigint as text; quota must be exact, so anything beyond a safe integer is a fault and not a number. The
 * fault is the data's: an event that leads to it is put aside, and its partition goes on.
 */
export function units(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`"${String(value)}" is not a number of units`);
  return number;
}

/** Rows as one JSON parameter: a batch of any size is one statement with one placeholder. */
export const rowset = (rows: readonly object[]): string => storableJson(rows);

/**
 * A sum over many wallets or many movements, to be read by people. Somebody who fills and empties a wallet again and again brings it beyond what
 * a number holds exactly; a page that nobody can open any more would be worse than its nearest number.
 */
export const nearestUnits = (value: unknown): number => Number(value);
