import { z } from 'zod';

/** Objects with a single member: name → link template with `{key}` and `{address}`. */
export const chatsSchema = z.array(z.record(z.string(), z.string()));

/** `GET /api/status`: what a console needs before sign-in. */
export const statusSchema = z.object({
  version: z.string(),
  /** Unix seconds. */
  start_time: z.int(),
  setup: z.boolean(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  docs_link: z.string(),
  customer_service_link: z.string(),
  self_use_mode_enabled: z.boolean(),
  demo_site_enabled: z.boolean(),
  default_collapse_sidebar: z.boolean(),
  chats: chatsSchema,
  chat_link: z.string(),
  chat_link2: z.string(),

  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  /** Yuan per USD. */
  price: z.number(),
  min_topup: z.int(),
  top_up_link: z.string(),
  enable_online_topup: z.boolean(),
  enable_batch_update: z.boolean(),

  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  data_export_default_time: z.enum(['hour', 'day', 'week']),
  mj_notify_enabled: z.boolean(),

  email_verification: z.boolean(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  oidc_enabled: z.boolean(),
  oidc_client_id: z.string(),
  oidc_authorization_endpoint: z.string(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),

  /** Additive: minutes after which an open dashboard refreshes its figures even without a live update. */
  data_export_interval: z.int().optional(),
  /** Additive: whether cards are accepted in addition to the documented payment methods. */
  enable_card_topup: z.boolean().optional(),
  /** Additive: whether sign-in and registration by password are enabled. */
  password_login_enabled: z.boolean().optional(),
  register_enabled: z.boolean().optional(),
  password_register_enabled: z.boolean().optional(),
});
export type Status = z.infer<typeof statusSchema>;

/** The newest release, and the running version. */
export const releaseSchema = z.object({
  /** The running version. */
  version: z.string(),
  tag: z.string(),
  newer: z.boolean(),
  /** Markdown. */
  notes: z.string(),
  /** A page about the release; empty if none is given. */
  url: z.string(),
});
export type Release = z.infer<typeof releaseSchema>;
