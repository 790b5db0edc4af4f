import { z } from 'zod';
import { lengthFault, textLimits } from '../text-limits.js';
import { hasNoNul } from './fields.js';

const invalid = '无效的参数';
const EMAIL_MISSING = '请输入邮箱！';
const CODE_MISSING = '请输入邮箱验证码！';

/** A single address with a dotted domain: a list of addresses or a display name could reach others than its owner. */
const isMailAddress = (value: string): boolean =>
  /^[^\s@,;:<>()[\]\\"\p{Cc}]+@[^\s@,;:<>()[\]\\"\p{Cc}.]+(\.[^\s@,;:<>()[\]\\"\p{Cc}.]+)+$/u.test(value);

export const emailField = z
  .string(invalid)
  .trim()
  .toLowerCase()
  .refine((value) => !lengthFault(value, textLimits.email), invalid)
  .refine(isMailAddress, invalid);

/** `GET /api/verification` and `/api/reset_password`; the result of the bot check is a separate parameter. */
export const emailQuerySchema = z.object({ email: emailField });

export const bindEmailSchema = z.object({
  email: z.string(EMAIL_MISSING).trim().min(1, EMAIL_MISSING).pipe(emailField),
  code: z.string(CODE_MISSING).trim().min(1, CODE_MISSING).max(64, invalid),
});

export const resetPasswordSchema = z.object({
  email: emailField,
  token: z.string(invalid).trim().min(1, invalid).max(128, invalid).refine(hasNoNul, invalid),
});
export type ResetPassword = z.input<typeof resetPasswordSchema>;

/** `POST /api/option/mail_test`: without an address the mail goes to the caller's own. */
export const testMailSchema = z.object({
  email: z.preprocess((value) => (value === '' || value === null ? undefined : value), emailField.optional()),
});
export type TestMail = z.input<typeof testMailSchema>;
