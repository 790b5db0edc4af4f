import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { textLimits } from '../text-limits.js';
import { hasNoNul, idFilter, momentFilter, wordFilter } from './fields.js';
import { postingCodes } from './posting-codes.js';

const wrong = '参数错误';

/** One row of the journal: `amount` units moved from `debit` to `credit`. Times are Unix seconds. */
export const postingSchema = z.object({
  /** For a consumption, the request id. */
  id: z.string(),
  /** When the recorded movement happened. */
  time: z.int(),
  booked_at: z.int(),
  code: z.string(),
  /** `wallet:5`, `affiliate:5`, `token:7`, or a house account such as `revenue`. */
  debit: z.string(),
  credit: z.string(),
  amount: z.int(),
  /** Change of the wallet of `user_id`: positive in, negative out, 0 if the wallet was not affected. */
  change: z.int(),
  user_id: z.int(),
  /** 0 if none is concerned. */
  token_id: z.int(),
  /** The order number, code, command or request that the row is about. */
  reference: z.string(),
  price_version: z.string(),
  /** For a consumption; empty for other rows, and for rows booked before models were recorded. */
  model: z.string(),
  group: z.string(),
  reason: z.string(),
  /** For administrators only; 0 if no channel was reached. */
  channel_id: z.int().optional(),
  /** For administrators only; 0 if no person acted. */
  actor_id: z.int().optional(),
});
export type PostingReply = z.infer<typeof postingSchema>;

const text = z.string(wrong).max(200, wrong).refine(hasNoNul, wrong).default('');
const moment = momentFilter(wrong);

/** 0 and '' mean no filter; both times are inclusive bounds of when the movement happened. `reference` must match exactly. */
export const journalFilterSchema = z.object({
  user_id: idFilter,
  token_id: idFilter,
  actor_id: idFilter,
  code: wordFilter(postingCodes, wrong),
  reference: text,
  start_timestamp: moment,
  end_timestamp: moment,
});
export type JournalFilter = z.output<typeof journalFilterSchema>;
export const journalQuerySchema = journalFilterSchema.and(pageFromOneSchema);
export type JournalQuery = z.output<typeof journalQuerySchema>;

/** The budget of a token as an administrator sees it; never includes the key. */
export const tokenBudgetSchema = z.object({
  id: z.int(),
  user_id: z.int(),
  name: z.string(),
  status: z.int(),
  unlimited_quota: z.boolean(),
  /** May be negative. */
  remain_quota: z.int(),
  used_quota: z.int(),
  /** Currently leased to relays. */
  held_quota: z.int(),
  /** 0 if never used. */
  accessed_time: z.int(),
  /** Unix seconds; −1 for no expiry. */
  expired_time: z.int(),
});
export type TokenBudget = z.infer<typeof tokenBudgetSchema>;

const reason = z
  .string('请填写原因')
  .trim()
  .min(1, '请填写原因')
  .max(textLimits.reason.most, `原因最多 ${textLimits.reason.most} 个字符`)
  .refine(hasNoNul, wrong);

/** Either the new remaining quota or the change, in units. */
export const changeBudgetSchema = z
  .object({
    remain_quota: z.int(wrong).min(0, '额度值不能为负数').optional(),
    delta: z.int(wrong).optional(),
    reason,
  })
  .refine((input) => (input.remain_quota === undefined) !== (input.delta === undefined), wrong);
export type ChangeBudget = z.input<typeof changeBudgetSchema>;
export const budgetChangeSchema = z.object({ before: z.int(), after: z.int() });
export type BudgetChange = z.infer<typeof budgetChangeSchema>;
