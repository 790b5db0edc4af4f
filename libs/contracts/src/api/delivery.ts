import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { hasNoNul, idFilter, wordFilter } from './fields.js';

const deliveryStates = ['waiting', 'sent', 'failed'] as const;

/** A mail or webhook being delivered. Its content is not shown, because it may hold a code. Times are Unix seconds, 0 = not yet. */
export const deliverySchema = z.object({
  id: z.int().positive(),
  /** 0 for a recipient without an account. */
  user_id: z.int(),
  kind: z.string(),
  via: z.enum(['mail', 'webhook']),
  /** The mail address or webhook URL: shown to its owner without the query, to administrators as the origin only. */
  target: z.string(),
  status: z.enum(deliveryStates),
  attempts: z.int(),
  /** Reason of the last failure; empty if there was none. */
  reason: z.string(),
  created_at: z.int(),
  next_attempt_at: z.int(),
  finished_at: z.int(),
});
export type Delivery = z.infer<typeof deliverySchema>;

const wrong = '无效的参数';

/** `user_id` 0 and empty texts match all; the list of one's own deliveries accepts no user. */
export const deliveryQuerySchema = z
  .object({
    status: wordFilter(deliveryStates, wrong),
    kind: z.string(wrong).max(64, wrong).refine(hasNoNul, wrong).default(''),
    user_id: idFilter,
  })
  .and(pageFromOneSchema);
export type DeliveryQuery = z.output<typeof deliveryQuerySchema>;
