const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Largest timestamp of a UUIDv7, 48 bits of milliseconds. */
const LAST_MS = 2 ** 48 - 1;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Creation time of a UUIDv7 in milliseconds since the epoch (RFC 9562, 5.7). */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * The smallest value that sorts before every id of this millisecond, for comparisons: all bits after the time are zero, so it is not a
 * valid id itself. Milliseconds since the epoch; times outside the range of ids are clamped to it.
 */
export function leastIdAt(ms: number): string {
  const hex = Math.trunc(Math.min(Math.max(0, ms), LAST_MS))
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
