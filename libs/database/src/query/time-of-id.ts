/** SQL equivalent of `timeOfId`: creation time of a UUIDv7 in milliseconds since the epoch. */
export const sqlTimeOfId = (id: string): string =>
  `('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;
