import { z } from 'zod';
import { keyModes } from '../channel-settings.js';

/** The JSON inside `channel.other_info`. */
export const channelOtherInfoSchema = z.object({
  status_reason: z.string().optional(),
  status_time: z.int().optional(),
});
export type ChannelOtherInfo = z.infer<typeof channelOtherInfoSchema>;

/** A channel without its key, which no reply contains. Lists are comma-separated texts, maps are JSON texts, as documented. */
export const channelSchema = z.object({
  id: z.int(),
  type: z.int(),
  name: z.string(),
  /** 1 enabled, 2 disabled, 3 auto-disabled. */
  status: z.int(),
  openai_organization: z.string().nullable(),
  base_url: z.string().nullable(),
  /** API version, region or plugin, depending on the channel type. */
  other: z.string(),
  models: z.string(),
  group: z.string(),
  model_mapping: z.string().nullable(),
  status_code_mapping: z.string().nullable(),
  param_override: z.string().nullable(),
  setting: z.string().nullable(),
  auto_ban: z.int().nullable(),
  test_model: z.string().nullable(),
  priority: z.int().nullable(),
  weight: z.int().nullable(),
  tag: z.string().nullable(),
  max_input_tokens: z.int().optional(),
  created_time: z.int(),
  test_time: z.int(),
  /** Additive: whether the last test succeeded; absent if that is not known. */
  test_ok: z.boolean().optional(),
  /** Milliseconds; 0 if untested. */
  response_time: z.int(),
  balance: z.number(),
  balance_updated_time: z.int(),
  used_quota: z.int(),
  /** JSON text of `channelOtherInfoSchema`. */
  other_info: z.string(),
  /** For a channel with several keys: how a key is chosen, the number of keys, and how many of them are set aside. */
  multi_key_mode: z.enum(keyModes).optional(),
  multi_key_size: z.int().optional(),
  multi_key_away: z.int().optional(),
});
export type Channel = z.infer<typeof channelSchema>;

/** One row of `GET /api/channel/:id/keys`, in the order in which the keys were entered. No reply contains a key. */
export const channelKeySchema = z.object({
  /** Derived from the key, so it stays the same when other keys are added or removed. */
  id: z.string(),
  /** The end of the key, by which an administrator can recognise it. */
  hint: z.string(),
  /** As for a channel: 1 enabled, 2 disabled, 3 set aside automatically. */
  status: z.int(),
  reason: z.string(),
  /** Unix seconds; 0 if it was never set aside. */
  time: z.int(),
});
export type ChannelKeyRow = z.infer<typeof channelKeySchema>;

/** Members beside `success` and `message`, not inside `data`; `time` in seconds. */
export const channelTestReplySchema = z.object({ success: z.boolean(), message: z.string(), time: z.number() });
export type ChannelTestReply = z.infer<typeof channelTestReplySchema>;

/** One row of `POST /api/channel/batch/test`; `time` in seconds. */
export const channelTestRowSchema = channelTestReplySchema.extend({ id: z.int() });
export type ChannelTestRow = z.infer<typeof channelTestRowSchema>;

/** Number of channels by status. */
export const channelCountsSchema = z.object({
  all: z.int(),
  enabled: z.int(),
  disabled: z.int(),
  auto_disabled: z.int(),
});
export type ChannelCounts = z.infer<typeof channelCountsSchema>;

/** A member beside `success` and `message`. */
export const channelBalanceReplySchema = z.object({ success: z.boolean(), message: z.string(), balance: z.number() });
export type ChannelBalanceReply = z.infer<typeof channelBalanceReplySchema>;

/** One entry of `GET /api/channel/models`. */
export const builtInModelSchema = z.object({
  id: z.string(),
  object: z.string(),
  created: z.int(),
  owned_by: z.string(),
});
export type BuiltInModel = z.infer<typeof builtInModelSchema>;

/** `GET /api/models`: channel type number → names of its built-in models. */
export const modelsByTypeSchema = z.record(z.string(), z.array(z.string()));
export type ModelsByType = z.infer<typeof modelsByTypeSchema>;

/** `/api/channel/demonstration`: whether the product has a demonstration provider, and the id of its channel; 0 if none was created. */
export const demonstrationSchema = z.object({ available: z.boolean(), channel_id: z.int() });
export type Demonstration = z.infer<typeof demonstrationSchema>;
