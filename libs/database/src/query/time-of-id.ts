/** The SQL of what `timeOfId` is in code: when a UUIDv7 was made, in milliseconds since the epoch. */
export const sqlTimeOfId = (id: string): string =>
  `('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;
