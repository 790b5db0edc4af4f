import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultOptions, getOptions, optionKeys, optionRows, pollIdentity } from '@tollgate/contracts';
import type { Option as OptionReply } from '@tollgate/contracts/api/option';
import { OutboxEvent } from '@tollgate/database';
import { hasPostgres } from '@tollgate/testing';
import { Option } from '../src/option/option.entity.js';
import { User } from '../src/user/user.entity.js';
import { type Account, addUser, setUp, type TestBed, startIdentity } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('options', () => {
  let testBed: TestBed;
  let root: Account;
  let admin: Account;

  beforeAll(async () => {
    testBed = await startIdentity({ TOLLGATE_OUTBOUND_ALLOW: 'localhost' });
    root = await setUp(testBed);
    admin = await addUser(testBed, root, 10);
  }, 60_000);

  afterAll(async () => {
    await testBed.stop();
  });

  const put = (as: Account, body: unknown) => testBed.request('PUT', '/api/option/', { as, body });
  const list = async (): Promise<Map<string, OptionReply>> => {
    const { body } = await testBed.request('GET', '/api/option/', { as: admin });
    return new Map((body.data as OptionReply[]).map((option) => [option.key, option]));
  };

  it('lists every key as text with its default, to administrators only', async () => {
    const options = await list();
    expect([...options.keys()].sort()).toEqual([...optionKeys].sort());
    expect(options.get('RetryTimes')).toEqual({ key: 'RetryTimes', value: defaultOptions.RetryTimes, revision: 0 });
    for (const { value } of options.values()) expect(typeof value).toBe('string');
    const user = await addUser(testBed, root);
    expect((await testBed.request('GET', '/api/option/', { as: user })).body.message).toBe('无权进行此操作，权限不足');
  });

  it('shows a change in /api/status and to other services at once', async () => {
    const before = (await testBed.internal(pollIdentity, { usersSince: 0 })).optionRevision;
    expect((await put(admin, { key: 'SystemName', value: 'Acme' })).body).toEqual({ success: true, message: '' });
    expect((await testBed.request('GET', '/api/status')).body.data).toMatchObject({ system_name: 'Acme' });
    const { revision, values } = await testBed.internal(getOptions, {});
    expect(values).toMatchObject({ SystemName: 'Acme' });
    expect(revision).toBeGreaterThan(before);
    expect(await testBed.em().count(OutboxEvent, { topic: 'option-changed', key: 'SystemName' })).toBe(1);
    for (const [key, path] of [
      ['Notice', 'notice'],
      ['About', 'about'],
      ['HomePageContent', 'home_page_content'],
    ] as const) {
      await put(admin, { key, value: `# ${key}` });
      expect((await testBed.request('GET', `/api/${path}`)).body).toEqual({
        success: true,
        message: '',
        data: `# ${key}`,
      });
    }
  });

  it('refuses a new address for a stored secret from an administrator who does not enter the secret again', async () => {
    const other = await addUser(testBed, root, 10);
    const set = async (as: Account, key: string, value: string) => (await put(as, { key, value })).body;
    await set(root, 'SMTPServer', 'mail.example');
    await set(root, 'SMTPToken', 'secret of root');
    for (const [key, value] of [
      ['SMTPServer', 'evil.example'],
      ['SMTPPort', '2525'],
    ] as const)
      expect(await set(admin, key, value)).toMatchObject({ success: false, code: 'option-secret-needed' });
    expect((await list()).get('SMTPServer')?.value).toBe('mail.example');
    // An empty text keeps root's secret, so the administrator has not entered it.
    await set(admin, 'SMTPToken', '');
    expect((await set(admin, 'SMTPServer', 'evil.example')).success).toBe(false);

    expect((await set(admin, 'SMTPToken', 'secret of admin')).success).toBe(true);
    expect((await set(admin, 'SMTPServer', 'new.example')).success).toBe(true);
    expect((await set(other, 'SMTPServer', 'evil.example')).success).toBe(false);
    expect((await set(root, 'SMTPServer', 'mail.example')).success).toBe(true);
    await put(other, { key: 'SMTPToken', value: '', clear: true });
    expect((await set(other, 'SMTPServer', 'theirs.example')).success).toBe(true);
  });

  it('answers 400 to an unreadable body and 200 to a refused value, and changes nothing', async () => {
    for (const body of ['{', { key: 'SystemName', value: 5 }, { key: 'SystemName', value: true }, { value: 'x' }, []]) {
      expect(await put(admin, body)).toMatchObject({ status: 400, body: { success: false, message: '无效的参数' } });
    }
    const before = await list();
    const refused: [string, string][] = [
      ['NoSuchOption', 'x'],
      ['QuotaPerUnit', '0'],
      ['RetryTimes', '1.5'],
      ['DisplayInCurrencyEnabled', 'yes'],
      ['ModelRatio', '{"gpt-4o":'],
      ['GroupRatio', '{"default":-1}'],
      ['GroupGroupRatio', '{"vip":{"default":0.5},"vip":{"default":3}}'],
      ['ModelRatio', '{"__proto__":1}'],
      ['Chats', '{}'],
      ['EmailDomainWhitelist', 'not a domain'],
    ];
    for (const [key, value] of refused) {
      const answer = await put(admin, { key, value });
      expect([key, answer.status, answer.body.success]).toEqual([key, 200, false]);
      expect(answer.body.message).not.toBe('');
    }
    expect(await list()).toEqual(before);
    expect((await put(admin, { key: 'GroupRatio', value: '{"default":-1}' })).body.message).toBe(
      'group ratio must be not less than 0: default',
    );
  });

  it('never shows a secret, stores it encrypted, and deletes it only on request', async () => {
    const secrets = optionKeys.filter((key) => optionRows[key].secret);
    expect(secrets).toContain('oidc.client_secret');
    for (const key of secrets) expect((await put(admin, { key, value: `hush-${key}` })).body.success).toBe(true);

    const listed = await testBed.request('GET', '/api/option/', { as: root });
    expect(JSON.stringify(listed.body)).not.toContain('hush-');
    expect(JSON.stringify((await testBed.request('GET', '/api/status')).body)).not.toContain('hush-');
    expect(JSON.stringify(await testBed.em().find(OutboxEvent, {}))).not.toContain('hush-');
    expect(JSON.stringify(await testBed.em().find(Option, {}))).not.toContain('hush-');
    expect((await list()).get('SMTPToken')).toMatchObject({ value: '', secret: true, is_set: true });
    expect((await testBed.internal(getOptions, {})).values).toMatchObject({ SMTPToken: 'hush-SMTPToken' });

    await put(admin, { key: 'SMTPToken', value: '' });
    expect((await list()).get('SMTPToken')).toMatchObject({ is_set: true });
    await put(admin, { key: 'SMTPToken', value: '', clear: true });
    expect((await list()).get('SMTPToken')).toMatchObject({ is_set: false });
  });

  it('lets only the super administrator change the top-up link', async () => {
    const change = { key: 'TopUpLink', value: 'https://shop.example/codes' };
    expect((await put(admin, change)).body).toMatchObject({ success: false, message: '无权进行此操作，权限不足' });
    expect((await put(root, change)).body.success).toBe(true);
    expect((await testBed.request('GET', '/api/status')).body.data).toMatchObject({ top_up_link: change.value });
  });

  it('refuses a change that is based on an old revision', async () => {
    await put(admin, { key: 'Footer', value: 'first' });
    const seen = (await list()).get('Footer')?.revision;
    await put(root, { key: 'Footer', value: 'second', revision: seen });
    const late = await put(admin, { key: 'Footer', value: 'third', revision: seen });
    expect(late.body).toMatchObject({ success: false, code: 'option-changed-meanwhile' });
    expect((await list()).get('Footer')?.value).toBe('second');
  });

  it('audits each change with what undoes it, and refuses the undo after a later change', async () => {
    const entry = async () => {
      const rows = await testBed
        .em()
        .find(OutboxEvent, { topic: 'admin-action' }, { orderBy: { id: 'desc' }, limit: 1 });
      return (JSON.parse(rows[0]!.value) as { data: { before: Told; after: Told } }).data;
    };
    type Told = { value: string; revision: number };
    await put(admin, { key: 'About', value: 'before' });
    const long = 'a long text '.repeat(2000);
    await put(admin, { key: 'About', value: long });
    const { before, after } = await entry();
    expect([before.value, after.value]).toEqual(['before', long]);
    expect(before.revision).toBeLessThan(after.revision);
    const takeBack = () => put(admin, { key: 'About', value: before.value, revision: after.revision });
    expect((await takeBack()).body.success).toBe(true);
    expect((await entry()).after.value).toBe('before');
    expect((await takeBack()).body).toMatchObject({ success: false, code: 'option-changed-meanwhile' });
    await put(root, { key: 'TelegramBotToken', value: 'a very secret text' });
    expect(JSON.stringify(await entry())).not.toContain('very secret');
  });

  it('audits no change to the same value, unless it changes who vouches for the option', async () => {
    const entriesOf = (key: string) =>
      testBed.em().count(OutboxEvent, { topic: 'admin-action', value: { $like: `%"subject":"option:${key}"%` } });
    const added = async (as: Account, key: string, value: string) => {
      const before = await entriesOf(key);
      expect((await put(as, { key, value })).body.success).toBe(true);
      return (await entriesOf(key)) - before;
    };
    expect(await added(admin, 'RetryTimes', defaultOptions.RetryTimes)).toBe(0);
    expect(await added(admin, 'RetryTimes', '7')).toBe(1);
    const revision = Number((await list()).get('RetryTimes')?.revision);
    expect(await added(root, 'RetryTimes', '7')).toBe(0);
    expect((await list()).get('RetryTimes')?.revision).toBe(revision);

    expect(await added(root, 'SMTPAccount', 'post@example.com')).toBe(1);
    expect(await added(root, 'SMTPAccount', 'post@example.com')).toBe(1);
    expect(await added(root, 'TurnstileSecretKey', 'hush')).toBe(1);
    expect(await added(root, 'TurnstileSecretKey', 'hush')).toBe(1);
  });

  it('accepts one of several simultaneous undos and changes of the same revision', async () => {
    await put(admin, { key: 'About', value: 'mistake' });
    const revision = (await list()).get('About')?.revision;
    const tries = await Promise.all([
      ...Array.from({ length: 6 }, () => put(admin, { key: 'About', value: 'before', revision })),
      ...Array.from({ length: 2 }, () => put(root, { key: 'About', value: 'other', revision })),
    ]);
    const [won, ...more] = tries.flatMap(({ body }, index) => (body.success ? [index] : []));
    expect(more).toEqual([]);
    expect((await list()).get('About')?.value).toBe(Number(won) < 6 ? 'before' : 'other');
    for (const { body } of tries.filter((_, index) => index !== won))
      expect(body).toMatchObject({ success: false, code: 'option-changed-meanwhile' });
  });

  it('turns sign-in methods on only with their credentials', async () => {
    await put(admin, { key: 'TelegramBotToken', value: '', clear: true });
    expect((await put(admin, { key: 'TelegramOAuthEnabled', value: 'true' })).body.message).toBe(
      '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
    );
    expect((await put(admin, { key: 'GitHubOAuthEnabled', value: 'true' })).body.message).toBe(
      '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    );
    await put(admin, { key: 'GitHubClientId', value: 'id' });
    expect((await put(admin, { key: 'GitHubOAuthEnabled', value: 'true' })).body.success).toBe(true);
    expect((await testBed.request('GET', '/api/status')).body.data).toMatchObject({
      github_oauth: true,
      github_client_id: 'id',
    });
    for (const change of [
      { key: 'GitHubClientId', value: '' },
      { key: 'GitHubClientSecret', value: '', clear: true },
    ])
      expect((await put(admin, change)).body).toMatchObject({
        ...{ success: false, code: 'option-in-use', message: '请先关闭 GitHub OAuth，再清空其配置' },
      });
    // A blank text for a secret only keeps the stored one.
    expect((await put(admin, { key: 'GitHubClientSecret', value: '' })).body.success).toBe(true);
    expect((await put(admin, { key: 'GitHubOAuthEnabled', value: 'false' })).body.success).toBe(true);
    expect((await put(admin, { key: 'GitHubClientId', value: '' })).body.success).toBe(true);
    expect((await put(admin, { key: 'GitHubClientId', value: 'id' })).body.success).toBe(true);
  });

  it('refuses to disable the last sign-in method of the super administrators', async () => {
    const off = { key: 'PasswordLoginEnabled', value: 'false' };
    expect((await put(root, off)).body).toMatchObject({ success: false, code: 'last-sign-in-method' });
    await testBed.em().nativeUpdate(User, { id: root.id }, { githubId: '42' });
    expect((await put(root, off)).body).toMatchObject({ success: false, code: 'last-sign-in-method' });
    await put(root, { key: 'GitHubOAuthEnabled', value: 'true' });
    expect((await put(root, off)).body.success).toBe(true);
    for (const body of [{ username: 'root', password: 'rootroot' }, '{']) {
      const login = await testBed.request('POST', '/api/user/login', { body });
      expect(login.body.message).toBe('管理员关闭了密码登录');
    }
    expect((await put(root, { key: 'GitHubOAuthEnabled', value: 'false' })).body).toMatchObject({
      code: 'last-sign-in-method',
    });
    const broken = [
      { key: 'GitHubClientId', value: '' },
      { key: 'GitHubClientId', value: 'of nobody' },
      { key: 'GitHubClientSecret', value: '', clear: true },
      { key: 'GitHubClientSecret', value: 'wrong' },
    ];
    for (const change of broken)
      expect((await put(root, change)).body).toMatchObject({ success: false, code: 'last-sign-in-method' });
    expect((await put(root, { key: 'GitHubClientId', value: 'id' })).body.success).toBe(true);
    expect((await put(root, { key: 'oidc.client_id', value: '' })).body.success).toBe(true);
    expect((await put(root, { key: 'PasswordLoginEnabled', value: 'true' })).body.success).toBe(true);
    expect((await put(root, { key: 'GitHubOAuthEnabled', value: 'false' })).body.success).toBe(true);
    expect((await put(root, broken[0])).body.success).toBe(true);
    await testBed.em().nativeUpdate(User, { id: root.id }, { githubId: null });
  });

  it('refuses changes by other administrators to the only sign-in provider of a super administrator', async () => {
    const set = async (as: Account, key: string, value: string) => (await put(as, { key, value })).body;
    const places = ['WeChatServerAddress', 'https://bridge.example'] as const;
    await set(root, ...places);
    await set(root, 'WeChatAuthEnabled', 'true');
    await testBed.em().nativeUpdate(User, { id: root.id }, { wechatId: 'wx' });
    // The administrator saved this setting last, so it is not trusted for super administrators.
    await testBed.em().nativeUpdate(Option, { key: 'WeChatServerAddress' }, { updatedBy: admin.id });
    expect(await set(root, 'PasswordLoginEnabled', 'false')).toMatchObject({ code: 'last-sign-in-method' });
    expect((await set(root, ...places)).success).toBe(true);
    expect((await set(root, 'PasswordLoginEnabled', 'false')).success).toBe(true);
    expect(await set(admin, ...places)).toMatchObject({ success: false, code: 'last-sign-in-method' });
    expect(await set(root, 'WeChatServerAddress', '')).toMatchObject({ code: 'last-sign-in-method' });
    expect((await set(root, ...places)).success).toBe(true);
    await set(root, 'PasswordLoginEnabled', 'true');
    await set(root, 'WeChatAuthEnabled', 'false');
    await testBed.em().nativeUpdate(User, { id: root.id }, { wechatId: null });
  });

  it('counts Telegram as a way to sign in only with the name of its bot, which its button needs', async () => {
    const set = async (as: Account, key: string, value: string) => (await put(as, { key, value })).body;
    await set(root, 'TelegramBotToken', '42:secret');
    await set(root, 'TelegramOAuthEnabled', 'true');
    await testBed.em().nativeUpdate(User, { id: root.id }, { telegramId: '9' });
    expect(await set(root, 'PasswordLoginEnabled', 'false')).toMatchObject({ code: 'last-sign-in-method' });
    await set(root, 'TelegramBotName', 'gatebot');
    expect((await set(root, 'PasswordLoginEnabled', 'false')).success).toBe(true);
    for (const name of ['', 'another_bot'])
      expect(await set(admin, 'TelegramBotName', name)).toMatchObject({ code: 'last-sign-in-method' });
    await set(root, 'PasswordLoginEnabled', 'true');
    expect(await set(admin, 'TelegramBotName', '')).toMatchObject({ code: 'option-in-use' });
    await set(root, 'TelegramOAuthEnabled', 'false');
    expect((await set(admin, 'TelegramBotName', '')).success).toBe(true);
    await testBed.em().nativeUpdate(User, { id: root.id }, { telegramId: null });
  });

  it('stores an address without trailing slashes', async () => {
    const textOf = async (key: string) =>
      ((await testBed.request('GET', '/api/option/', { as: root })).body.data as { key: string; value: string }[]).find(
        (row) => row.key === key,
      )?.value;
    for (const [key, typed, kept] of [
      ['WorkerUrl', ' https://worker.example/path// ', 'https://worker.example/path'],
      ['WorkerUrl', '', ''],
      // Written as the provider writes it, with the trailing slash.
      ['oidc.well_known', 'https://id.example/realm/', 'https://id.example/realm/'],
      ['About', 'https://about.example/ \n', 'https://about.example/ \n'],
    ] as const) {
      expect((await put(root, { key, value: typed })).body.success).toBe(true);
      expect(await textOf(key)).toBe(kept);
    }
  });

  it('stores a number without the blanks around it', async () => {
    await put(root, { key: 'RetryTimes', value: ' 3 ' });
    await put(root, { key: 'Price', value: '7.30\n' });
    const options = await list();
    expect(['RetryTimes', 'Price'].map((key) => options.get(key)?.value)).toEqual(['3', '7.30']);
  });

  it('brings the model ratios back to their defaults', async () => {
    await put(admin, { key: 'ModelRatio', value: '{"only-one":1}' });
    const reset = await testBed.request('POST', '/api/option/rest_model_ratio', { as: admin });
    expect(reset.body).toEqual({ success: true, message: '重置模型倍率成功' });
    expect((await list()).get('ModelRatio')).toMatchObject({ value: defaultOptions.ModelRatio, revision: 0 });
    expect(await testBed.em().count(OutboxEvent, { topic: 'option-changed', key: 'ModelRatio' })).toBe(2);
  });

  describe('the discovery document of an OIDC provider', () => {
    const discover = async (url: string, as = admin) =>
      (await testBed.request('POST', '/api/option/oidc_discovery', { as, body: { url } })).body;
    const found = { authorization_endpoint: 'https://id.example/a', token_endpoint: 'https://id.example/t' };
    let provider: Server;
    let address: string;
    let reply: [status: number, body: string];

    beforeAll(async () => {
      provider = createServer((_, response) => response.writeHead(reply[0]).end(reply[1]));
      await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
      // The outbound policy allows `localhost`, but not 127.0.0.1.
      address = `http://localhost:${(provider.address() as AddressInfo).port}/.well-known/openid-configuration`;
    });
    afterAll(() => void provider.close());

    it('is fetched by the server, which returns only the endpoints', async () => {
      reply = [200, JSON.stringify({ ...found, issuer: 'https://id.example', jwks_uri: 'https://id.example/j' })];
      expect(await discover(address)).toMatchObject({ success: true, data: found });
      expect((await discover(address)).data).not.toHaveProperty('issuer');
    });

    it.each([
      ['another page', [200, '<html></html>']],
      ['a document without the first address', [200, '{"token_endpoint":"https://id.example/t"}']],
      ['a refusal', [404, JSON.stringify(found)]],
    ] as [string, [number, string]][])('is refused when it is %s', async (_, answer) => {
      reply = answer;
      expect(await discover(address)).toMatchObject({ success: false, code: 'oidc-discovery-failed' });
    });

    it.each([
      ['cannot be reached', () => 'http://localhost:1/.well-known/openid-configuration'],
      ['sends more than a document', () => address],
    ])('is refused with the documented text when its server %s', async (_, url) => {
      reply = [200, JSON.stringify({ ...found, more: 'x'.repeat(300_000) })];
      expect(await discover(url())).toMatchObject({
        success: false,
        code: 'oidc-discovery-failed',
        message: '获取 OIDC 配置失败，请检查网络状况和 Well-Known URL 是否正确',
      });
    });

    it('is not fetched from addresses that the outbound policy forbids, and only for administrators', async () => {
      reply = [200, JSON.stringify(found)];
      expect(await discover(address.replace('localhost', '127.0.0.1'))).toMatchObject({ code: 'address-not-allowed' });
      expect((await discover('file:///etc/passwd')).success).toBe(false);
      expect((await discover(address, await addUser(testBed, root))).success).toBe(false);
    });
  });

  it('loses no change when several clients write at the same time', async () => {
    const keys = ['SystemName', 'Footer', 'Logo', 'About', 'Notice', 'SMTPServer'] as const;
    const answers = await Promise.all(keys.map((key) => put(admin, { key, value: `/by-${key}` })));
    expect(answers.every(({ body }) => body.success)).toBe(true);
    const { values, revision } = await testBed.internal(getOptions, {});
    for (const key of keys) expect(values[key]).toBe(`/by-${key}`);
    expect(revision).toBe((await testBed.internal(pollIdentity, { usersSince: 0 })).optionRevision);
    expect((await testBed.request('GET', '/api/status')).body.data).toMatchObject({
      system_name: '/by-SystemName',
      logo: '/by-Logo',
    });
  });
});
