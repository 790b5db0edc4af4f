import { z } from 'zod';
import { pastedText } from '../channel-key.js';
import { keyModes, MAX_CHANNEL_NUMBER, settingFault, statusMappingFault } from '../channel-settings.js';
import { lenientInteger, pageFromZeroSchema } from '../envelope.js';
import { repeatedMember, repeatedText } from '../repeated-member.js';
import { ChannelStatus } from '../roles.js';
import { lengthFault, textLimits } from '../text-limits.js';
import { fieldOr, hasNoNul, idField, optionalField } from './fields.js';

export * from './channel-replies.js';

const invalid = '无效的参数';
const nameAndKey = '请填写渠道名称和渠道密钥！';
const oneModel = '请至少选择一个模型！';
const badMapping = '模型映射必须是合法的 JSON 格式！';
const notJson = '不是合法的 JSON 字符串';

const text = (message: string) => z.string(message).refine(hasNoNul, message);

const parseJson = (value: string): unknown => {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
};
const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A blank text means no value. */
const jsonText = (message: string, isMember: (value: unknown) => boolean = () => true) =>
  text(message)
    .refine((value) => {
      if (value.trim() === '') return true;
      const json = parseJson(value);
      return isJsonObject(json) && Object.values(json).every(isMember);
    }, message)
    .refine((value) => repeatedMember(value) === undefined, {
      error: ({ input }) => repeatedText(repeatedMember(String(input)) ?? ''),
    });

const isName = (value: unknown): boolean => typeof value === 'string';

const statusFaults = {
  source: '状态码复写的键必须是 100 到 599 之间的状态码',
  target: '状态码复写的目标必须是 400 到 599 之间的状态码',
} as const;
const objectOf = (value: string): Record<string, unknown> => {
  const json = parseJson(value);
  return isJsonObject(json) ? json : {};
};
const statusMapping = jsonText(`状态码复写${notJson}`).superRefine((value, context) => {
  const fault = statusMappingFault(objectOf(value));
  if (fault) context.addIssue({ code: 'custom', message: statusFaults[fault] });
});
const settingFaults = {
  policy: '渠道额外设置中的 abort_policy 只能是 stop、drain 或 reported',
  switch: '渠道额外设置中的 force_format 和 thinking_to_content 只能是 true 或 false',
  proxy: '渠道额外设置中的 proxy 必须是字符串',
  timeout: '渠道额外设置中的 first_byte_timeout、idle_timeout 和 total_timeout 必须是秒数，大于 0 且不超过 86400',
  headers:
    '渠道额外设置中的 forward_headers 必须是请求头名称的列表，最多 20 个，且不能包含凭据、Cookie 以及由系统自己设置的请求头',
  threshold: '渠道额外设置中的 test_threshold 必须是秒数，不小于 0 且不超过 86400',
} as const;
const setting = jsonText(`渠道额外设置${notJson}`).superRefine((value, context) => {
  const fault = settingFault(objectOf(value));
  if (fault) context.addIssue({ code: 'custom', message: settingFaults[fault] });
});

/** Entries of a comma-separated text: trimmed, non-empty and distinct. */
export const splitNames = (value: string): string[] => [
  ...new Set(
    value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Limits count characters, like the columns of the reference. */
const shortModelNames = text(oneModel).superRefine((value, context) => {
  const long = splitNames(value).find((name) => lengthFault(name, textLimits.modelName));
  if (long) context.addIssue({ code: 'custom', message: `模型名称过长: ${long}` });
});
const models = shortModelNames.refine((value) => splitNames(value).length > 0, oneModel);
const groups = text(invalid).refine(
  (value) => splitNames(value).every((name) => !lengthFault(name, textLimits.groupName)),
  '分组名称过长',
);

/** The upper bound is checked first, because a number that is no safe integer is no integer for `int`. */
const integer = (message: string, tooLarge = message) =>
  z.number(message).max(MAX_CHANNEL_NUMBER, tooLarge).int(message);
const badPriority = '优先级必须是整数！';
const badWeight = '权重必须是非负整数！';
const bigWeight = `权重不能大于 ${MAX_CHANNEL_NUMBER}`;
/** Negative weights count as zero, as in the reference. */
const weight = integer(badWeight, bigWeight).transform((value) => Math.max(0, value));
const priority = integer(badPriority, `优先级不能大于 ${MAX_CHANNEL_NUMBER}`).min(-999, '优先级不能小于 -999');

const settings = {
  openai_organization: text(invalid).nullish(),
  base_url: text(invalid).nullish(),
  other: text(invalid).nullish(),
  model_mapping: jsonText(badMapping, isName).nullish(),
  status_code_mapping: statusMapping.nullish(),
  param_override: jsonText(`参数覆盖${notJson}`).nullish(),
  setting: setting.nullish(),
  auto_ban: z.union([z.literal(0), z.literal(1)], invalid).nullish(),
  test_model: text(invalid).max(textLimits.modelName.most, invalid).nullish(),
  priority: priority.nullish(),
  weight: weight.nullish(),
  tag: text(invalid).max(textLimits.tag.most, '标签名称过长').nullish(),
  max_input_tokens: integer(invalid).nonnegative(invalid).nullish(),
  multi_key_mode: z.enum(keyModes, invalid).nullish(),
};

const name = (message: string) => text(message).trim().min(1, message).max(textLimits.channelName.most, '渠道名称过长');

const { enabled, disabled, autoDisabled } = ChannelStatus;

/** A copy of a channel that is off is off; only the product itself switches channels off automatically, so that is stored as switched off. */
const newStatus = z
  .union([z.literal(0), z.literal(enabled), z.literal(disabled), z.literal(autoDisabled)], invalid)
  .nullish()
  .transform((status) => (status === disabled || status === autoDisabled ? disabled : enabled));

const newChannelFields = z.object({
  name: name(nameAndKey),
  key: text(nameAndKey)
    .refine((key) => pastedText(key) !== '', nameAndKey)
    .nullish(),
  type: fieldOr(integer(invalid).positive(invalid), 1),
  models,
  group: z.preprocess((value) => value || 'default', groups),
  status: newStatus,
  /** Additive: the id of the channel whose stored keys to use if `key` is empty. */
  copy_from: idField(invalid, MAX_CHANNEL_NUMBER).nullish(),
  ...settings,
});

/** A copy without a key has `null`; any other new channel without one has a text that is refused. */
function withBlankKey(form: unknown): unknown {
  if (!isJsonObject(form)) return form;
  const isBlank = form.key == null || (typeof form.key === 'string' && pastedText(form.key) === '');
  return isBlank ? { ...form, key: form.copy_from == null ? '' : null } : form;
}

/**
 * `key` holds one key per line. Each line becomes a channel of its own, or, if `multi_key_mode` is set, a key of one channel. For type 41
 * the whole text is a single key. Only a copy (`copy_from`) may have no key: then it gets those of the original.
 */
export const createChannelSchema = z.preprocess(withBlankKey, newChannelFields);
export type CreateChannel = z.input<typeof newChannelFields>;

/**
 * Absent fields stay unchanged; null and '' clear; an empty key keeps the stored one. A body with only `id` and `status`, `priority` or
 * `weight` is a partial update from the list. Status 3 is what a form returns for an auto-disabled channel and changes nothing.
 */
export const updateChannelSchema = z.object({
  id: idField(invalid, MAX_CHANNEL_NUMBER),
  name: name('请填写渠道名称').optional(),
  key: text(invalid).nullish(),
  type: optionalField(integer(invalid).positive(invalid)),
  status: optionalField(z.union([z.literal(enabled), z.literal(disabled), z.literal(autoDisabled)], invalid)),
  models: models.optional(),
  group: groups.refine((value) => splitNames(value).length > 0, invalid).optional(),
  /** Additive: values that fields must have, as `GET` or the audit log states them, for the change to be made. */
  expected: z.record(z.string().max(64), z.unknown()).optional(),
  ...settings,
});
export type UpdateChannel = z.input<typeof updateChannelSchema>;

export const switchKeySchema = z.object({
  key_id: text(invalid).min(1, invalid).max(64, invalid),
  status: z.union([z.literal(enabled), z.literal(disabled)], invalid),
});
export type SwitchKey = z.input<typeof switchKeySchema>;

/** Accepts the spellings that the reference treats as true. */
const flag = z.preprocess((value) => typeof value === 'string' && /^(1|t|true)$/i.test(value), z.boolean());
const word = text(invalid).default('');

const listFilter = z.object({
  keyword: word,
  group: word,
  model: word,
  status: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.coerce.number().int().optional().catch(undefined),
  ),
  id_sort: flag,
  tag_mode: flag,
});

/**
 * `GET /api/channel`; `p` counts from 0. The reply is a bare array; the header `X-Total-Count` (additive) has the number of all matches. In
 * tag mode a page counts distinct tags and contains all channels of each; channels without a tag are omitted. Filters are additive here.
 */
export const channelListQuerySchema = listFilter.and(pageFromZeroSchema);
export type ChannelListQuery = z.output<typeof channelListQuerySchema>;

/** Most rows of a search without pages; in tag mode, most tags. */
export const MAX_FOUND_CHANNELS = 1000;

/** As in `pageFromZeroSchema`, but undefined if nothing is sent. */
const sentInteger = z.preprocess(
  (value) => (value ? lenientInteger(0).parse(value) : undefined),
  z.number().optional(),
);

/** `GET /api/channel/search` has no pages in the reference. Paged only if a page or a size is sent. */
export const channelSearchQuerySchema = listFilter.and(
  z.object({ p: sentInteger, page_size: sentInteger, size: sentInteger }).transform((paging) => {
    const isPaged = Object.values(paging).some((sent) => sent !== undefined);
    return isPaged ? pageFromZeroSchema.parse(paging) : { page: 1, size: MAX_FOUND_CHANNELS };
  }),
);

const badParameter = '参数错误';
const ids = z
  .array(idField(badParameter, MAX_CHANNEL_NUMBER), badParameter)
  .min(1, badParameter)
  .max(10_000, badParameter);

/** Every test is a real request, and the reply waits for all of them, so the console splits long lists into several calls. */
export const MAX_TESTED_AT_ONCE = 20;
export const testChannelsSchema = z.object({ ids: ids.max(MAX_TESTED_AT_ONCE, badParameter) }, badParameter);
export type TestChannels = z.input<typeof testChannelsSchema>;

/** With `only_disabled`, channels that are enabled by then stay. */
export const deleteChannelsSchema = z.object({ ids, only_disabled: z.boolean(badParameter).optional() }, badParameter);
export type DeleteChannels = z.input<typeof deleteChannelsSchema>;

const tagMissing = '标签不能为空！';

/** A null tag removes the channels' tags and must be sent explicitly; the form requires a text. */
export const tagChannelsSchema = z.object(
  {
    ids,
    tag: z
      .string({ error: ({ input }) => (input === undefined ? tagMissing : badParameter) })
      .refine(hasNoNul, badParameter)
      .trim()
      .min(1, tagMissing)
      .max(textLimits.tag.most, '标签名称过长')
      .nullable()
      .transform((tag) => tag ?? ''),
  },
  badParameter,
);
export type TagChannels = z.input<typeof tagChannelsSchema>;

const tag = text('tag不能为空').trim().min(1, 'tag不能为空');
export const tagNameSchema = z.object({ tag }, badParameter);

/**
 * Fields that are sent overwrite those of every channel with the tag. An empty `new_tag` removes the tag, an empty mapping clears the
 * mapping. Empty `models` or `groups` change nothing, nor does a `new_tag` equal to the current one.
 */
export const updateTagSchema = z
  .object(
    {
      tag,
      new_tag: text(badParameter).trim().max(textLimits.tag.most, '标签名称过长').nullish(),
      model_mapping: jsonText(badMapping, isName).nullish(),
      models: shortModelNames.nullish(),
      groups: groups.nullish(),
      priority: priority.nullish(),
      weight: integer(badWeight, bigWeight).min(0, badWeight).nullish(),
    },
    badParameter,
  )
  .refine(
    ({ tag, new_tag: newTag, models: named, groups: grouped, ...others }) =>
      (newTag != null && newTag !== tag) ||
      [named, grouped].some((value) => splitNames(value ?? '').length > 0) ||
      Object.values(others).some((value) => value != null),
    '没有任何修改！',
  );
export type UpdateTag = z.input<typeof updateTagSchema>;

const badRequest = 'Invalid request';
/**
 * Fetches an upstream's model list with a key that is not stored yet. An invalid body is answered with 400. Additive: `other`, which some
 * types have in their address, and `setting`, for its proxy.
 */
export const fetchModelsSchema = z.object({
  base_url: text(badRequest).nullish(),
  type: fieldOr(z.int(badRequest).positive(badRequest), 1),
  key: text('请填写密钥').refine((key) => pastedText(key) !== '', '请填写密钥'),
  other: text(badRequest).nullish(),
  setting: setting.nullish(),
});
export type FetchModels = z.input<typeof fetchModelsSchema>;
