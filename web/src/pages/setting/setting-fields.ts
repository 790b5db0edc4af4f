import type { TextOf } from '../../app/i18n/text-keys.js';
import { factorRules } from '@tollgate/contracts/second-factor';
import type { OptionKey } from '@tollgate/contracts/options/index';

export type FieldKind =
  | 'flag'
  | 'line'
  | 'text'
  | 'integer'
  | 'decimal'
  | 'lines'
  | 'json'
  | 'secret'
  | 'choice'
  | 'domains'
  | 'address'
  | 'link';

export interface SettingField {
  key: OptionKey;
  kind: FieldKind;
  /** Values of a choice; their texts are `choice.<value>`. */
  choices?: readonly string[];
  /** The switch that must be on for the field to have an effect. */
  needs?: OptionKey;
  /**
   * May be changed only by a user with a second factor, because the option would otherwise lock them out of the
   * console.
   */
  needsOwnFactor?: boolean;
  /** Confirmed before the change; `ask.<key>` holds title and body. For switches: the direction that is confirmed. */
  asks?: 'on' | 'off' | 'change';
  /** A valid example that the reader may insert. */
  template?: string;
  /** `hint.<key>` is shown below the field. */
  hinted?: boolean;
}

export interface SettingCard {
  /** The title is `card.<id>`. */
  id: string;
  fields: readonly SettingField[];
  /** `each`: a save button per field. `now`: switches are saved when pressed. */
  saves?: 'together' | 'each' | 'now';
  /** `intro.<id>` is shown above the fields. */
  intro?: boolean;
  /** An option that must have a value before the card may be saved; the error is `missing.<key>`. */
  needs?: OptionKey;
  /** A part that the card shows in addition to the fields. */
  extra?: 'log-clear' | 'mail-test' | 'oidc' | 'ratio' | 'system-info';
}

export interface SettingTab {
  id: 'operation' | 'ratelimit' | 'models' | 'system' | 'other';
  cards: readonly SettingCard[];
}

type More = Omit<SettingField, 'key' | 'kind'>;
const of =
  (kind: FieldKind) =>
  (key: OptionKey, more: More = {}): SettingField => ({ key, kind, ...more });

const flag = of('flag');
const line = of('line');
const text = of('text');
const integer = of('integer');
const decimal = of('decimal');
const lines = of('lines');
const json = of('json');
const secret = of('secret');
const address = of('address');
const link = of('link');
const hinted: More = { hinted: true };
const sample = (value: unknown): string => JSON.stringify(value, undefined, 2);

const operation: SettingTab = {
  id: 'operation',
  cards: [
    {
      id: 'general',
      fields: [
        link('TopUpLink'),
        link('general_setting.docs_link'),
        link('general_setting.customer_service_link'),
        decimal('QuotaPerUnit', { asks: 'change', ...hinted }),
        integer('RetryTimes', hinted),
        flag('DisplayInCurrencyEnabled'),
        flag('DisplayTokenStatEnabled'),
        flag('DefaultCollapseSidebar'),
        flag('DemoSiteEnabled'),
        flag('SelfUseModeEnabled', hinted),
        integer('StreamCacheQueueLength', hinted),
      ],
    },
    {
      id: 'drawing',
      fields: [
        flag('DrawingEnabled'),
        flag('TaskEnabled'),
        flag('MjNotifyEnabled'),
        flag('MjAccountFilterEnabled'),
        flag('MjForwardUrlEnabled'),
        flag('MjModeClearEnabled'),
        flag('MjActionCheckSuccessEnabled'),
      ],
    },
    {
      id: 'sensitive',
      fields: [
        flag('CheckSensitiveEnabled'),
        flag('CheckSensitiveOnPromptEnabled'),
        flag('CheckSensitiveOnCompletionEnabled'),
        flag('StopOnSensitiveEnabled'),
        lines('SensitiveWords', hinted),
      ],
    },
    { id: 'log', fields: [flag('LogConsumeEnabled')], extra: 'log-clear' },
    {
      id: 'dashboard',
      fields: [
        flag('DataExportEnabled'),
        integer('DataExportInterval', hinted),
        { key: 'DataExportDefaultTime', kind: 'choice', choices: ['hour', 'day', 'week'], ...hinted },
      ],
    },
    {
      id: 'monitor',
      fields: [
        decimal('ChannelDisableThreshold', hinted),
        integer('QuotaRemindThreshold', hinted),
        flag('AutomaticDisableChannelEnabled'),
        flag('AutomaticEnableChannelEnabled'),
        lines('AutomaticDisableKeywords', hinted),
        integer('ChannelTestFrequency', hinted),
        integer('ChannelUpdateFrequency', hinted),
      ],
    },
    {
      id: 'quota',
      fields: [
        integer('QuotaForNewUser'),
        integer('PreConsumedQuota', hinted),
        integer('QuotaForInviter', hinted),
        integer('QuotaForInvitee', hinted),
        flag('ChargeUnaskedSearchEnabled'),
      ],
    },
    {
      id: 'four-eyes',
      intro: true,
      fields: [integer('AdjustmentApprovalLimit', hinted), integer('RefundApprovalLimit', hinted)],
    },
    { id: 'chat', intro: true, fields: [json('Chats'), link('chat_link', hinted), link('chat_link2', hinted)] },
    {
      id: 'group',
      fields: [
        json('GroupRatio', { template: sample({ default: 1, vip: 0.8 }), ...hinted }),
        json('GroupGroupRatio', { template: sample({ vip: { default: 0.9 } }), ...hinted }),
        json('UserUsableGroups', hinted),
      ],
    },
    { id: 'ratio', fields: [], extra: 'ratio' },
  ],
};

const rateLimit: SettingTab = {
  id: 'ratelimit',
  cards: [
    {
      id: 'rate',
      fields: [
        flag('ModelRequestRateLimitEnabled'),
        integer('ModelRequestRateLimitDurationMinutes', hinted),
        integer('ModelRequestRateLimitCount', hinted),
        integer('ModelRequestRateLimitSuccessCount', hinted),
        json('ModelRequestRateLimitGroup', { template: sample({ default: [0, 1000], vip: [200, 100] }), ...hinted }),
      ],
    },
  ],
};

const models: SettingTab = {
  id: 'models',
  cards: [
    {
      id: 'global',
      fields: [
        flag('global.pass_through_request_enabled', { asks: 'on', ...hinted }),
        flag('general_setting.ping_interval_enabled', hinted),
        integer('general_setting.ping_interval_seconds', { needs: 'general_setting.ping_interval_enabled' }),
      ],
    },
    {
      id: 'gemini',
      fields: [
        json('gemini.safety_settings', hinted),
        json('gemini.version_settings', hinted),
        json('gemini.supported_imagine_models'),
        flag('gemini.thinking_adapter_enabled', hinted),
        decimal('gemini.thinking_adapter_budget_tokens_percentage', hinted),
      ],
    },
    {
      id: 'claude',
      fields: [
        json('claude.model_headers_settings', {
          template: sample({
            'claude-3-7-sonnet-20250219-thinking': { 'anthropic-beta': ['output-128k-2025-02-19'] },
          }),
          ...hinted,
        }),
        json('claude.default_max_tokens', { template: sample({ default: 8192, 'claude-3-haiku-20240307': 4096 }) }),
        flag('claude.thinking_adapter_enabled'),
        decimal('claude.thinking_adapter_budget_tokens_percentage', hinted),
      ],
    },
  ],
};

const system: SettingTab = {
  id: 'system',
  cards: [
    { id: 'server', fields: [address('ServerAddress', hinted)] },
    { id: 'worker', fields: [address('WorkerUrl'), secret('WorkerValidKey')] },
    {
      id: 'payment',
      intro: true,
      needs: 'ServerAddress',
      fields: [
        address('PayAddress'),
        line('EpayId'),
        secret('EpayKey'),
        address('CustomCallbackAddress', hinted),
        decimal('Price'),
        integer('MinTopUp'),
        json('TopupGroupRatio', hinted),
        secret('StripeApiSecret'),
        secret('StripeWebhookSecret', hinted),
        decimal('StripePrice'),
        line('StripeCurrency'),
        address('StripeApiAddress'),
      ],
    },
    {
      id: 'login',
      saves: 'now',
      fields: [
        flag('PasswordLoginEnabled', { asks: 'off' }),
        flag('PasswordRegisterEnabled'),
        flag('EmailVerificationEnabled'),
        flag('RegisterEnabled'),
        flag('TurnstileCheckEnabled'),
        flag('GitHubOAuthEnabled'),
        flag('oidc.enabled'),
        flag('LinuxDOOAuthEnabled'),
        flag('WeChatAuthEnabled'),
        flag('TelegramOAuthEnabled'),
      ],
    },
    {
      id: 'second-factor',
      intro: true,
      fields: [
        { key: 'SecondFactorRequiredFor', kind: 'choice', choices: factorRules, needsOwnFactor: true, ...hinted },
        flag('SecondFactorAfterProviders', hinted),
      ],
    },
    {
      id: 'email-domain',
      intro: true,
      fields: [
        flag('EmailDomainRestrictionEnabled'),
        flag('EmailAliasRestrictionEnabled', hinted),
        { key: 'EmailDomainWhitelist', kind: 'domains', ...hinted },
      ],
    },
    {
      id: 'smtp',
      intro: true,
      extra: 'mail-test',
      fields: [
        line('SMTPServer'),
        integer('SMTPPort'),
        line('SMTPAccount'),
        line('SMTPFrom', hinted),
        secret('SMTPToken'),
        flag('SMTPSSLEnabled'),
      ],
    },
    {
      id: 'oidc',
      extra: 'oidc',
      fields: [
        line('oidc.client_id'),
        secret('oidc.client_secret'),
        link('oidc.well_known', hinted),
        link('oidc.authorization_endpoint'),
        link('oidc.token_endpoint'),
        link('oidc.user_info_endpoint'),
      ],
    },
    { id: 'github', intro: true, fields: [line('GitHubClientId'), secret('GitHubClientSecret')] },
    { id: 'linuxdo', intro: true, fields: [line('LinuxDOClientId'), secret('LinuxDOClientSecret')] },
    {
      id: 'wechat',
      fields: [address('WeChatServerAddress'), secret('WeChatServerToken'), link('WeChatAccountQRCodeImageURL')],
    },
    { id: 'telegram', fields: [secret('TelegramBotToken'), line('TelegramBotName')] },
    { id: 'turnstile', fields: [line('TurnstileSiteKey'), secret('TurnstileSecretKey')] },
  ],
};

const other: SettingTab = {
  id: 'other',
  cards: [
    { id: 'info', fields: [], extra: 'system-info' },
    { id: 'notice', saves: 'each', fields: [text('Notice', hinted)] },
    {
      id: 'look',
      saves: 'each',
      fields: [
        line('SystemName'),
        link('Logo'),
        text('HomePageContent', hinted),
        text('About', hinted),
        text('Footer', hinted),
      ],
    },
  ],
};

export const settingTabs: readonly SettingTab[] = [operation, rateLimit, models, system, other];

/** The ratio tables have their own editors, which also use these fields. */
export const ratioFields: readonly SettingField[] = [
  json('ModelPrice', { template: sample({ 'gpt-4-gizmo-*': 0.1 }), ...hinted }),
  json('ModelRatio', hinted),
  json('CacheRatio', hinted),
  json('CompletionRatio', hinted),
  json('ImageRatio', hinted),
];

/** In the dictionaries dots separate levels, so dots in an option key become underscores. */
export const textKey = (key: string): string => key.replaceAll('.', '_');

/** The key of a text of an option or card. The compiler cannot check it; a test checks that all of them exist. */
export const textOf = (...path: string[]): TextOf<'setting'> => path.map(textKey).join('.') as TextOf<'setting'>;

export const findTab = (id: string | null): SettingTab =>
  settingTabs.find((tab) => tab.id === id) ?? (settingTabs[0] as SettingTab);

/** Where an option is edited. */
export function placeOf(key: OptionKey): { tab: SettingTab['id']; card: string } | undefined {
  for (const tab of settingTabs) {
    const card = tab.cards.find(({ fields, extra }) =>
      [...fields, ...(extra === 'ratio' ? ratioFields : [])].some((field) => field.key === key),
    );
    if (card) return { tab: tab.id, card: card.id };
  }
  return undefined;
}
