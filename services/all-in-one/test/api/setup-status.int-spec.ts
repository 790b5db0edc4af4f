import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { listen, type Listener } from '@tollgate/chassis';
import {
  type ApiReply,
  Person,
  ROOT,
  type ServiceHarness,
  type TestBed,
  startServices,
  startTestBed,
} from '@tollgate/testing';
import { expectFields, expectErrorReply, expectSuccess, makeAdmin, plain, spellings } from './support.js';

const FORM = { ...ROOT, confirmPassword: ROOT.password, SelfUseModeEnabled: false, DemoSiteEnabled: false };

/** Every documented field of `data` in `GET /api/status`. */
const STATUS_FIELDS = {
  version: 'string',
  start_time: 'int',
  setup: 'boolean',
  system_name: 'string',
  logo: 'string',
  footer_html: 'string',
  server_address: 'string',
  docs_link: 'string',
  customer_service_link: 'string',
  quota_per_unit: 'number',
  display_in_currency: 'boolean',
  price: 'number',
  min_topup: 'int',
  top_up_link: 'string',
  enable_online_topup: 'boolean',
  enable_batch_update: 'boolean',
  enable_drawing: 'boolean',
  enable_task: 'boolean',
  enable_data_export: 'boolean',
  data_export_default_time: 'string',
  default_collapse_sidebar: 'boolean',
  mj_notify_enabled: 'boolean',
  chats: 'array',
  chat_link: 'string',
  chat_link2: 'string',
  demo_site_enabled: 'boolean',
  self_use_mode_enabled: 'boolean',
  email_verification: 'boolean',
  turnstile_check: 'boolean',
  turnstile_site_key: 'string',
  github_oauth: 'boolean',
  github_client_id: 'string',
  oidc_enabled: 'boolean',
  oidc_client_id: 'string',
  oidc_authorization_endpoint: 'string',
  wechat_login: 'boolean',
  wechat_qrcode: 'string',
  telegram_oauth: 'boolean',
  telegram_bot_name: 'string',
  linuxdo_oauth: 'boolean',
  linuxdo_client_id: 'string',
} as const;

interface Fresh {
  harness: ServiceHarness;
  listener: Listener;
  visitor: Person;
}

async function startFresh(): Promise<Fresh> {
  const harness = await startServices(allServices, { TOLLGATE_RATE_LIMITS: 'off' });
  const front = harness.process.services.get('gateway');
  if (!front) throw new Error('no gateway');
  const listener = await listen(front.app, '127.0.0.1', 0);
  return { harness, listener, visitor: new Person(`http://127.0.0.1:${listener.port}`) };
}

describe('the first run', () => {
  let fresh: Fresh;
  let visitor: Person;
  beforeAll(async () => {
    fresh = await startFresh();
    ({ visitor } = fresh);
  }, 120_000);
  afterAll(async () => {
    await fresh?.listener.drain(1);
    await fresh?.harness.close();
  });

  const setUp = (form: unknown): Promise<ApiReply> => visitor.call('POST', '/api/setup', form);

  it.each(spellings('/api/setup'))('is possible before the set-up: GET %s', async (path) => {
    const reply = await visitor.call('GET', path);
    expectSuccess(reply);
    expect(reply.body.data).toEqual({ status: false, root_init: false, database_type: 'postgres' });
  });

  it('is reported in the status, which sends the console to /setup', async () => {
    expect((await visitor.data<{ setup: boolean }>('GET', '/api/status')).setup).toBe(false);
  });

  it.each([
    ['differing passwords', { confirmPassword: 'correct horse batterx' }, '两次输入的密码不一致'],
    ['no confirmation', { confirmPassword: undefined }, '两次输入的密码不一致'],
    ['a password of 7', { password: '1234567', confirmPassword: '1234567' }, '密码长度至少为8个字符'],
    ['a blank name', { username: '   ' }, '请输入管理员用户名'],
    ['no name', { username: undefined }, '请输入管理员用户名'],
    ['a name that is a number', { username: 5 }, '请求参数有误'],
    ['a password that is a list', { password: ['12345678'] }, '请求参数有误'],
    ['a mode that is a text', { SelfUseModeEnabled: 'true' }, '请求参数有误'],
    ['a mode that is a number', { DemoSiteEnabled: 1 }, '请求参数有误'],
  ])('refuses %s with 400 and stays open', async (_, change, message) => {
    expectErrorReply(await setUp({ ...FORM, ...change }), message, 400);
    expect((await visitor.data<{ status: boolean }>('GET', '/api/setup')).status).toBe(false);
  });

  it.each(['', '[]', '"x"', 'null', '12', '{"username":'])('refuses the body %j with 400', async (body) => {
    expectErrorReply(await setUp(body), '请求参数有误', 400);
  });

  it('succeeds for one of many simultaneous requests, without signing in', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => setUp({ ...FORM, SelfUseModeEnabled: true })));
    const winners = replies.filter(({ body }) => body.success);
    expect(winners).toHaveLength(1);
    expectSuccess(winners[0] as ApiReply, '系统初始化成功');
    expect(winners[0]?.headers.getSetCookie()).toEqual([]);
    for (const reply of replies.filter(({ body }) => !body.success)) expectErrorReply(reply, '系统已经初始化完成', 400);
  });

  it.each([
    ['the same form again', FORM],
    ['a broken form', { password: 1 }],
    ['no form', ''],
  ])('is refused after the set-up for %s', async (_, form) => {
    expectErrorReply(await setUp(form), '系统已经初始化完成', 400);
  });

  it('is reported as done, and leaves the documented administrator', async () => {
    expect((await visitor.data<{ status: boolean; root_init: boolean }>('GET', '/api/setup')).status).toBe(true);
    expect(await visitor.data('GET', '/api/status')).toMatchObject({
      setup: true,
      self_use_mode_enabled: true,
      demo_site_enabled: false,
    });
    await visitor.signIn(ROOT.username, ROOT.password);
    expect(await visitor.data('GET', '/api/user/self')).toMatchObject({
      username: 'root',
      display_name: 'Root User',
      role: 100,
      status: 1,
      group: 'default',
      quota: 100_000_000,
      used_quota: 0,
      request_count: 0,
    });
  });

  it('closes registration in self-use mode', async () => {
    const form = { username: 'somebody', password: '12345678' };
    expectErrorReply(await new Person(visitor.url).call('POST', '/api/user/register', form), '管理员关闭了新用户注册');
  });
});

describe('status and contents', () => {
  let testBed: TestBed;
  beforeAll(async () => {
    testBed = await startTestBed(allServices);
  }, 120_000);
  afterAll(() => testBed?.close());

  it.each(spellings('/api/status'))('GET %s returns every documented field, also to visitors', async (path) => {
    const reply = await testBed.visitor().call('GET', path);
    expectSuccess(reply);
    expectFields(reply.body.data, STATUS_FIELDS);
  });

  it('has the documented defaults at first', async () => {
    const status = await testBed.visitor().data<Record<string, unknown>>('GET', '/api/status');
    expect(status).toMatchObject({
      setup: true,
      server_address: testBed.url.replace('127.0.0.1', 'localhost'),
      quota_per_unit: 500_000,
      display_in_currency: true,
      price: 7.3,
      min_topup: 1,
      top_up_link: '',
      enable_online_topup: false,
      enable_drawing: true,
      enable_task: true,
      enable_data_export: true,
      data_export_default_time: 'hour',
      default_collapse_sidebar: false,
      mj_notify_enabled: false,
      self_use_mode_enabled: false,
      demo_site_enabled: false,
      email_verification: false,
      turnstile_check: false,
      github_oauth: false,
      oidc_enabled: false,
      wechat_login: false,
      telegram_oauth: false,
      linuxdo_oauth: false,
      footer_html: '',
      chat_link: '',
      chat_link2: '',
      customer_service_link: '',
    });
    expect(Math.abs(Number(status['start_time']) - Date.now() / 1000)).toBeLessThan(300);
    const chats = status['chats'] as Record<string, string>[];
    expect(chats.map((chat) => Object.keys(chat))).toEqual([
      ['ChatGPT Next Web 官方示例'],
      ['Lobe Chat 官方示例'],
      ['AI as Workspace'],
      ['AMA 问天'],
      ['OpenCat'],
    ]);
  });

  it('contains the text that container health checks search for', async () => {
    expect((await plain(testBed, 'GET', '/api/status')).text).toMatch(/"success":\s*true/);
  });

  it.each([
    ['SystemName', '测试站 🚀', 'system_name', '测试站 🚀'],
    ['Logo', 'https://pictures.example/logo.png', 'logo', 'https://pictures.example/logo.png'],
    ['Footer', '<b>footer</b>', 'footer_html', '<b>footer</b>'],
    ['ServerAddress', 'https://gate.example/', 'server_address', 'https://gate.example'],
    ['TopUpLink', 'https://shop.example/codes', 'top_up_link', 'https://shop.example/codes'],
    ['general_setting.docs_link', 'https://docs.example/', 'docs_link', 'https://docs.example/'],
    [
      'general_setting.customer_service_link',
      'https://help.example/',
      'customer_service_link',
      'https://help.example/',
    ],
    ['chat_link', 'https://chat.example/#/?key={key}', 'chat_link', 'https://chat.example/#/?key={key}'],
    ['chat_link2', 'https://chat2.example/#/?key={key}', 'chat_link2', 'https://chat2.example/#/?key={key}'],
    ['QuotaPerUnit', '1000', 'quota_per_unit', 1000],
    ['DisplayInCurrencyEnabled', 'false', 'display_in_currency', false],
    ['Price', '6.5', 'price', 6.5],
    ['MinTopUp', '3', 'min_topup', 3],
    ['DrawingEnabled', 'false', 'enable_drawing', false],
    ['TaskEnabled', 'false', 'enable_task', false],
    ['DataExportEnabled', 'false', 'enable_data_export', false],
    ['DataExportDefaultTime', 'week', 'data_export_default_time', 'week'],
    ['DefaultCollapseSidebar', 'true', 'default_collapse_sidebar', true],
    ['MjNotifyEnabled', 'true', 'mj_notify_enabled', true],
    ['DemoSiteEnabled', 'true', 'demo_site_enabled', true],
    ['SelfUseModeEnabled', 'true', 'self_use_mode_enabled', true],
    ['TurnstileSiteKey', '0xsite', 'turnstile_site_key', '0xsite'],
    ['GitHubClientId', 'gh-id', 'github_client_id', 'gh-id'],
    ['oidc.client_id', 'oidc-id', 'oidc_client_id', 'oidc-id'],
    [
      'oidc.authorization_endpoint',
      'https://id.example/auth',
      'oidc_authorization_endpoint',
      'https://id.example/auth',
    ],
    ['LinuxDOClientId', 'linux-id', 'linuxdo_client_id', 'linux-id'],
    ['TelegramBotName', 'gatebot', 'telegram_bot_name', 'gatebot'],
    [
      'WeChatAccountQRCodeImageURL',
      'https://pictures.example/qr.png',
      'wechat_qrcode',
      'https://pictures.example/qr.png',
    ],
    ['Chats', '[{"一号":"https://one.example/?k={key}"}]', 'chats', [{ 一号: 'https://one.example/?k={key}' }]],
  ])('shows a change of %s at once', async (key, value, field, shown) => {
    await testBed.root.data('PUT', '/api/option/', { key, value });
    const status = await testBed.visitor().data<Record<string, unknown>>('GET', '/api/status');
    expect(status[field]).toEqual(shown);
  });

  it('enables online top-up when address, id and key are all set', async () => {
    const isOpen = async (): Promise<boolean> =>
      (await testBed.visitor().data<{ enable_online_topup: boolean }>('GET', '/api/status')).enable_online_topup;
    const steps: boolean[] = [];
    for (const [key, value] of [
      ['PayAddress', 'https://pay.example'],
      ['EpayId', '1001'],
      ['EpayKey', 'merchant-key-123'],
    ]) {
      await testBed.root.data('PUT', '/api/option/', { key, value });
      steps.push(await isOpen());
    }
    expect(steps).toEqual([false, false, true]);
    await testBed.root.data('PUT', '/api/option/', { key: 'PayAddress', value: '   ' });
    expect(await isOpen()).toBe(false);
  });

  it('holds no secret', async () => {
    for (const key of [
      'SMTPToken',
      'GitHubClientSecret',
      'TurnstileSecretKey',
      'TelegramBotToken',
      'oidc.client_secret',
    ]) {
      await testBed.root.data('PUT', '/api/option/', { key, value: `hidden-${key}` });
    }
    expect((await plain(testBed, 'GET', '/api/status')).text).not.toMatch(/hidden-|merchant-key-123/);
  });

  it.each([
    ['/api/notice', 'Notice', '# 公告\n<b>hello</b>'],
    ['/api/about', 'About', 'https://about.example/page'],
    ['/api/home_page_content', 'HomePageContent', '欢迎 <i>all</i> %_\\'],
  ])('GET %s returns the text of %s as it was saved', async (path, key, value) => {
    expect((await testBed.visitor().call('GET', path)).body).toEqual({ success: true, message: '', data: '' });
    await testBed.root.data('PUT', '/api/option/', { key, value });
    for (const spelling of spellings(path)) {
      expect((await testBed.visitor().call('GET', spelling)).body).toEqual({ success: true, message: '', data: value });
    }
  });

  it('GET /api/status/test reports to administrators that the server runs', async () => {
    const [user, admin] = await Promise.all([testBed.user('plainuser', 0), makeAdmin(testBed, 'anadmin')]);
    expectErrorReply(
      await testBed.visitor().call('GET', '/api/status/test'),
      '无权进行此操作，未登录且未提供 access token',
      401,
    );
    expectErrorReply(await user.call('GET', '/api/status/test'), '无权进行此操作，权限不足');
    for (const path of spellings('/api/status/test')) expectSuccess(await admin.call('GET', path), 'Server is running');
  });
});
