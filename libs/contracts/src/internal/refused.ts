import { z } from 'zod';
import { defineCall } from './define-call.js';

/** Calls that a relay refused before they cost anything: one row per minute, reason, token and model. */
export const refusedRowSchema = z.object({
  /** Start of the minute, Unix seconds. */
  minute: z.int().nonnegative(),
  reason: z.string().max(100),
  status: z.int(),
  message: z.string().max(500),
  /** 0 if the key is unknown. */
  tokenId: z.int().nonnegative(),
  userId: z.int().nonnegative(),
  model: z.string().max(256),
  count: z.int().positive(),
  requestIds: z.array(z.uuid()).max(5),
});
export type RefusedRow = z.infer<typeof refusedRowSchema>;

export const noteRefusedCalls = defineCall({
  service: 'logging',
  name: 'note-refused-calls',
  /** A repeated batch is counted once. */
  input: z.object({ batchId: z.uuid(), rows: z.array(refusedRowSchema).max(2000) }),
  output: z.object({}),
});
