import { z } from 'zod';

/**
 * What a stream of live updates may say has changed, and with that what a console should ask for again:
 * `status` the answer of `GET /api/status`; `user` the person's own rights or balance; `usage` log rows and sums, of everybody
 * for administrators; `channels` state or settings of a channel, for administrators only.
 */
export const liveKinds = ['status', 'user', 'usage', 'channels'] as const;
export const liveKindSchema = z.enum(liveKinds);
export type LiveKind = z.infer<typeof liveKindSchema>;

/** The data of one event of the stream. It names kinds and never carries what changed: that is asked for with one's own rights. */
export const liveMessageSchema = z.object({ changed: z.array(liveKindSchema).min(1) });
export type LiveMessage = z.infer<typeof liveMessageSchema>;

const DAY_MS = 86_400_000;

/** Milliseconds for which the console may have missed something; the stream begins with what changed in them. */
export const liveQuerySchema = z.object({
  missed: z.coerce.number().int().nonnegative().max(DAY_MS).catch(DAY_MS).default(0),
});

/** A silent stream says a comment this often, so that a console can tell silence from a dead line. */
export const LIVE_HEARTBEAT_MS = 15_000;
