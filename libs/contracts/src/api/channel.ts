import { z } from 'zod';
import { pageFromZeroSchema } from '../envelope.js';

/** The JSON inside `channel.other_info`. */
export const channelOtherInfoSchema = z.object({
  status_reason: z.string().optional(),
  status_time: z.int().optional(),
});
export type ChannelOtherInfo = z.infer<typeof channelOtherInfoSchema>;

/** A channel without its key: no reply carries one. Lists are comma texts, maps are JSON texts, as on the documented wire. */
export const channelSchema = z.object({
  id: z.int(),
  type: z.int(),
  name: z.string(),
  /** 1 enabled, 2 disabled, 3 auto-disabled. */
  status: z.int(),
  openai_organization: z.string().nullable(),
  base_url: z.string().nullable(),
  /** API version, region, plugin …: its meaning depends on the type. */
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
  /** Milliseconds; 0: untested. */
  response_time: z.int(),
  balance: z.number(),
  balance_updated_time: z.int(),
  used_quota: z.int(),
  /** JSON text of `channelOtherInfoSchema`. */
  other_info: z.string(),
});
export type Channel = z.infer<typeof channelSchema>;

const invalid = '无效的参数';
const nameAndKey = '请填写渠道名称和渠道密钥！';
const oneModel = '请至少选择一个模型！';
const badMapping = '模型映射必须是合法的 JSON 格式！';
const notJson = '不是合法的 JSON 字符串';
const MAX_MODEL_NAME = 255;

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};
/** Blank text stands for no value. */
const jsonText = (message: string) =>
  z.string(message).refine((text) => text.trim() === '' || isJsonObject(text), message);

const modelNames = (models: string): string[] =>
  models
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const models = z
  .string(oneModel)
  .refine((text) => modelNames(text).length > 0, oneModel)
  .superRefine((text, context) => {
    const long = modelNames(text).find((name) => name.length > MAX_MODEL_NAME);
    if (long) context.addIssue({ code: 'custom', message: `模型名称过长: ${long}` });
  });

/** Weights below zero count as zero, as in the reference. */
const weight = z.int('权重必须是非负整数！').transform((value) => Math.max(0, value));
const priority = z.int('优先级必须是整数！').min(-999, '优先级不能小于 -999');

const settings = {
  openai_organization: z.string(invalid).nullish(),
  base_url: z.string(invalid).nullish(),
  other: z.string(invalid).nullish(),
  model_mapping: jsonText(badMapping).nullish(),
  status_code_mapping: jsonText(`状态码复写${notJson}`).nullish(),
  param_override: jsonText(`参数覆盖${notJson}`).nullish(),
  setting: jsonText(`渠道额外设置${notJson}`).nullish(),
  auto_ban: z.union([z.literal(0), z.literal(1)], invalid).nullish(),
  test_model: z.string(invalid).nullish(),
  priority: priority.nullish(),
  weight: weight.nullish(),
  tag: z.string(invalid).nullish(),
  max_input_tokens: z.int().nullish(),
};

/** `key` holds one key per line; each line becomes a channel of its own (type 41 takes the whole text as one). */
export const createChannelSchema = z.object({
  name: z.string(nameAndKey).trim().min(1, nameAndKey),
  key: z.string(nameAndKey).refine((key) => key.trim() !== '', nameAndKey),
  type: z.int(invalid).positive(invalid),
  models,
  group: z.preprocess((value) => value || 'default', z.string(invalid)),
  ...settings,
});
export type CreateChannel = z.input<typeof createChannelSchema>;

/** Absent fields stay; null and '' clear; an empty key keeps the stored one. A body with only `id` and `status`, `priority` or `weight` is the list's partial update. */
export const updateChannelSchema = z.object({
  id: z.coerce.number(invalid).int(invalid).positive(invalid),
  name: z.string(invalid).trim().min(1, '请填写渠道名称').optional(),
  key: z.string(invalid).optional(),
  type: z.int(invalid).positive(invalid).optional(),
  status: z.union([z.literal(1), z.literal(2)], invalid).optional(),
  models: models.optional(),
  group: z.string(invalid).min(1, invalid).optional(),
  ...settings,
});
export type UpdateChannel = z.input<typeof updateChannelSchema>;

const flag = z.preprocess((value) => value === true || value === 'true' || value === '1', z.boolean());

/**
 * `GET /api/channel` and `/api/channel/search`; `p` counts from 0. The reply is a bare array; the header `X-Total-Count`
 * (additive) holds the number of all matches. In tag mode a page counts distinct tags. `status` is additive.
 */
export const channelListQuerySchema = z
  .object({
    keyword: z.string().default(''),
    group: z.string().default(''),
    model: z.string().default(''),
    status: z.preprocess(
      (value) => (value === '' ? undefined : value),
      z.coerce.number().int().optional().catch(undefined),
    ),
    id_sort: flag,
    tag_mode: flag,
  })
  .and(pageFromZeroSchema);
export type ChannelListQuery = z.output<typeof channelListQuerySchema>;

const badParameter = '参数错误';
const ids = z
  .array(z.int(badParameter).positive(badParameter), badParameter)
  .min(1, badParameter)
  .max(10_000, badParameter);

export const deleteChannelsSchema = z.object({ ids });
export type DeleteChannels = z.input<typeof deleteChannelsSchema>;

/** A null or empty tag takes the channels out of their tags. */
export const tagChannelsSchema = z.object({ ids, tag: z.string(badParameter).nullish() });
export type TagChannels = z.input<typeof tagChannelsSchema>;

const tag = z.string('tag不能为空').min(1, 'tag不能为空');
export const tagNameSchema = z.object({ tag });
export type TagName = z.input<typeof tagNameSchema>;

/** Fields sent overwrite those of every channel of the tag; an empty `new_tag` dissolves the tag. */
export const updateTagSchema = z.object({
  tag,
  new_tag: z.string(badParameter).nullish(),
  model_mapping: jsonText(badMapping).nullish(),
  models: z.string(badParameter).nullish(),
  groups: z.string(badParameter).nullish(),
  priority: z.int('优先级必须是整数！').nullish(),
  weight: z.int('权重必须是非负整数！').min(0, '权重必须是非负整数！').nullish(),
});
export type UpdateTag = z.input<typeof updateTagSchema>;

/** Asks an upstream for its models with a key that is not stored yet. */
export const fetchModelsSchema = z.object({
  base_url: z.string().nullish(),
  type: z.int(invalid).positive(invalid),
  key: z.string('请填写密钥').refine((key) => key.trim() !== '', '请填写密钥'),
});
export type FetchModels = z.input<typeof fetchModelsSchema>;

/** Stands beside `success` and `message`, not inside `data`; `time` in seconds. */
export const channelTestReplySchema = z.object({ success: z.boolean(), message: z.string(), time: z.number() });
export type ChannelTestReply = z.infer<typeof channelTestReplySchema>;

/** Stands beside `success` and `message`. */
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
