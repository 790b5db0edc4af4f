import { z } from 'zod';

export const setupStatusSchema = z.object({
  /** True if the installation is set up. */
  status: z.boolean(),
  /** True if a super administrator exists. */
  root_init: z.boolean(),
  database_type: z.string(),
  /** Additive, present only when true: the caller must send the set-up token printed at start-up. */
  token_required: z.literal(true).optional(),
});
export type SetupStatus = z.infer<typeof setupStatusSchema>;

const badRequest = '请求参数有误';
const text = z.string(badRequest).default('');

/**
 * The administrator's fields are used only while there is no super administrator; the server checks them (400 with the documented texts).
 */
export const setupSchema = z.object({
  username: text,
  password: text,
  confirmPassword: text,
  SelfUseModeEnabled: z.boolean(badRequest).default(false),
  DemoSiteEnabled: z.boolean(badRequest).default(false),
  setup_token: text,
});
export type Setup = z.input<typeof setupSchema>;
