import type { Status } from '@tollgate/contracts/api/status';
import { type OptionStore, ownAddress } from '@tollgate/chassis';

interface Facts {
  version: string;
  /** In Unix seconds. */
  startedAt: number;
  isSetUp: boolean;
  /** Used while the option `ServerAddress` is empty. */
  address: string;
}

type Options = Pick<OptionStore, 'get' | 'text'>;

/**
 * What the console needs before sign-in. This is public, so it contains only options that the registry marks as such.
 */
export const toStatus = (options: Options, { version, startedAt, isSetUp, address }: Facts): Status => ({
  version,
  start_time: startedAt,
  setup: isSetUp,
  server_address: ownAddress(options, { address }),
  ...lookOf(options),
  ...moneyOf(options),
  ...featuresOf(options),
  ...signInOf(options),
});

const lookOf = (options: Options) => ({
  system_name: options.get('SystemName'),
  logo: options.get('Logo'),
  footer_html: options.get('Footer'),
  docs_link: options.get('general_setting.docs_link'),
  customer_service_link: options.get('general_setting.customer_service_link'),
  self_use_mode_enabled: options.get('SelfUseModeEnabled'),
  demo_site_enabled: options.get('DemoSiteEnabled'),
  default_collapse_sidebar: options.get('DefaultCollapseSidebar'),
  chats: options.get('Chats'),
  chat_link: options.get('chat_link'),
  chat_link2: options.get('chat_link2'),
});

/** Paying online needs the address of a gateway, a merchant id and its key. */
const canPayOnline = (options: Options): boolean =>
  [options.get('PayAddress'), options.get('EpayId'), options.get('EpayKey')].every((text) => text !== '');

const takesCards = (options: Options): boolean =>
  [options.get('StripeApiSecret'), options.get('StripeWebhookSecret')].every((text) => text !== '');

const moneyOf = (options: Options) => ({
  quota_per_unit: options.get('QuotaPerUnit'),
  display_in_currency: options.get('DisplayInCurrencyEnabled'),
  price: Number(options.get('Price')),
  min_topup: options.get('MinTopUp'),
  top_up_link: options.get('TopUpLink'),
  enable_online_topup: canPayOnline(options),
  enable_card_topup: takesCards(options),
});

const featuresOf = (options: Options) => ({
  // The journal is written in batches from the event log; the documented in-memory batching does not exist.
  enable_batch_update: false,
  enable_drawing: options.get('DrawingEnabled'),
  enable_task: options.get('TaskEnabled'),
  enable_data_export: options.get('DataExportEnabled'),
  data_export_default_time: options.get('DataExportDefaultTime'),
  data_export_interval: options.get('DataExportInterval'),
  mj_notify_enabled: options.get('MjNotifyEnabled'),
});

const signInOf = (options: Options) => ({
  email_verification: options.get('EmailVerificationEnabled'),
  turnstile_check: options.get('TurnstileCheckEnabled'),
  turnstile_site_key: options.get('TurnstileSiteKey'),
  github_oauth: options.get('GitHubOAuthEnabled'),
  github_client_id: options.get('GitHubClientId'),
  oidc_enabled: options.get('oidc.enabled'),
  oidc_client_id: options.get('oidc.client_id'),
  oidc_authorization_endpoint: options.get('oidc.authorization_endpoint'),
  linuxdo_oauth: options.get('LinuxDOOAuthEnabled'),
  linuxdo_client_id: options.get('LinuxDOClientId'),
  wechat_login: options.get('WeChatAuthEnabled'),
  wechat_qrcode: options.get('WeChatAccountQRCodeImageURL'),
  telegram_oauth: options.get('TelegramOAuthEnabled'),
  telegram_bot_name: options.get('TelegramBotName'),
  password_login_enabled: options.get('PasswordLoginEnabled'),
  // Self-use mode closes registration, whatever this option says.
  register_enabled: options.get('RegisterEnabled') && !options.get('SelfUseModeEnabled'),
  password_register_enabled: options.get('PasswordRegisterEnabled'),
});
