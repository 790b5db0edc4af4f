/** PostgreSQL stores neither NUL nor half a surrogate pair; upstreams and clients send both. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Rows as one JSON parameter: a batch of any size is one statement with one placeholder. */
export const rowset = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value));

/** PostgreSQL hands out bigint as text; a sum beyond the safe integers is a fault and not a number. */
export function toCount(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`"${String(value)}" is not a whole number`);
  return number;
}
