import { z } from 'zod';
import { lengthFault, textLimits } from '../text-limits.js';
import { hasNoNul } from './fields.js';

const invalid = '无效的参数';

/** One address, with a domain that has a dot: a list of them or a name around it would reach others than its owner. */
export const isMailAddress = (value: string): boolean =>
  /^[^\s@,;:<>()[\]\\"\p{Cc}]+@[^\s@,;:<>()[\]\\"\p{Cc}.]+(\.[^\s@,;:<>()[\]\\"\p{Cc}.]+)+$/u.test(value);

export const emailField = z
  .string(invalid)
  .trim()
  .toLowerCase()
  .refine((value) => !lengthFault(value, textLimits.email), invalid)
  .refine(isMailAddress, invalid);

/** `GET /api/verification` and `/api/reset_password`; the bot check's result travels beside it. */
export const emailQuerySchema = z.object({ email: emailField });

export const bindEmailSchema = z.object({
  email: emailField,
  code: z.string(invalid).trim().min(1, invalid).max(64, invalid),
});

export const resetPasswordSchema = z.object({
  email: emailField,
  token: z.string(invalid).trim().min(1, invalid).max(128, invalid).refine(hasNoNul, invalid),
});
export type ResetPassword = z.input<typeof resetPasswordSchema>;

/** `POST /api/option/mail_test`: absent, the mail goes to the caller's own address. */
export const testMailSchema = z.object({
  email: z.preprocess((value) => (value === '' || value === null ? undefined : value), emailField.optional()),
});
export type TestMail = z.input<typeof testMailSchema>;
