import { describe, expect, it } from '@jest/globals';
import {
  defaultOptions,
  isOptionKey,
  isSecret,
  type OptionKey,
  optionKeys,
  type OptionRow,
  optionRows,
  optionCards,
  parseOption,
} from './index.js';

const messageOf = (key: OptionKey, text: string): string | undefined => {
  const result = parseOption(key, text);
  return result.ok ? undefined : result.message;
};
const valueOf = (key: OptionKey, text: string): unknown => {
  const result = parseOption(key, text);
  return result.ok ? result.value : undefined;
};

/** The keys that the two specifications name, in their order. */
const specified = `
PasswordLoginEnabled PasswordRegisterEnabled EmailVerificationEnabled RegisterEnabled TurnstileCheckEnabled GitHubOAuthEnabled
WeChatAuthEnabled TelegramOAuthEnabled LinuxDOOAuthEnabled oidc.enabled
EmailDomainRestrictionEnabled EmailAliasRestrictionEnabled EmailDomainWhitelist
SMTPServer SMTPPort SMTPAccount SMTPFrom SMTPToken SMTPSSLEnabled
ServerAddress WorkerUrl WorkerValidKey PayAddress EpayId EpayKey Price MinTopUp CustomCallbackAddress TopupGroupRatio
GitHubClientId GitHubClientSecret oidc.well_known oidc.client_id oidc.client_secret oidc.authorization_endpoint oidc.token_endpoint
oidc.user_info_endpoint WeChatServerAddress WeChatServerToken WeChatAccountQRCodeImageURL TelegramBotToken TelegramBotName
TurnstileSiteKey TurnstileSecretKey LinuxDOClientId LinuxDOClientSecret
Notice SystemName Logo Footer About HomePageContent TopUpLink general_setting.docs_link general_setting.customer_service_link
QuotaPerUnit RetryTimes DisplayInCurrencyEnabled DisplayTokenStatEnabled DefaultCollapseSidebar DemoSiteEnabled SelfUseModeEnabled
DrawingEnabled MjNotifyEnabled MjAccountFilterEnabled MjForwardUrlEnabled MjModeClearEnabled MjActionCheckSuccessEnabled
CheckSensitiveEnabled CheckSensitiveOnPromptEnabled SensitiveWords LogConsumeEnabled DataExportEnabled DataExportInterval
DataExportDefaultTime ChannelDisableThreshold QuotaRemindThreshold AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled
AutomaticDisableKeywords QuotaForNewUser PreConsumedQuota QuotaForInviter QuotaForInvitee
ModelPrice ModelRatio CompletionRatio GroupRatio UserUsableGroups CacheRatio Chats
StreamCacheQueueLength CheckSensitiveOnCompletionEnabled StopOnSensitiveEnabled
ModelRequestRateLimitEnabled ModelRequestRateLimitCount ModelRequestRateLimitSuccessCount ModelRequestRateLimitDurationMinutes
gemini.safety_settings gemini.version_settings gemini.supported_imagine_models gemini.thinking_adapter_enabled
gemini.thinking_adapter_budget_tokens_percentage
claude.model_headers_settings claude.default_max_tokens claude.thinking_adapter_enabled
claude.thinking_adapter_budget_tokens_percentage
global.pass_through_request_enabled general_setting.ping_interval_enabled general_setting.ping_interval_seconds
chat_link chat_link2 TaskEnabled ImageRatio ModelRequestRateLimitGroup
`
  .trim()
  .split(/\s+/);

/** Keys beyond the specifications: a second payment provider, variables of the environment that are options too, second factors. */
const ours = [
  'ChargeUnaskedSearchEnabled',
  'GroupGroupRatio',
  'AdjustmentApprovalLimit',
  'RefundApprovalLimit',
  'ChannelTestFrequency',
  'ChannelUpdateFrequency',
  'StripeApiSecret',
  'StripeWebhookSecret',
  'StripePrice',
  'StripeCurrency',
  'StripeApiAddress',
  'SecondFactorRequiredFor',
  'SecondFactorAfterProviders',
];

describe('the option table', () => {
  it('holds exactly the keys the specifications name, and ours', () => {
    expect([...optionKeys].sort()).toEqual([...specified, ...ours].sort());
  });

  it.each(optionKeys)('has a usable default for %s', (key) => {
    expect(parseOption(key, defaultOptions[key])).toMatchObject({ ok: true });
  });

  it('knows cards only, and uses each of them', () => {
    const used = new Set(optionKeys.map((key) => optionRows[key].card));
    expect([...used].sort()).toEqual([...optionCards].sort());
  });

  it('reads every key that ends in Enabled as a boolean', () => {
    const switches = optionKeys.filter((key) => /enabled$/i.test(key));
    expect(switches.length).toBeGreaterThan(30);
    for (const key of switches) {
      expect(valueOf(key, 'true')).toBe(true);
      expect(valueOf(key, 'false')).toBe(false);
      for (const bad of ['TRUE', '1', '', ' true']) expect(messageOf(key, bad)).toBe('无效的参数');
    }
  });

  it('keeps secrets out of the status, and public keys readable', () => {
    expect(optionKeys.filter(isSecret).sort()).toEqual([
      'EpayKey',
      'GitHubClientSecret',
      'LinuxDOClientSecret',
      'SMTPToken',
      'StripeApiSecret',
      'StripeWebhookSecret',
      'TelegramBotToken',
      'TurnstileSecretKey',
      'WeChatServerToken',
      'WorkerValidKey',
      'oidc.client_secret',
    ]);
    expect(optionKeys.filter((key) => isSecret(key) && optionRows[key].inStatus)).toEqual([]);
  });

  it('names the secret for every address to which one is sent', () => {
    const pairs = optionKeys.flatMap((key) => {
      const { receives }: OptionRow = optionRows[key];
      return receives === undefined ? [] : [[key, receives]];
    });
    for (const [, secret = ''] of pairs) expect(isOptionKey(secret) && isSecret(secret)).toBe(true);
    expect(pairs.map(([key]) => key).sort()).toEqual([
      'SMTPPort',
      'SMTPSSLEnabled',
      'SMTPServer',
      'StripeApiAddress',
      'WeChatServerAddress',
      'WorkerUrl',
      'oidc.authorization_endpoint',
      'oidc.token_endpoint',
      'oidc.user_info_endpoint',
      'oidc.well_known',
    ]);
  });

  it('reserves the top-up link, the second factor rule and the approval limits to the super administrator', () => {
    const reserved = optionKeys.filter((key) => optionRows[key].minRole === 100);
    expect(reserved).toEqual([
      ...['SecondFactorRequiredFor', 'SecondFactorAfterProviders', 'TopUpLink'],
      ...['AdjustmentApprovalLimit', 'RefundApprovalLimit'],
    ]);
  });

  it('does not take an inherited property for a key', () => {
    expect(isOptionKey('QuotaPerUnit')).toBe(true);
    expect(['toString', '__proto__', 'FileUploadPermission', ''].map(isOptionKey)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('the default price tables', () => {
  const table = (key: OptionKey): Record<string, number> => valueOf(key, defaultOptions[key]) as Record<string, number>;

  it('hold the built-in models and no later ones', () => {
    const ratios = table('ModelRatio');
    expect(Object.keys(ratios)).toHaveLength(179);
    expect(ratios).toMatchObject({
      'gpt-4o': 1.25,
      'gpt-image-1': 2.5,
      'glm-4-flash': 0,
      'claude-3-opus-20240229': 7.5,
    });
    // 0.12 yuan per 1000 tokens at 7.3 yuan per dollar
    expect(ratios['ERNIE-4.0-8K']).toBeCloseTo((0.12 * 500) / 7.3, 5);
    expect(Object.keys(ratios).filter((model) => /^gpt-(5|4\.1)|claude-(sonnet|opus)-4/.test(model))).toEqual([]);
  });

  it('hold fixed prices, cache and completion ratios and groups', () => {
    expect(Object.keys(table('ModelPrice'))).toHaveLength(21);
    expect(Object.keys(table('CacheRatio'))).toHaveLength(29);
    expect(table('CompletionRatio')).toEqual({
      'gpt-4-gizmo-*': 2,
      'gpt-4o-gizmo-*': 3,
      'gpt-4-all': 2,
      'gpt-image-1': 8,
    });
    expect(table('ImageRatio')).toEqual({ 'gpt-image-1': 2 });
    expect(table('GroupRatio')).toEqual({ default: 1, vip: 1, svip: 1 });
    expect(valueOf('UserUsableGroups', defaultOptions.UserUsableGroups)).toEqual({
      default: '默认分组',
      vip: 'vip分组',
    });
    expect(valueOf('Chats', defaultOptions.Chats)).toHaveLength(5);
  });
});

describe('parseOption', () => {
  it.each(['ModelRatio', 'ModelPrice', 'CompletionRatio', 'CacheRatio', 'ImageRatio', 'GroupRatio'] as const)(
    'reads %s as a map of numbers from zero up',
    (key) => {
      expect(valueOf(key, '{"a":0,"b":1.5}')).toEqual({ a: 0, b: 1.5 });
      for (const bad of ['', '{', '[]', 'null', '1', '{"a":"1"}', '{"a":null}']) {
        expect(messageOf(key, bad)).toBe('不是合法的 JSON 字符串');
      }
      expect(messageOf(key, '{"a":1e999}')).toBe('a 的值必须是 0 到 1000000 之间的数字');
    },
  );

  it('refuses a negative ratio by its name', () => {
    expect(messageOf('GroupRatio', '{"default":1,"vip":-0.5}')).toBe('group ratio must be not less than 0: vip');
    expect(messageOf('ModelRatio', '{"gpt-4":-1}')).toBe('gpt-4 的值必须是 0 到 1000000 之间的数字');
    expect(messageOf('TopupGroupRatio', '{"vip":-1}')).toBe('vip 的值必须是 0 到 1000000 之间的数字');
  });

  it('says which map is no JSON where the specification does', () => {
    expect(messageOf('TopupGroupRatio', '{oops')).toBe('充值分组倍率不是合法的 JSON 字符串');
    expect(messageOf('UserUsableGroups', '{"default":1}')).toBe('不是合法的 JSON 字符串');
  });

  it('requires at least one group, but allows an empty list of usable groups', () => {
    expect(messageOf('GroupRatio', '{}')).toBe('分组倍率至少需要包含一个分组');
    expect(valueOf('UserUsableGroups', '{}')).toEqual({});
  });

  it('refuses group names that a comma list cannot carry', () => {
    expect(messageOf('GroupGroupRatio', '{"vip":{"default":-1}}')).toBe('default 的值必须是 0 到 1000000 之间的数字');
    expect(messageOf('GroupGroupRatio', '{"vip":1}')).toBe('不是合法的 JSON 字符串');
    expect(messageOf('GroupGroupRatio', '{"vip":{"a,b":1}}')).toBe('分组名称不合法: a,b');
    expect(messageOf('GroupRatio', '{"a,b":1}')).toBe('分组名称不合法: a,b');
    expect(messageOf('UserUsableGroups', '{"":"x"}')).toBe('分组名称不合法: ');
  });

  it('keeps an entry named __proto__ an entry', () => {
    const value = valueOf('ModelRatio', '{"__proto__":2}') as Record<string, number>;
    expect(Object.entries(value)).toEqual([['__proto__', 2]]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    ['QuotaPerUnit', '1', '0', '必须是 1 到 100000000 之间的数字'],
    ['Price', '7.3', '0', '必须是 0.000001 到 1000000 之间的数字'],
    ['RetryTimes', '10', '11', '必须是 0 到 10 之间的整数'],
    ['RetryTimes', '0', '-1', '必须是 0 到 10 之间的整数'],
    ['DataExportInterval', '1', '0', '必须是 1 到 1440 之间的整数'],
    ['SMTPPort', '465', '65536', '必须是 1 到 65535 之间的整数'],
    ['MinTopUp', '1', '1.5', '必须是 1 到 1000000 之间的整数'],
    ['ChannelDisableThreshold', '5.0', 'NaN', '必须是 0 到 10000 之间的数字'],
    ['PreConsumedQuota', '0', '0x10', '必须是 0 到 10000000 之间的整数'],
    ['QuotaForNewUser', '500000', '1e3', '必须是 0 到 1000000000000 之间的整数'],
    ['ModelRequestRateLimitCount', '0', '-1', '必须是 0 到 1000000000 之间的整数'],
    ['ModelRequestRateLimitSuccessCount', '1', '0', '必须是 1 到 1000000000 之间的整数'],
    ['gemini.thinking_adapter_budget_tokens_percentage', '0.1', '0.09', '必须是 0.1 到 1 之间的数字'],
    ['claude.thinking_adapter_budget_tokens_percentage', '1', '1.01', '必须是 0.1 到 1 之间的数字'],
    ['general_setting.ping_interval_seconds', '1', '0', '必须是 1 到 3600 之间的整数'],
  ] as const)('keeps %s in its range: %s fits, %s does not', (key, good, bad, message) => {
    expect(valueOf(key, good)).toBe(Number(good));
    expect(messageOf(key, bad)).toBe(message);
    expect(messageOf(key, '')).toBe(message);
  });

  it('removes trailing slashes from addresses and refuses other schemes', () => {
    expect(valueOf('ServerAddress', ' https://gate.example.com// ')).toBe('https://gate.example.com');
    for (const bad of [
      'https://pay.example/?to=',
      'https://pay.example#',
      'https://u:p@pay.example',
      'https://u@pay.example',
    ])
      expect(messageOf('PayAddress', bad)).toBe('网址不能包含 ?、# 或用户名和密码');
    expect(valueOf('PayAddress', '')).toBe('');
    for (const bad of ['gate.example.com', 'javascript:alert(1)', 'ftp://x', 'https://', 'http://a b', 'http://a\nb']) {
      expect(messageOf('PayAddress', bad)).toBe('必须是以 http:// 或 https:// 开头的网址');
    }
  });

  it('assumes this machine while the own address is not set', () => {
    expect(valueOf('ServerAddress', '')).toBe('http://localhost:3000');
  });

  it('keeps a full URL as the other side wrote it', () => {
    expect(valueOf('oidc.well_known', 'https://id.example.com/')).toBe('https://id.example.com/');
    expect(messageOf('oidc.well_known', 'id.example.com')).toBe('必须是以 http:// 或 https:// 开头的网址');
  });

  it('accepts links and pictures of this server, but no disguised ones to others', () => {
    expect(valueOf('TopUpLink', '/topup-help')).toBe('/topup-help');
    expect(valueOf('Logo', '/logo.png')).toBe('/logo.png');
    expect(valueOf('Logo', 'data:image/png;base64,AAAA')).toBe('data:image/png;base64,AAAA');
    expect(messageOf('TopUpLink', '//evil.example.com')).toBeDefined();
    expect(messageOf('Logo', 'data:text/html,<script>')).toBeDefined();
  });

  it('reads chats in order and refuses links that would run as code', () => {
    expect(valueOf('Chats', '[{"B":"ama://x?k={key}"},{"A":"https://c.example.com/#{address}"}]')).toEqual([
      { B: 'ama://x?k={key}' },
      { A: 'https://c.example.com/#{address}' },
    ]);
    expect(messageOf('Chats', '[{"A":" JavaScript:alert(1)"}]')).toBe('聊天链接不合法: A');
    expect(messageOf('Chats', '[{" ":"https://c.example.com"}]')).toBe('聊天名称不能为空');
    for (const bad of ['{}', '[1]', '[{}]', '[{"a":"https://x.example.com","b":"y"}]', '[{"a":1}]']) {
      expect(messageOf('Chats', bad)).toBe('不是合法的 JSON 字符串');
    }
    for (const bad of ['data:text/html,x', 'java\nscript:alert(1)', '/\t/evil.example.com', '//evil.example.com']) {
      expect(messageOf('chat_link', bad)).toBe('链接不合法');
    }
  });

  it('reads lists of lines without blanks and repetitions', () => {
    expect(valueOf('SensitiveWords', ' one \r\n\n two\none')).toEqual(['one', 'two']);
    expect(valueOf('AutomaticDisableKeywords', '')).toEqual([]);
  });

  it('checks every domain of the whitelist', () => {
    expect(valueOf('EmailDomainWhitelist', 'Gmail.com, qq.com,')).toEqual(['gmail.com', 'qq.com']);
    expect(valueOf('EmailDomainWhitelist', '')).toEqual([]);
    for (const bad of ['gmail', '@gmail.com', 'a b.com', '-a.com', 'a..com']) {
      expect(messageOf('EmailDomainWhitelist', bad)).toBe('邮箱域名格式不正确，请输入有效的域名，如 gmail.com');
    }
    expect(messageOf('EmailDomainWhitelist', 'qq.com,QQ.com')).toBe('该域名已存在于白名单中');
  });

  it('reads limits per group', () => {
    expect(valueOf('ModelRequestRateLimitGroup', '{"vip":[0,1]}')).toEqual({ vip: [0, 1] });
    expect(messageOf('ModelRequestRateLimitGroup', '{"vip":[0,0]}')).toBe(
      'vip 的总请求数不能小于 0，成功请求数不能小于 1',
    );
    expect(messageOf('ModelRequestRateLimitGroup', '{"vip":[1]}')).toBe('不是合法的 JSON 字符串');
  });

  it('reads the settings of models', () => {
    expect(valueOf('claude.model_headers_settings', '{"m":{"anthropic-beta":["a","b"]}}')).toEqual({
      m: { 'anthropic-beta': ['a', 'b'] },
    });
    expect(messageOf('claude.model_headers_settings', '{"m":{"x-bad":["a\\r\\nb: c"]}}')).toBe('请求头不合法: x-bad');
    for (const name of ['anthropic-version', 'x-api-key', 'content-language'])
      expect(valueOf('claude.model_headers_settings', `{"m":{"${name}":["5"]}}`)).toEqual({ m: { [name]: ['5'] } });
    expect(messageOf('claude.model_headers_settings', '{"m":["a"]}')).toBe('不是合法的 JSON 字符串');
    expect(messageOf('claude.default_max_tokens', '{"default":0}')).toBe('default 的值必须是 1 到 10000000 之间的整数');
    expect(messageOf('gemini.version_settings', '{"default":"../v1"}')).toBe('default 的版本不合法，例如 v1beta');
    expect(valueOf('gemini.supported_imagine_models', '["a","a"]')).toEqual(['a']);
    expect(messageOf('gemini.safety_settings', '[]')).toBe('不是合法的 JSON 字符串');
    expect(messageOf('DataExportDefaultTime', 'month')).toBe('只能是 hour、day、week 之一');
  });

  it('keeps names on one line and the system name non-empty', () => {
    expect(valueOf('SystemName', ' Acme ')).toBe('Acme');
    expect(messageOf('SystemName', '  ')).toBe('内容不能为空');
    expect(messageOf('SMTPAccount', 'a\nBcc: b')).toBe('内容不能包含换行');
  });
});
