import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { hasNoNul, idFilter, momentFilter } from './fields.js';

const wrong = '无效的参数';
const word = z.string(wrong).max(200, wrong).refine(hasNoNul, wrong).default('');
const span = { start_timestamp: momentFilter(wrong), end_timestamp: momentFilter(wrong) };

/** One change, made by a person or by the system. */
export const auditEntrySchema = z.object({
  /** Ascending in the order of arrival. */
  id: z.int(),
  /** Id of the event that reported the change. */
  event_id: z.string(),
  /** Unix seconds. */
  created_at: z.int(),
  /** 0 for the system. */
  actor_id: z.int(),
  actor_name: z.string(),
  action: z.string(),
  /** `option:RetryTimes`, `channel:7`, `user:5`, `channels`, `log`. */
  subject: z.string(),
  /** 0 if no user is concerned. */
  user_id: z.int(),
  text: z.string(),
  /** Never contains secrets. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** `GET /api/audit`. `action` and `subject` match as prefixes, so that `channel` finds all channels; times in seconds, 0 for open. */
export const auditQuerySchema = z
  .object({ actor_id: idFilter, action: word, subject: word, ...span })
  .and(pageFromOneSchema);
export type AuditQuery = z.output<typeof auditQuerySchema>;

/** Refused model calls of one minute with the same reason, which cost nothing. */
export const refusedCallsSchema = z.object({
  /** Start of the minute, Unix seconds. */
  minute: z.int(),
  /** Error code that the caller got. */
  reason: z.string(),
  status: z.int(),
  /** Message that one of the callers got. */
  message: z.string(),
  /** 0 if the key is unknown. */
  token_id: z.int(),
  token_name: z.string(),
  user_id: z.int(),
  username: z.string(),
  model: z.string(),
  count: z.int(),
  /** Only some of the request ids are stored. */
  request_ids: z.array(z.string()),
});
export type RefusedCalls = z.infer<typeof refusedCallsSchema>;

/** `GET /api/log/refusal`. A request id finds its minute by time, whether or not the id is among the stored ones. */
export const refusedCallsQuerySchema = z
  .object({ request_id: word, reason: word, token_id: idFilter, user_id: idFilter, ...span })
  .and(pageFromOneSchema);
export type RefusedCallsQuery = z.output<typeof refusedCallsQuerySchema>;
