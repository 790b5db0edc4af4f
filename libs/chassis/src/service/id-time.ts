const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Twelve hex digits of milliseconds: the 48 bits of a UUIDv7 that tell the time. */
const LAST_MS = 2 ** 48 - 1;

export const isUuid = (text: string): boolean => UUID.test(text);

/** When a UUIDv7 was made, in milliseconds since the epoch (RFC 9562, 5.7). */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * The bound before every id of this millisecond, for comparisons: only the time counts, all after it is zero, so it is no valid id itself.
 * Milliseconds since the epoch; what no id can say becomes the first or the last instant that one can.
 */
export function leastIdAt(ms: number): string {
  const hex = Math.trunc(Math.min(Math.max(0, ms), LAST_MS))
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
