import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { lengthFault, type TextLimit, textLimits } from '../text-limits.js';
import { looksErased, mixesAlphabets, plainName } from '../user-name.js';
import { hasNoNul, idField } from './fields.js';
import { proofFields } from './second-factor.js';

/**
 * The JSON inside `user.setting`. Replaced as a whole by `PUT /api/user/setting`. The webhook's secret is write-only:
 * no reply carries it, `webhook_secret_set` says whether there is one.
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

/** What login, OAuth and the local storage key `user` hold. */
export const sessionUserSchema = z.object({
  id: z.int().positive(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  group: z.string(),
});
export type SessionUser = z.infer<typeof sessionUserSchema>;

/** A user as the user lists and `GET /api/user/self` show it: no password, no access token, no webhook secret. */
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
  /** 0: nobody invited this user. */
  inviter_id: z.int(),
  /** ISO time, null while the account lives. */
  DeletedAt: z.string().nullable(),
  /** JSON text of `userSettingSchema`; may be empty. */
  setting: z.string(),
  /** Additive: whether something besides the password is asked for, or can be. */
  two_factor: z.boolean().optional(),
  /** Additive, about oneself: the operator asks for a second factor, and nothing else is open until there is one. */
  must_set_two_factor: z.boolean().optional(),
  /** Additive, about oneself: whether a new password needs the present one. Who signs in by an account elsewhere only has none to give. */
  original_needed: z.boolean().optional(),
});
export type User = z.infer<typeof userSchema>;

const invalid = '无效的参数';
/** U+2800 is a pattern of Braille without dots. */
const printable = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * Without `@`, because people also sign in by their address. Two names that differ by case or by the shape of their letters only are the
 * same, see `nameKey`.
 */
const usernameUpTo = (limit: TextLimit) =>
  z
    .string(invalid)
    .overwrite(plainName)
    .min(1, invalid)
    .refine((value) => !lengthFault(value, limit), `输入不合法 用户名最多 ${limit.most} 个字符`)
    .refine((value) => !value.includes('@'), '输入不合法 用户名不能包含 @')
    .refine((value) => printable.test(value), '输入不合法 用户名包含不可见字符')
    .refine((value) => !mixesAlphabets(value), '输入不合法 用户名混用了外观相似的字母')
    .refine((value) => !looksErased(value), '用户名已存在，或已注销');
const username = usernameUpTo(textLimits.username);
/** Of somebody who has a name already, which may be one of the set-up; a new one is as short as those of others. */
const presentOrNewUsername = usernameUpTo(textLimits.setupUsername);
const displayName = z
  .string(invalid)
  .max(textLimits.displayName.most, `输入不合法 显示名称最多 ${textLimits.displayName.most} 个字符`)
  .refine((value) => !/\p{Cc}/u.test(value), '输入不合法 显示名称包含不可见字符');
const { least: leastPassword = 0, most: mostPassword } = textLimits.password;
const newPassword = z
  .string(invalid)
  .min(leastPassword, `密码长度不得小于 ${leastPassword} 位！`)
  .max(mostPassword, `输入不合法 密码最多 ${mostPassword} 个字符`);

/** An empty string means the same as an absent field, as the console of the reference sends both. */
const unlessEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());

/** Of what is trimmed, blanks alone are no value either. */
const unlessBlank = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value),
    schema.optional(),
  );

/** Longer than any code that was ever given. */
const MAX_AFF_CODE = 32;

/** `username` may be an e-mail address. */
export const loginSchema = z.object({
  username: z
    .string(invalid)
    .min(1, invalid)
    .refine(hasNoNul, invalid)
    .refine((value) => value.trim() !== '', '用户名或密码为空'),
  password: z.string(invalid).min(1, invalid),
});
export type Login = z.input<typeof loginSchema>;

export const registerSchema = z
  .object({
    username,
    password: newPassword,
    /** The confirmation; calls without one are fine. */
    password2: unlessEmpty(z.string(invalid)),
    /** Kept only where addresses are verified. */
    email: unlessEmpty(
      z
        .string(invalid)
        .max(textLimits.email.most, `输入不合法 邮箱最多 ${textLimits.email.most} 个字符`)
        .refine(hasNoNul, invalid),
    ),
    verification_code: unlessEmpty(z.string(invalid).max(64, invalid)),
    /** An unknown code is ignored, one that cannot be any like it. */
    aff_code: unlessEmpty(
      z
        .string(invalid)
        .refine(hasNoNul, invalid)
        .transform((code) => (code.length > MAX_AFF_CODE ? undefined : code)),
    ),
  })
  .refine(({ password, password2 }) => password2 === undefined || password2 === password, {
    path: ['password2'],
    message: '两次输入的密码不一致',
  });
export type Register = z.input<typeof registerSchema>;

/**
 * Only non-empty fields change; a new password needs the present one, the first password of an account a code of its second factor or a sign-in of
 * just now.
 */
export const updateSelfSchema = z.object({
  username: unlessEmpty(presentOrNewUsername),
  display_name: unlessEmpty(displayName),
  password: unlessEmpty(newPassword),
  original_password: unlessEmpty(z.string(invalid)),
  code: proofFields.code,
});
export type UpdateSelf = z.input<typeof updateSelfSchema>;

const positiveThreshold = '预警阈值必须大于0';
/** One address: a list of them or a name around it would reach others than its owner. */
const isAddress = (value: string): boolean => /^[^\s@,;<>"\0]+@[^\s@,;<>"\0]+$/.test(value.trim());
/** Without credentials: the address is shown in lists of what was sent. A secret has its own field. */
function isHttps(value: string): boolean {
  if (!/^https:\/\/[^\s\0]+$/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

/** Each as `GET` answers it; null: it was not there. */
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

/** The address of a webhook is checked again (public, resolved) by the server. */
export const updateUserSettingSchema = z
  .object({
    notify_type: z.enum(['email', 'webhook'], '无效的预警类型'),
    quota_warning_threshold: z.preprocess(
      (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
      z.number(positiveThreshold).positive(positiveThreshold),
    ),
    webhook_url: unlessEmpty(z.string('无效的Webhook地址').max(textLimits.webhookUrl.most, '无效的Webhook地址')),
    /** Absent: the stored one stays while webhooks stay chosen. Empty: it is removed. */
    webhook_secret: z
      .string(invalid)
      .max(textLimits.webhookSecret.most, `接口凭证最多 ${textLimits.webhookSecret.most} 个字符`)
      .optional(),
    notification_email: unlessEmpty(
      z
        .string('无效的邮箱地址')
        .max(textLimits.notificationEmail.most, '无效的邮箱地址')
        .refine(isAddress, '无效的邮箱地址'),
    ),
    accept_unset_model_ratio_model: z.boolean(invalid).default(false),
    /** Additive: what fields hold for the setting to be replaced at all. */
    expected: seenSettingSchema.optional(),
  })
  .superRefine((setting, context) => {
    if (setting.notify_type !== 'webhook') return;
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['webhook_url'], message });
    if (!setting.webhook_url) refuse('Webhook地址不能为空');
    else if (!isHttps(setting.webhook_url)) refuse('无效的Webhook地址');
  });
export type UpdateUserSetting = z.input<typeof updateUserSettingSchema>;

export const createUserSchema = z.object({
  username: z.string('用户名和密码不能为空！').trim().min(1, '用户名和密码不能为空！').pipe(username),
  password: z.string('用户名和密码不能为空！').min(1, '用户名和密码不能为空！').pipe(newPassword),
  /** Defaults to the username. */
  display_name: unlessEmpty(displayName),
  /** Refused when not below the caller's own rank, otherwise ignored: new users have role 1. */
  role: unlessEmpty(z.int(invalid)),
});
export type CreateUser = z.input<typeof createUserSchema>;

const amount = z.int({
  error: ({ input }) => (input === null || input === '' ? '额度不能为空，不修改时请不要提交该字段' : invalid),
});

/**
 * Absent fields stay as they are. `quota` sets the shown balance; `quota_delta` (additive) changes it by a signed amount,
 * which cannot overwrite what was spent meanwhile. Neither may be empty or `null`: whoever wants to move money says how much. Both are postings; `reason` goes into the journal.
 */
export const updateUserSchema = z.object({
  id: idField(invalid),
  username: unlessEmpty(presentOrNewUsername),
  display_name: unlessEmpty(displayName),
  password: unlessEmpty(newPassword),
  group: unlessBlank(z.string(invalid).trim().max(textLimits.groupName.most, invalid).refine(hasNoNul, invalid)),
  quota: amount.min(0, '额度不能为负数').optional(),
  quota_delta: amount.optional(),
  reason: unlessEmpty(
    z
      .string(invalid)
      .max(textLimits.reason.most, `原因最多 ${textLimits.reason.most} 个字符`)
      .refine(hasNoNul, invalid),
  ),
  /** The rank the body claims, checked against the caller's; never written. */
  role: unlessEmpty(z.int(invalid)),
  /** Additive: what fields must hold, as `GET` answers, for anything to be changed at all. */
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

/** `GET /api/user` and `/api/user/search`; the latter also filters. */
export const userListQuerySchema = z.object({ keyword: searchText, group: searchText }).and(pageFromOneSchema);
export type UserListQuery = z.output<typeof userListQuerySchema>;

export const affTransferSchema = z.object({ quota: z.int(invalid).positive(invalid) });
export type AffTransfer = z.input<typeof affTransferSchema>;
