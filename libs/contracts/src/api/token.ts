import { z } from 'zod';
import { pageFromZeroSchema } from '../envelope.js';

/** An API key of a user. `key` is without `sk-`: masked in lists and searches, whole in `GET /api/token/{id}`. */
export const tokenSchema = z.object({
  id: z.int(),
  user_id: z.int(),
  key: z.string(),
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  status: z.int(),
  name: z.string(),
  created_time: z.int(),
  /** 0: never used. */
  accessed_time: z.int(),
  /** Unix seconds, −1 never. */
  expired_time: z.int(),
  remain_quota: z.int(),
  used_quota: z.int(),
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  /** Comma list. */
  model_limits: z.string(),
  /** One address or CIDR range per line; null or empty: no limit. */
  allow_ips: z.string().nullable(),
  /** Empty: the user's own group. */
  group: z.string(),
});
export type Token = z.infer<typeof tokenSchema>;

/** The limit of the reference counts bytes. */
export const MAX_TOKEN_NAME_BYTES = 30;
const byteLength = (text: string): number => new TextEncoder().encode(text).length;

const invalid = '无效的参数';
const nullAsEmpty = (value: unknown): unknown => (value === null ? '' : value);

const tokenFields = {
  name: z
    .string(invalid)
    .trim()
    .min(1, '令牌名称不能为空')
    .refine((name) => byteLength(name) <= MAX_TOKEN_NAME_BYTES, '令牌名称过长'),
  expired_time: z.int('过期时间格式错误！').min(-1, '过期时间格式错误！').default(-1),
  remain_quota: z.int(invalid).min(0, '额度值不能为负数').default(0),
  unlimited_quota: z.boolean(invalid).default(false),
  model_limits_enabled: z.boolean(invalid).default(false),
  model_limits: z.preprocess(nullAsEmpty, z.string(invalid).default('')),
  allow_ips: z.preprocess(nullAsEmpty, z.string(invalid).max(8192, invalid).default('')),
  group: z.preprocess(nullAsEmpty, z.string(invalid).max(64, invalid).default('')),
};

export const createTokenSchema = z.object(tokenFields);
export type CreateToken = z.input<typeof createTokenSchema>;

const tokenId = z.coerce.number(invalid).int(invalid).positive('id 或 userId 为空！');

/** Everything but the status is written; `status` only serves the two checks about enabling. Absent fields stay. */
export const updateTokenSchema = z.object({
  id: tokenId,
  status: z.int(invalid).optional(),
  name: tokenFields.name.optional(),
  expired_time: z.int('过期时间格式错误！').min(-1, '过期时间格式错误！').optional(),
  remain_quota: z.int(invalid).min(0, '额度值不能为负数').optional(),
  unlimited_quota: z.boolean(invalid).optional(),
  model_limits_enabled: z.boolean(invalid).optional(),
  model_limits: z.string(invalid).nullish(),
  allow_ips: z.string(invalid).max(8192, invalid).nullish(),
  group: z.string(invalid).max(64, invalid).nullish(),
});
export type UpdateToken = z.input<typeof updateTokenSchema>;

/** `PUT /api/token?status_only=true`: 1 or 2, as the list's buttons send. */
export const updateTokenStatusSchema = z.object({
  id: tokenId,
  status: z.union([z.literal(1), z.literal(2)], invalid),
});
export type UpdateTokenStatus = z.input<typeof updateTokenStatusSchema>;

/** `p` counts from 0; the reply is a bare array, its header `X-Total-Count` (additive) holds the number of all matches. */
export const tokenListQuerySchema = pageFromZeroSchema;

/** Both are substrings; `token` loses a leading `sk-`. Paged only when `p` or `size` is sent. */
export const tokenSearchQuerySchema = z
  .object({ keyword: z.string().default(''), token: z.string().default('') })
  .and(pageFromZeroSchema);
export type TokenSearchQuery = z.output<typeof tokenSearchQuerySchema>;
