import { z } from 'zod';
import { pageFromZeroSchema } from '../envelope.js';
import { TokenStatus } from '../roles.js';
import { lengthFault, textLimits } from '../text-limits.js';
import { fieldOr, hasNoNul, LAST_SECOND, optionalField } from './fields.js';

/** A token, shown to its owner only. `key` is complete, without `sk-`, because keys are copied from the list. */
export const tokenSchema = z.object({
  id: z.int(),
  user_id: z.int(),
  key: z.string(),
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted; 3 and 4 are derived from time and budget when the reply is made. */
  status: z.int(),
  name: z.string(),
  created_time: z.int(),
  /** 0 if never used. */
  accessed_time: z.int(),
  /** Unix seconds; −1 for no expiry. */
  expired_time: z.int(),
  /** Never negative. */
  remain_quota: z.int(),
  used_quota: z.int(),
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  /** Comma-separated list. */
  model_limits: z.string(),
  /** One address or CIDR range per line; empty for no restriction. Null is accepted in requests. */
  allow_ips: z.string().nullable(),
  /** Empty for the user's own group. */
  group: z.string(),
  /** ISO time; always null in lists. */
  DeletedAt: z.string().nullable().optional(),
});
export type Token = z.infer<typeof tokenSchema>;

const invalid = '无效的参数';
const MAX_MODEL_LIMITS = 20_000;
const badExpiry = '过期时间格式错误！';
const nullAsEmpty = (value: unknown): unknown => (value === null ? '' : value);

const rules = {
  name: z
    .string('令牌名称不能为空')
    .refine(hasNoNul, invalid)
    .refine((name) => !/[\r\n]/.test(name.trim()), invalid)
    .trim()
    .min(1, '令牌名称不能为空')
    .refine((name) => !lengthFault(name, textLimits.tokenName), '令牌名称过长'),
  expired_time: z.int(badExpiry).refine((time) => time === -1 || (time > 0 && time <= LAST_SECOND), badExpiry),
  remain_quota: z.int(invalid).min(0, '额度值不能为负数'),
  flag: z.boolean(invalid),
  model_limits: z.string(invalid).max(MAX_MODEL_LIMITS, invalid).refine(hasNoNul, invalid),
  allow_ips: z.string(invalid).max(textLimits.allowedAddresses.most, invalid),
  group: z.string(invalid).trim().max(textLimits.groupName.most, invalid).refine(hasNoNul, invalid),
};

/** The server also checks every entry of `allow_ips`, and that the caller may use `group`. */
export const createTokenSchema = z.object({
  name: rules.name,
  expired_time: fieldOr(rules.expired_time, -1),
  remain_quota: fieldOr(rules.remain_quota, 0),
  unlimited_quota: fieldOr(rules.flag, false),
  model_limits_enabled: fieldOr(rules.flag, false),
  model_limits: z.preprocess(nullAsEmpty, rules.model_limits.default('')),
  allow_ips: z.preprocess(nullAsEmpty, rules.allow_ips.default('')),
  group: z.preprocess(nullAsEmpty, rules.group.default('')),
});
export type CreateToken = z.input<typeof createTokenSchema>;

/** 0 and an absent id get the message for a missing id; other invalid values a general one. */
const tokenId = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : (value ?? 0)),
  z.int(invalid).min(1, 'id 或 userId 为空！'),
);
export const tokenIdParamSchema = z.object({ id: tokenId });

const seenTokenSchema = tokenSchema
  .pick({
    name: true,
    expired_time: true,
    remain_quota: true,
    used_quota: true,
    unlimited_quota: true,
    model_limits_enabled: true,
    model_limits: true,
    allow_ips: true,
    group: true,
  })
  .partial();

/** Writes everything except the status; `status` is used only for the two checks about enabling. Absent fields stay unchanged. */
export const updateTokenSchema = z.object({
  id: tokenId,
  status: optionalField(z.int(invalid)),
  name: rules.name.optional(),
  expired_time: optionalField(rules.expired_time),
  remain_quota: optionalField(rules.remain_quota),
  unlimited_quota: optionalField(rules.flag),
  model_limits_enabled: optionalField(rules.flag),
  model_limits: z.preprocess(nullAsEmpty, rules.model_limits.optional()),
  allow_ips: z.preprocess(nullAsEmpty, rules.allow_ips.optional()),
  group: z.preprocess(nullAsEmpty, rules.group.optional()),
  /**
   * Additive: values that fields must have, as in the reply of `GET`, for the change to be made. With `used_quota`, the sum of remaining
   * and used quota is compared, so that calls made meanwhile do not count as a change.
   */
  expected: seenTokenSchema.optional(),
});
export type UpdateToken = z.input<typeof updateTokenSchema>;

/** `PUT /api/token?status_only=true`, as sent by the buttons of the list. */
export const updateTokenStatusSchema = z.object({
  id: tokenId,
  status: z.union([z.literal(TokenStatus.enabled), z.literal(TokenStatus.disabled)], invalid),
});
export type UpdateTokenStatus = z.input<typeof updateTokenStatusSchema>;

/** `p` counts from 0; the reply is a bare array, and its header `X-Total-Count` (additive) has the number of all matches. */
export const tokenListQuerySchema = pageFromZeroSchema;

const OF_PREFIX = new Set('sk-');

/**
 * Without the characters of `sk-` at both ends. No regular expression, because one for the end would take quadratic time for a text that is
 * full of them.
 */
function withoutPrefix(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && OF_PREFIX.has(text.charAt(start))) start += 1;
  while (end > start && OF_PREFIX.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Both match as substrings; `s`, `k` and `-` at both ends of `token` are ignored. Paged only if a page or a size is sent. */
export const tokenSearchQuerySchema = z
  .object({
    keyword: z.string(invalid).refine(hasNoNul, invalid).default(''),
    token: z.string(invalid).default(''),
    p: z.string().optional(),
    size: z.string().optional(),
    page_size: z.string().optional(),
  })
  .transform(({ keyword, token, ...paging }) => ({
    keyword: keyword.trim(),
    token: withoutPrefix(token.trim()),
    ...(Object.values(paging).some((value) => value !== undefined) && { page: pageFromZeroSchema.parse(paging) }),
  }));
export type TokenSearchQuery = z.output<typeof tokenSearchQuerySchema>;
