import { storableJson } from '@tollgate/chassis';

/** Rows as one JSON parameter: a batch of any size is one statement with one placeholder. */
export const rowset = (rows: readonly object[]): string => storableJson(rows);

/** PostgreSQL hands out bigint as text; a sum beyond the safe integers is a fault and not a number. */
export function toCount(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`"${String(value)}" is not a whole number`);
  return number;
}
