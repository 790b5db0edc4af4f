import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { hasNoNul, idFilter, wordFilter } from './fields.js';

const deliveryStates = ['waiting', 'sent', 'failed'] as const;

/** A mail or a webhook on its way. What it says is not shown: it may hold a code. Times are Unix seconds, 0 = not yet. */
export const deliverySchema = z.object({
  id: z.int().positive(),
  /** 0: nobody who has an account here. */
  user_id: z.int(),
  kind: z.string(),
  via: z.enum(['mail', 'webhook']),
  /** The address, or where the webhook leads: to its owner without its query, to administrators its origin only. */
  target: z.string(),
  status: z.enum(deliveryStates),
  attempts: z.int(),
  /** Of the last failure; empty when there was none. */
  reason: z.string(),
  created_at: z.int(),
  next_attempt_at: z.int(),
  finished_at: z.int(),
});
export type Delivery = z.infer<typeof deliverySchema>;

const wrong = '无效的参数';

/** `user_id` 0 and empty texts = all; one's own list takes no user. */
export const deliveryQuerySchema = z
  .object({
    status: wordFilter(deliveryStates, wrong),
    kind: z.string(wrong).max(64, wrong).refine(hasNoNul, wrong).default(''),
    user_id: idFilter,
  })
  .and(pageFromOneSchema);
export type DeliveryQuery = z.output<typeof deliveryQuerySchema>;
