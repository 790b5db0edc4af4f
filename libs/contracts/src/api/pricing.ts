import { z } from 'zod';

export const pricingRowSchema = z.object({
  model_name: z.string(),
  /** 0 by tokens, 1 per call. */
  quota_type: z.union([z.literal(0), z.literal(1)]),
  model_ratio: z.number(),
  /** USD per call; 0 if priced by tokens. */
  model_price: z.number(),
  owner_by: z.string(),
  completion_ratio: z.number(),
  /** Groups that the caller may see; empty if the caller may use none of the model's groups. */
  enable_groups: z.array(z.string()),
  /** Additive: false for a model without a configured price; its numbers are then fallbacks. */
  priced: z.boolean().optional(),
  /** Additive. */
  cache_ratio: z.number().optional(),
});
export type PricingRow = z.infer<typeof pricingRowSchema>;

/**
 * A row for every model that an enabled channel serves, by name. `group_ratio` and `usable_group` are beside `data`. All three are limited
 * to groups that the caller may use, except that administrators get all rows. `group_ratio` also leaves out groups without a ratio, but for
 * the caller's own.
 */
export const pricingReplySchema = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(pricingRowSchema),
  group_ratio: z.record(z.string(), z.number()),
  usable_group: z.record(z.string(), z.string()),
});
export type PricingReply = z.infer<typeof pricingReplySchema>;

/** `GET /api/group`: group names in the order of the option. */
export const groupNamesSchema = z.array(z.string());

/** `GET /api/user/self/groups` and `/api/user/groups`: the groups with a ratio that the caller may use. */
export const userGroupsSchema = z.record(z.string(), z.object({ ratio: z.number(), desc: z.string() }));
export type UserGroups = z.infer<typeof userGroupsSchema>;
