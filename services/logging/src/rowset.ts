import { storableJson } from '@tollgate/chassis';

/** Encodes rows as one JSON parameter, so that a batch of any size is one statement with one placeholder. */
export const rowset = (rows: readonly object[]): string => storableJson(rows);

/** PostgreSQL returns bigint as text. Throws for a value beyond the safe integers. */
export function toCount(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`"${String(value)}" is not a whole number`);
  return number;
}
