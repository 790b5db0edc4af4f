import { z } from 'zod';

export const setupStatusSchema = z.object({
  /** True: set up already. */
  status: z.boolean(),
  /** True: a super administrator exists. */
  root_init: z.boolean(),
  database_type: z.string(),
  /** Additive, only there when true: this caller has to send the set-up token that was printed at the start. */
  token_required: z.literal(true).optional(),
});
export type SetupStatus = z.infer<typeof setupStatusSchema>;

const badRequest = '请求参数有误';
const text = z.string(badRequest).default('');

/** The administrator's fields count only while there is no super administrator; their rules are the server's (400 with the documented texts). */
export const setupSchema = z.object({
  username: text,
  password: text,
  confirmPassword: text,
  SelfUseModeEnabled: z.boolean(badRequest).default(false),
  DemoSiteEnabled: z.boolean(badRequest).default(false),
  setup_token: text,
});
export type Setup = z.input<typeof setupSchema>;
