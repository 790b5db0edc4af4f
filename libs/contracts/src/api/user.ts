import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { lengthFault, MOST_NOTICE_ADDRESSES, type TextLimit, textLimits } from '../text-limits.js';
import { type NameFault, nameFault, plainName } from '../user-name.js';
import { fieldOr, hasNoNul, idField, optionalField } from './fields.js';
import { proofFields } from './second-factor.js';

/**
 * The JSON inside `user.setting`, replaced as a whole by `PUT /api/user/setting`. The webhook's secret is write-only: no reply contains it,
 * and `webhook_secret_set` tells whether one is stored.
 */
export const userSettingSchema = z.object({
  notify_type: z.enum(['email', 'webhook']).optional(),
  quota_warning_threshold: z.number().optional(),
  webhook_url: z.string().optional(),
  webhook_secret_set: z.boolean().optional(),
  notification_email: z.string().optional(),
  accept_unset_model_ratio_model: z.boolean().optional(),
});
export type UserSetting = z.infer<typeof userSettingSchema>;

/** The user in replies of sign-in and OAuth, and in the local storage key `user`. */
export const sessionUserSchema = z.object({
  id: z.int().positive(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  group: z.string(),
});
export type SessionUser = z.infer<typeof sessionUserSchema>;

/** A user as in the user lists and `GET /api/user/self`: without password, access token and webhook secret. */
export const userSchema = sessionUserSchema.extend({
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  quota: z.int(),
  used_quota: z.int(),
  request_count: z.int(),
  aff_code: z.string(),
  aff_count: z.int(),
  aff_quota: z.int(),
  aff_history_quota: z.int(),
  /** 0 if not invited. */
  inviter_id: z.int(),
  /** ISO time; null unless the account is deleted. */
  DeletedAt: z.string().nullable(),
  /** JSON text of `userSettingSchema`; may be empty. */
  setting: z.string(),
  /** Additive: whether a second factor is set up. */
  two_factor: z.boolean().optional(),
  /** Additive, in one's own reply: the operator requires a second factor, and no other calls are allowed until it is set up. */
  must_set_two_factor: z.boolean().optional(),
  /** Additive, in one's own reply: whether a new password requires the current one. Users who only sign in through a provider have none. */
  original_needed: z.boolean().optional(),
});
export type User = z.infer<typeof userSchema>;

const invalid = '无效的参数';

/** Code and text for each rule. */
const nameRules: Readonly<Record<Exclude<NameFault, 'missing'>, [string, (limit: TextLimit) => string]>> = {
  long: ['username-too-long', ({ most }) => `输入不合法 用户名最多 ${most} 个字符`],
  likeEmail: ['username-like-email', () => '输入不合法 用户名不能包含 @'],
  invisible: ['username-invisible', () => '输入不合法 用户名包含不可见字符'],
  mixed: ['username-mixed', () => '输入不合法 用户名混用了外观相似的字母'],
  erased: ['username-taken', () => '用户名已存在，或已注销'],
};

/** Names that differ only in case or in similar-looking letters count as the same, see `nameKey`. */
const usernameUpTo = (limit: TextLimit) =>
  z
    .string(invalid)
    .overwrite(plainName)
    .min(1, invalid)
    .superRefine((value, context) => {
      const fault = nameFault(value, limit);
      // A missing name is reported by the least length, which the documents of the API show.
      if (!fault || fault === 'missing') return;
      const [code, text] = nameRules[fault];
      context.addIssue({ code: 'custom', message: text(limit), params: { code } });
    });
const username = usernameUpTo(textLimits.username);
/** Accepts the longer names that the set-up allows, for users who have one; new names have the usual limit. */
const presentOrNewUsername = usernameUpTo(textLimits.setupUsername);
const displayName = z
  .string(invalid)
  .trim()
  .max(textLimits.displayName.most, `输入不合法 显示名称最多 ${textLimits.displayName.most} 个字符`)
  .refine((value) => !/\p{Cc}/u.test(value), {
    error: '输入不合法 显示名称包含不可见字符',
    params: { code: 'display-name-invisible' },
  });
const { least: leastPassword = 0, most: mostPassword } = textLimits.password;
const newPassword = z
  .string(invalid)
  .min(leastPassword, `密码长度不得小于 ${leastPassword} 位！`)
  .max(mostPassword, `输入不合法 密码最多 ${mostPassword} 个字符`);

/** An empty string counts as an absent field, because the reference's console sends both. */
const unlessEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());

/** For trimmed values, blanks count as absent too. */
const unlessBlank = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value),
    schema.optional(),
  );

/** Longer than any code that was ever issued. */
const MAX_AFF_CODE = 32;

/** `username` may be a mail address. An empty field is refused before a blank name, as documented. */
export const loginSchema = z
  .object({
    username: z.string(invalid).min(1, invalid).refine(hasNoNul, invalid),
    password: z.string(invalid).min(1, invalid),
  })
  .refine(({ username: name }) => name.trim() !== '', { path: ['username'], message: '用户名或密码为空' });
export type Login = z.input<typeof loginSchema>;

export const registerSchema = z
  .object({
    username,
    password: newPassword,
    /** The confirmation, if sent. */
    password2: unlessEmpty(z.string(invalid)),
    /** Stored only if mail addresses are verified. */
    email: unlessEmpty(
      z
        .string(invalid)
        .max(textLimits.email.most, `输入不合法 邮箱最多 ${textLimits.email.most} 个字符`)
        .refine(hasNoNul, invalid),
    ),
    verification_code: unlessEmpty(z.string(invalid).max(64, invalid)),
    /** An unknown code is ignored, and so is one that cannot exist. */
    aff_code: unlessEmpty(
      z.string(invalid).transform((code) => (code.length > MAX_AFF_CODE || !hasNoNul(code) ? undefined : code)),
    ),
  })
  .refine(({ password, password2 }) => password2 === undefined || password2 === password, {
    path: ['password2'],
    message: '两次输入的密码不一致',
  });
export type Register = z.input<typeof registerSchema>;

/**
 * Only non-empty fields are changed. A new password requires the current one; the first password of an account requires a code of its
 * second factor or a recent sign-in.
 */
export const updateSelfSchema = z.object({
  username: unlessEmpty(presentOrNewUsername),
  display_name: unlessBlank(displayName),
  password: unlessEmpty(newPassword),
  original_password: unlessEmpty(z.string(invalid)),
  code: proofFields.code,
});
export type UpdateSelf = z.input<typeof updateSelfSchema>;

const positiveThreshold = '预警阈值必须大于0';
const badAddress = '无效的邮箱地址';
const badWebhook = '无效的Webhook地址';
/** A plain address: mail servers and libraries would read more than one address out of other texts. */
const isAddress = (value: string): boolean => /^[^\s@,;<>"\0]+@[^\s@,;<>"\0]+$/.test(value.trim());
/** Each address of the list gets a mail of its own. */
function isAddressList(value: string): boolean {
  const addresses = value.split(';');
  if (lengthFault(value, textLimits.notificationEmail) || addresses.length > MOST_NOTICE_ADDRESSES) return false;
  return addresses.every(isAddress);
}
/** Without credentials, because the URL is displayed in delivery lists. A secret has a field of its own. */
function isHttps(value: string): boolean {
  if (lengthFault(value, textLimits.webhookUrl)) return false;
  if (!/^https:\/\/[^\s\0]+$/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

/** Members as in the reply of `GET`; null means that the member was absent. */
const seenSettingSchema = z
  .object({
    notify_type: z.string(invalid).nullable(),
    quota_warning_threshold: z.number(invalid).nullable(),
    webhook_url: z.string(invalid).nullable(),
    webhook_secret_set: z.boolean(invalid).nullable(),
    notification_email: z.string(invalid).nullable(),
    accept_unset_model_ratio_model: z.boolean(invalid).nullable(),
  })
  .partial();
export type SeenSetting = z.infer<typeof seenSettingSchema>;

/**
 * Of `webhook_url` and `notification_email` only the one of the chosen kind is checked and kept. The server also checks that a webhook's
 * address resolves to public addresses.
 */
export const updateUserSettingSchema = z
  .object({
    notify_type: z.enum(['email', 'webhook'], '无效的预警类型'),
    quota_warning_threshold: z.preprocess(
      (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
      z.number(positiveThreshold).positive(positiveThreshold),
    ),
    webhook_url: unlessEmpty(z.string(badWebhook)),
    /** If absent, the stored secret is kept while webhooks are chosen and `webhook_url` stays the same. If empty, it is removed. */
    webhook_secret: optionalField(
      z.string(invalid).max(textLimits.webhookSecret.most, `接口凭证最多 ${textLimits.webhookSecret.most} 个字符`),
    ),
    /** Up to five addresses, separated by `;`. */
    notification_email: unlessEmpty(z.string(badAddress)),
    accept_unset_model_ratio_model: fieldOr(z.boolean(invalid), false),
    /** Additive: values that fields must have for the setting to be replaced. */
    expected: seenSettingSchema.optional(),
  })
  .superRefine(({ notify_type: kind, webhook_url: url, notification_email: email }, context) => {
    const refuse = (path: string, code: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message, params: { code } });
    if (kind === 'email') {
      if (email !== undefined && !isAddressList(email))
        refuse('notification_email', 'address-list-invalid', badAddress);
    } else if (url === undefined) refuse('webhook_url', 'field-missing', 'Webhook地址不能为空');
    else if (!isHttps(url)) refuse('webhook_url', 'webhook-url-invalid', badWebhook);
  });
export type UpdateUserSetting = z.input<typeof updateUserSettingSchema>;

const bothNeeded = '用户名和密码不能为空！';

/** A missing name or password is reported before anything else, such as a name that is too long. */
function requireNameAndPassword(body: unknown, context: z.RefinementCtx): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  for (const name of ['username', 'password'] as const) {
    const value = (body as Record<string, unknown>)[name] ?? '';
    const isMissing = typeof value === 'string' && (name === 'username' ? value.trim() : value) === '';
    if (isMissing) context.addIssue({ code: 'custom', message: bothNeeded, path: [name] });
  }
  return body;
}

const createUserFields = z.object({
  username: z.string(bothNeeded).trim().min(1, bothNeeded).pipe(username),
  password: z.string(bothNeeded).min(1, bothNeeded).pipe(newPassword),
  /** Defaults to the username. */
  display_name: unlessBlank(displayName),
  /** Refused unless below the caller's own role, otherwise ignored: new users have role 1. */
  role: unlessEmpty(z.int(invalid)),
});
export const createUserSchema = z.preprocess(requireNameAndPassword, createUserFields);
export type CreateUser = z.input<typeof createUserFields>;

const amount = z.int({
  error: ({ input }) => (input === null || input === '' ? '额度不能为空，不修改时请不要提交该字段' : invalid),
});

/**
 * Absent fields stay unchanged. `quota` sets the displayed balance, and may be negative only if the balance is already the same;
 * `quota_delta` (additive) changes it by a signed amount, which cannot overwrite concurrent spending. Neither may be empty or `null`,
 * because an amount must be stated explicitly. Both become postings; `reason` is written to the journal.
 */
export const updateUserSchema = z.object({
  id: idField(invalid),
  username: unlessEmpty(presentOrNewUsername),
  display_name: unlessBlank(displayName),
  password: unlessEmpty(newPassword),
  /** Additive: needed for a new password of the caller's own account, as in `PUT /api/user/self`. */
  original_password: unlessEmpty(z.string(invalid)),
  group: unlessBlank(z.string(invalid).trim().max(textLimits.groupName.most, invalid).refine(hasNoNul, invalid)),
  quota: amount.optional(),
  quota_delta: amount.optional(),
  reason: unlessEmpty(
    z
      .string(invalid)
      .max(textLimits.reason.most, `原因最多 ${textLimits.reason.most} 个字符`)
      .refine(hasNoNul, invalid),
  ),
  /** The user's role as sent by the form; checked against the caller's, never written. */
  role: unlessEmpty(z.int(invalid)),
  /** Additive: values that fields must have, as in the reply of `GET`, for anything to be changed. */
  expected: userSchema.pick({ username: true, display_name: true, group: true }).partial().optional(),
});
export type UpdateUser = z.input<typeof updateUserSchema>;

export const userActions = ['promote', 'demote', 'enable', 'disable', 'delete'] as const;
export type UserAction = (typeof userActions)[number];

export const manageUserSchema = z.object({
  id: idField(invalid),
  action: z.enum(userActions, invalid),
});
export type ManageUser = z.input<typeof manageUserSchema>;

export const managedUserSchema = z.object({ role: z.int(), status: z.int() });
export type ManagedUser = z.infer<typeof managedUserSchema>;

const searchText = z.string(invalid).refine(hasNoNul, invalid).default('');

/** `GET /api/user` and `/api/user/search`; only the latter filters. */
export const userListQuerySchema = z.object({ keyword: searchText, group: searchText }).and(pageFromOneSchema);
export type UserListQuery = z.output<typeof userListQuerySchema>;

export const affTransferSchema = z.object({ quota: z.int(invalid).positive(invalid) });
export type AffTransfer = z.input<typeof affTransferSchema>;
