/**
 * Condition that excludes tests of a channel from rows of the usage log: they are not charged, so no posting or balance contains them. Only
 * tests have this member, and rows with a token are never tests, so `other` is read for few rows.
 */
export const NO_CHANNEL_TEST = `("token_id" <> 0 or "other"->'channel_test' is null)`;

/** Filter for rows of the usage log; times in seconds, both inclusive. */
export interface LogAbout {
  eventId?: string;
  channelId?: number;
  userId?: number;
  modelName?: string;
  types?: readonly number[];
  from?: number;
  to?: number;
}
