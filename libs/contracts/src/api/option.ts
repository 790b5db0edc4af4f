import { z } from 'zod';

/**
 * One option as `GET /api/option` lists it. The last three members are additive: the value of a secret is always empty, and `is_set` tells
 * whether one is stored; `revision` increases with every change of the row (0 while the default is in force).
 */
export const optionSchema = z.object({
  key: z.string(),
  value: z.string(),
  revision: z.int().optional(),
  secret: z.boolean().optional(),
  is_set: z.boolean().optional(),
});
export type Option = z.infer<typeof optionSchema>;

/**
 * With `revision`, the call is refused with kind `conflict` if the row has changed since. An invalid value changes nothing. An empty value
 * of a secret keeps the stored one, unless `clear` is set to remove it.
 */
export const updateOptionSchema = z.object({
  key: z.string('无效的参数').min(1, '无效的参数'),
  value: z.string('无效的参数'),
  revision: z.int('无效的参数').optional(),
  clear: z.boolean('无效的参数').optional(),
});
export type UpdateOption = z.input<typeof updateOptionSchema>;

/** The URL of a provider's discovery document, as typed by an administrator. */
export const discoverOidcSchema = z.object({
  url: z
    .string('无效的参数')
    .trim()
    .max(2048, '无效的参数')
    .regex(/^https?:\/\//i, 'Well-Known URL 必须以 http:// 或 https:// 开头'),
});

/** Values that the console fills in; a provider may omit the last two. */
export const oidcDiscoverySchema = z.object({
  authorization_endpoint: z.string().min(1).max(2048),
  token_endpoint: z.string().max(2048).optional(),
  userinfo_endpoint: z.string().max(2048).optional(),
});
export type OidcDiscovery = z.infer<typeof oidcDiscoverySchema>;
