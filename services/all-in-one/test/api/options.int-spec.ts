import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type ApiReply, type Person, type TestBed, startTestBed } from '@tollgate/testing';
import { OPTION_DEFAULTS } from './option-defaults.js';
import { expectFields, expectErrorReply, expectSuccess, makeAdmin, spellings } from './support.js';

interface OptionRow {
  key: string;
  value: string;
}

const NOT_JSON = '不是合法的 JSON 字符串';
const SECRETS = [
  'SMTPToken',
  'WorkerValidKey',
  'EpayKey',
  'TurnstileSecretKey',
  'GitHubClientSecret',
  'LinuxDOClientSecret',
  'WeChatServerToken',
  'TelegramBotToken',
  'oidc.client_secret',
];

const isJson = (text: string): boolean => /^[[{]/.test(text);
const same = (actual: string, expected: string): boolean =>
  isJson(expected) ? JSON.stringify(JSON.parse(actual)) === JSON.stringify(JSON.parse(expected)) : actual === expected;

describe('options', () => {
  let testBed: TestBed;
  let admin: Person;
  let user: Person;
  beforeAll(async () => {
    testBed = await startTestBed(allServices);
    admin = await makeAdmin(testBed, 'admin');
    user = await testBed.user('user', 0);
  }, 120_000);
  afterAll(() => testBed?.close());

  const list = (person = testBed.root): Promise<OptionRow[]> => person.data('GET', '/api/option/');
  const valueOf = async (key: string): Promise<string | undefined> =>
    (await list()).find((row) => row.key === key)?.value;
  const put = (key: unknown, value: unknown, person = testBed.root): Promise<ApiReply> =>
    person.call('PUT', '/api/option/', { key, value });

  describe('GET /api/option/', () => {
    it.each(spellings('/api/option/'))('%s returns keys and values as texts, each key once', async (path) => {
      const reply = await admin.call<OptionRow[]>('GET', path);
      expectSuccess(reply);
      for (const row of reply.body.data) expectFields(row, { key: 'string', value: 'string' });
      expect(new Set(reply.body.data.map(({ key }) => key)).size).toBe(reply.body.data.length);
    });

    it('returns every documented key with its default', async () => {
      const rows = new Map((await list()).map(({ key, value }) => [key, value]));
      const wrong = Object.entries(OPTION_DEFAULTS).filter(([key, expected]) => {
        const actual = rows.get(key);
        return actual === undefined || (expected !== undefined && !same(actual, expected));
      });
      expect(wrong.map(([key]) => `${key}: ${rows.get(key)}`)).toEqual([]);
    });

    it('is for administrators', async () => {
      expectErrorReply(await user.call('GET', '/api/option/'), '无权进行此操作，权限不足');
      expectErrorReply(
        await testBed.visitor().call('GET', '/api/option/'),
        '无权进行此操作，未登录且未提供 access token',
        401,
      );
    });
  });

  describe('secrets', () => {
    it.each(SECRETS)('%s can be written but is never returned', async (key) => {
      expectSuccess(await put(key, `value of ${key}`));
      const replies = await Promise.all(
        ['/api/option/', '/api/status', '/api/log/?page_size=100'].map((path) => testBed.root.call('GET', path)),
      );
      expect(JSON.stringify(replies.map(({ body }) => body))).not.toContain(`value of ${key}`);
      for (const blank of ['', '   ']) expectSuccess(await put(key, blank));
      expect((await list()).find((entry) => entry.key === key)).toMatchObject({ value: '', is_set: true });
    });
  });

  describe('PUT /api/option/', () => {
    it.each([
      ['SystemName', '网关 😀 %_\\'],
      ['Notice', 'line one\nline two <b>bold</b>'],
      ['RegisterEnabled', 'false'],
      ['RegisterEnabled', 'true'],
      ['QuotaPerUnit', '1000000'],
      ['QuotaPerUnit', '500000'],
      ['Price', '0.5'],
      ['MinTopUp', '10'],
      ['RetryTimes', '3'],
      ['SMTPPort', '465'],
      ['ChannelDisableThreshold', '2.5'],
      ['DataExportInterval', '1'],
      ['DataExportDefaultTime', 'day'],
      ['ModelPrice', '{"my-model":0.5}'],
      ['ModelRatio', '{"other-model":1.25}'],
      ['CompletionRatio', '{}'],
      ['CacheRatio', '{"other-model":0.5}'],
      ['GroupRatio', '{"default":1,"vip":0.5,"特价":0}'],
      ['UserUsableGroups', '{"default":"默认分组","特价":"特价分组"}'],
      ['TopupGroupRatio', '{"default":0.9}'],
      ['Chats', '[{"Mine":"https://chat.example/?key={key}&url={address}"},{"App":"myapp://open?k={key}"}]'],
      ['Chats', '[]'],
      ['AutomaticDisableKeywords', 'one\nTwo words'],
      ['SensitiveWords', ''],
      ['EmailDomainWhitelist', 'example.com,mail.example.org'],
      ['gemini.safety_settings', '{"default":"BLOCK_NONE"}'],
      ['gemini.version_settings', '{"default":"v1"}'],
      ['gemini.thinking_adapter_budget_tokens_percentage', '0.1'],
      ['claude.thinking_adapter_budget_tokens_percentage', '1'],
      ['claude.model_headers_settings', '{"claude-x":{"anthropic-beta":["a","b"]}}'],
      ['claude.default_max_tokens', '{"default":4096,"claude-x":8192}'],
      ['general_setting.ping_interval_seconds', '1'],
      ['ModelRequestRateLimitDurationMinutes', '0'],
      ['ModelRequestRateLimitCount', '0'],
      ['ModelRequestRateLimitSuccessCount', '1'],
      ['general_setting.customer_service_link', 'https://help.example'],
      ['WorkerUrl', 'https://worker.example'],
    ])('stores %s = %s as it was sent', async (key, value) => {
      // An administrator may not send a secret that somebody else entered to another address.
      const by = ['SMTPPort', 'WorkerUrl'].includes(key) ? testBed.root : admin;
      for (const path of spellings('/api/option/')) {
        const reply = await by.call('PUT', path, { key, value });
        expect([reply.status, reply.body]).toEqual([200, { success: true, message: '' }]);
        expect(await valueOf(key)).toBe(value);
      }
    });

    it('counts a blank address of this server as none, and refuses one that is only slashes', async () => {
      expectSuccess(await put('ServerAddress', '  '));
      expect(await valueOf('ServerAddress')).toBe('');
      expect((await put('ServerAddress', '//')).body.success).toBe(false);
    });

    it.each([
      ['RegisterEnabled', 'TRUE', '无效的参数'],
      ['RegisterEnabled', '1', '无效的参数'],
      ['RegisterEnabled', '', '无效的参数'],
      ['QuotaPerUnit', '0', undefined],
      ['QuotaPerUnit', '-5', undefined],
      ['QuotaPerUnit', 'NaN', undefined],
      ['QuotaPerUnit', 'Infinity', undefined],
      ['QuotaPerUnit', '', undefined],
      ['QuotaPerUnit', '1e309', undefined],
      ['Price', 'free', undefined],
      ['Price', '-7.3', undefined],
      ['MinTopUp', '1.5', undefined],
      ['MinTopUp', '0', undefined],
      ['RetryTimes', '-1', undefined],
      ['RetryTimes', '99999999999999999999', undefined],
      ['SMTPPort', '70000', undefined],
      ['SMTPPort', 'smtp', undefined],
      ['DataExportInterval', '0', undefined],
      ['DataExportDefaultTime', 'month', undefined],
      ['QuotaForNewUser', '-1', undefined],
      ['PreConsumedQuota', '1.5', undefined],
      ['general_setting.ping_interval_seconds', '0', undefined],
      ['gemini.thinking_adapter_budget_tokens_percentage', '0.05', undefined],
      ['gemini.thinking_adapter_budget_tokens_percentage', '1.01', undefined],
      ['claude.thinking_adapter_budget_tokens_percentage', '0', undefined],
      ['ModelRequestRateLimitDurationMinutes', '-1', undefined],
      ['ModelRequestRateLimitCount', '-1', undefined],
      ['ModelRequestRateLimitSuccessCount', '0', undefined],
      ['ModelPrice', '{"a": 1', NOT_JSON],
      ['ModelPrice', '', NOT_JSON],
      ['ModelPrice', '[]', NOT_JSON],
      ['ModelPrice', 'null', NOT_JSON],
      ['ModelRatio', '{"a":"1"}', NOT_JSON],
      ['ModelRatio', '{"a":-1}', undefined],
      ['ModelRatio', '{"a":1e999}', undefined],
      ['CompletionRatio', '5', NOT_JSON],
      ['CacheRatio', '{"a":null}', NOT_JSON],
      ['GroupRatio', '{"default":-0.5}', 'group ratio must be not less than 0: default'],
      ['GroupRatio', 'x', NOT_JSON],
      ['UserUsableGroups', '{"default":1}', NOT_JSON],
      ['TopupGroupRatio', '{', '充值分组倍率不是合法的 JSON 字符串'],
      ['GroupGroupRatio', '{"vip":{"default":1},"vip":{"default":0.1}}', '名称重复或不可用：vip'],
      ['GroupRatio', '{"__proto__":0.1}', '名称重复或不可用：__proto__'],
      ['Chats', '{}', NOT_JSON],
      ['Chats', '[{"a":"https://x.example","b":"https://y.example"}]', NOT_JSON],
      ['Chats', '[{"a":"javascript:alert(1)"}]', undefined],
      ['gemini.safety_settings', '[1]', NOT_JSON],
      ['claude.default_max_tokens', '{"default":"many"}', NOT_JSON],
      ['claude.model_headers_settings', '{"m":{"h":"v"}}', NOT_JSON],
      ['claude.model_headers_settings', '{"m":{"content-length":["5"]}}', '请求头不合法: content-length'],
      ['EmailDomainWhitelist', 'example.com,not a domain', '邮箱域名格式不正确，请输入有效的域名，如 gmail.com'],
      ['EmailDomainWhitelist', 'example.com,example.com', '该域名已存在于白名单中'],
      ['ServerAddress', 'gate.example', undefined],
      ['ServerAddress', 'javascript:alert(1)', undefined],
      ['PayAddress', 'ftp://pay.example', undefined],
      ['TopUpLink', 'javascript:alert(1)', undefined],
      ['general_setting.docs_link', 'data:text/html,x', undefined],
      ['Notice', 'a\0b', '无效的参数'],
      ['SystemName', '', undefined],
    ])('refuses %s = %j with HTTP 200 and changes nothing', async (key, value, message) => {
      const before = await valueOf(key);
      const reply = await put(key, value);
      expect([reply.status, reply.body.success]).toEqual([200, false]);
      if (message !== undefined) expect(reply.body.message).toBe(message);
      expect(reply.body.message).toMatch(/\p{Script=Han}|group ratio/u);
      expect(await valueOf(key)).toBe(before);
    });

    it.each([
      ['a boolean', { key: 'RegisterEnabled', value: true }],
      ['a number', { key: 'MinTopUp', value: 5 }],
      ['an object', { key: 'ModelPrice', value: { a: 1 } }],
      ['a list', { key: 'Chats', value: [] }],
      ['null', { key: 'Notice', value: null }],
      ['nothing', { key: 'Notice' }],
      ['no key', { value: 'x' }],
      ['an empty key', { key: '', value: 'x' }],
      ['a key that is a number', { key: 5, value: 'x' }],
      ['an empty object', {}],
      ['no JSON', '{"key":'],
      ['a list for a body', '[]'],
      ['no body', ''],
    ])('answers 400 to %s', async (_, body) => {
      expectErrorReply(await testBed.root.call('PUT', '/api/option/', body), '无效的参数', 400);
    });

    it.each(['NoSuchOption', '__proto__', 'constructor', 'toString', 'a'.repeat(500)])(
      'refuses the unknown key %s',
      async (key) => {
        const reply = await put(key, 'x');
        expect([reply.status, reply.body.success]).toEqual([200, false]);
        expect(await valueOf(key)).toBeUndefined();
      },
    );

    it.each([
      ['GitHubOAuthEnabled', '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！', 'true'],
      ['oidc.enabled', '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！', 'true'],
      [
        'LinuxDOOAuthEnabled',
        '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
        'true',
      ],
      ['WeChatAuthEnabled', '无法启用微信登录，请先填入微信登录相关配置信息！', 'true'],
      ['TurnstileCheckEnabled', '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！', 'true'],
    ])('enables %s only when its settings are complete', async (key, message, value) => {
      expectErrorReply(await put(key, value), message);
      expect(await valueOf(key)).toBe('false');
      expectSuccess(await put(key, 'false'));
    });

    it('enables the restriction of addresses only with a list', async () => {
      expectSuccess(await put('EmailDomainWhitelist', ''));
      expectErrorReply(
        await put('EmailDomainRestrictionEnabled', 'true'),
        '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
      );
      expectSuccess(await put('EmailDomainWhitelist', 'example.com'));
      expectSuccess(await put('EmailDomainRestrictionEnabled', 'true'));
      expectSuccess(await put('EmailDomainRestrictionEnabled', 'false'));
    });

    it('is for administrators, and for the top-up link only for the super administrator', async () => {
      expectErrorReply(await put('Notice', 'x', user), '无权进行此操作，权限不足');
      expectErrorReply(await put('Notice', 'x', testBed.visitor()), '无权进行此操作，未登录且未提供 access token', 401);
      expectErrorReply(await put('TopUpLink', 'https://codes.example', admin), '无权进行此操作，权限不足');
      expectSuccess(await put('TopUpLink', 'https://codes.example'));
      expect(await valueOf('TopUpLink')).toBe('https://codes.example');
      expect((await list(admin)).some(({ key }) => key === 'TopUpLink')).toBe(true);
    });

    it('loses no change of simultaneous writers', async () => {
      const values = Array.from({ length: 8 }, (_, index) => `footer ${index}`);
      const replies = await Promise.all(values.map((value, index) => put(index % 2 === 0 ? 'Footer' : 'About', value)));
      for (const reply of replies) expectSuccess(reply);
      expect(values).toContain(await valueOf('Footer'));
      expect(values).toContain(await valueOf('About'));
    });
  });

  describe('POST /api/option/rest_model_ratio', () => {
    it.each(spellings('/api/option/rest_model_ratio'))('%s resets only the model ratios', async (path) => {
      await put('ModelRatio', '{"only-this":1}');
      await put('ModelPrice', '{"only-that":2}');
      expectSuccess(await admin.call('POST', path), '重置模型倍率成功');
      expect(JSON.parse((await valueOf('ModelRatio')) ?? '')).toMatchObject({
        'gpt-4o': 1.25,
        'gpt-4o-mini': 0.075,
        'claude-3-7-sonnet-20250219': 1.5,
      });
      expect(await valueOf('ModelPrice')).toBe('{"only-that":2}');
    });

    it('is for administrators', async () => {
      expectErrorReply(await user.call('POST', '/api/option/rest_model_ratio'), '无权进行此操作，权限不足');
    });
  });
});
