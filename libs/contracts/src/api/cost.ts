import { z } from 'zod';
import { hasNoNul, MAX_ID } from './fields.js';

const wrong = '参数错误';
/** Limit on models of one channel with their own cost prices. */
const MAX_COSTS = 500;
const MAX_PRICE = 1_000_000;

/** USD, or a share of the list price. */
const amount = z.number('成本必须是数字').min(0, '成本不能为负').max(MAX_PRICE, `成本不能超过 ${MAX_PRICE}`);

/** A share of the list price, which is the model's price without the group ratio. */
const ratioTerms = z.strictObject({ ratio: amount });
/** USD per call; for pictures, per picture of the standard size. */
const callTerms = z.strictObject({ call: amount });
/** USD per million tokens; a kind without a price costs as much as plain tokens of the same direction. */
const tokenTerms = z.strictObject({
  input: amount,
  output: amount,
  cache_read: amount.optional(),
  cache_write: amount.optional(),
  audio_input: amount.optional(),
  audio_output: amount.optional(),
});
export const costTermsSchema = z.union([ratioTerms, callTerms, tokenTerms], '成本须为 ratio、call 或 input 与 output');
export type CostTerms = z.infer<typeof costTermsSchema>;

const model = z.string(wrong).trim().max(256, '模型名称最多 256 个字符').refine(hasNoNul, wrong);

/** Replaces a channel's cost prices; a model that is not named has none from now on. An empty model name applies to all others. */
export const saveCostsSchema = z
  .object({
    channel_id: z.int(wrong).positive(wrong).max(MAX_ID, wrong),
    costs: z.array(z.object({ model, terms: costTermsSchema }), wrong).max(MAX_COSTS, `最多 ${MAX_COSTS} 个模型`),
    /**
     * The `version` that the caller has seen; the save is refused if it is not the latest. Without it the stored prices are replaced, and
     * the reply's `replaced` lists the previous ones.
     */
    based_on: z.int(wrong).nonnegative(wrong).optional(),
  })
  .refine(({ costs }) => new Set(costs.map((cost) => cost.model)).size === costs.length, '同一模型只能有一条成本');
export type SaveCosts = z.input<typeof saveCostsSchema>;

export const costQuerySchema = z.object({
  channel_id: z.coerce.number(wrong).int(wrong).positive(wrong).max(MAX_ID, wrong),
});

/** A version of the cost price of a channel and model. Versions are immutable. */
export const costVersionSchema = z.object({
  id: z.int(),
  channel_id: z.int(),
  /** Empty for all models without their own price. */
  model: z.string(),
  /** Null: unknown from then on. */
  terms: costTermsSchema.nullable(),
  /** Unix seconds from which it applies. */
  since: z.int(),
  actor_id: z.int(),
});
export type CostVersion = z.infer<typeof costVersionSchema>;

export const channelCostsSchema = z.object({
  /** Id of the latest version for any of the channel's models; 0 if there is none. */
  version: z.int(),
  /** The prices in force. */
  current: z.array(costVersionSchema),
  /** The latest hundred versions, newest first. */
  history: z.array(costVersionSchema),
});
export type ChannelCosts = z.infer<typeof channelCostsSchema>;

export const savedCostsSchema = channelCostsSchema.extend({
  /** The versions that applied until this call. */
  replaced: z.array(costVersionSchema),
});
export type SavedCosts = z.infer<typeof savedCostsSchema>;
