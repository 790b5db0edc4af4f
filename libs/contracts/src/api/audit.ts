import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { hasNoNul, idFilter, momentFilter } from './fields.js';

const wrong = '无效的参数';
const word = z.string(wrong).max(200, wrong).refine(hasNoNul, wrong).default('');
const span = { start_timestamp: momentFilter(wrong), end_timestamp: momentFilter(wrong) };

/** One change that somebody made, or the system by itself. */
export const auditEntrySchema = z.object({
  /** In the order of arrival. */
  id: z.int(),
  /** The event that reported it. */
  event_id: z.string(),
  /** Unix seconds. */
  created_at: z.int(),
  /** 0: the system. */
  actor_id: z.int(),
  actor_name: z.string(),
  action: z.string(),
  /** `option:RetryTimes`, `channel:7`, `user:5`, `channels`, `log`. */
  subject: z.string(),
  /** 0: it concerned no user. */
  user_id: z.int(),
  text: z.string(),
  /** Never with secrets. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** `GET /api/audit`. `action` and `subject` are beginnings, so that `channel` finds all of channels; times in seconds, 0 for open. */
export const auditQuerySchema = z
  .object({ actor_id: idFilter, action: word, subject: word, ...span })
  .and(pageFromOneSchema);
export type AuditQuery = z.output<typeof auditQuerySchema>;

/** Calls of models that were refused in one minute for one reason, before they could cost anything. */
export const refusedCallsSchema = z.object({
  /** Its start, Unix seconds. */
  minute: z.int(),
  /** The code of the error that the caller got. */
  reason: z.string(),
  status: z.int(),
  /** What one of the callers was told. */
  message: z.string(),
  /** 0 where the key is nobody's. */
  token_id: z.int(),
  token_name: z.string(),
  user_id: z.int(),
  username: z.string(),
  model: z.string(),
  count: z.int(),
  /** Some of them. */
  request_ids: z.array(z.string()),
});
export type RefusedCalls = z.infer<typeof refusedCallsSchema>;

/** `GET /api/log/refusal`. A request id finds the minute it was made in, whether or not it is among those that were kept. */
export const refusedCallsQuerySchema = z
  .object({ request_id: word, reason: word, token_id: idFilter, user_id: idFilter, ...span })
  .and(pageFromOneSchema);
export type RefusedCallsQuery = z.output<typeof refusedCallsQuerySchema>;
