import { z } from 'zod';

/**
 * Kinds of changes that the live stream announces, and what a console should fetch again for each: `status` the reply of `GET /api/status`;
 * `user` the user's own rights or balance; `usage` log rows and sums, of all users for administrators; `channels` state or settings of a
 * channel, for administrators only.
 */
export const liveKinds = ['status', 'user', 'usage', 'channels'] as const;
export const liveKindSchema = z.enum(liveKinds);
export type LiveKind = z.infer<typeof liveKindSchema>;

/**
 * The data of one event of the stream. It names kinds and never contains the changed data, which each console fetches with its user's
 * rights.
 */
export const liveMessageSchema = z.object({ changed: z.array(liveKindSchema).min(1) });
export type LiveMessage = z.infer<typeof liveMessageSchema>;

const DAY_MS = 86_400_000;

/** Milliseconds for which the console may have missed events; the stream begins with the changes in that time. */
export const liveQuerySchema = z.object({
  missed: z.coerce.number().int().nonnegative().max(DAY_MS).catch(DAY_MS).default(0),
});

/** Interval of comments in an idle stream, so that a console can distinguish an idle stream from a dead connection. */
export const LIVE_HEARTBEAT_MS = 15_000;
