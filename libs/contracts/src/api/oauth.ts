import { z } from 'zod';
import { hasNoNul } from './fields.js';

export const oauthProviders = ['github', 'oidc', 'linuxdo'] as const;
export type OauthProvider = (typeof oauthProviders)[number];

/** Everything that can be bound to an account and unbound from it. */
export const bindings = ['email', 'github', 'oidc', 'linuxdo', 'wechat', 'telegram'] as const;
export type BindingName = (typeof bindings)[number];

const invalid = '无效的参数';
const text = (most: number) => z.string().max(most).catch('').default('');

/** An invitation code that cannot exist is ignored, as an unknown one is. */
export const oauthStateQuerySchema = z.object({ aff: z.string().max(32).refine(hasNoNul).catch('').default('') });

/** `origin` is where the calling page was loaded from; OIDC providers redirect there. */
export const oauthAuthorizeQuerySchema = oauthStateQuerySchema.extend({
  provider: z.enum(oauthProviders, invalid),
  origin: z
    .string(invalid)
    .max(300, invalid)
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), invalid)
    .transform((value) => new URL(value).origin)
    .optional(),
});
export type OauthAuthorizeQuery = z.output<typeof oauthAuthorizeQuerySchema>;

/** The parameters with which a provider redirects the browser back. */
export const oauthQuerySchema = z.object({
  code: text(2048),
  state: text(128),
  iss: text(512),
  error: text(200),
  error_description: text(500),
});
export type OauthQuery = z.output<typeof oauthQuerySchema>;

export const oauthParamSchema = z.object({ provider: z.string() });

export const wechatQuerySchema = z.object({ code: z.string(invalid).trim().min(1, invalid).max(200, invalid) });

/** The fields of the Telegram widget, all as text; `hash` authenticates the others. */
export const telegramQuerySchema = z.record(z.string().max(64), z.string().max(1024));

export const bindingParamSchema = z.object({ provider: z.enum(bindings, invalid) });
