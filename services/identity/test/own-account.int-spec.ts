import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { resolveAccessToken, resolveUsers } from '@tollgate/contracts';
import { inFreshContext } from '@tollgate/chassis';
import { OutboxEvent } from '@tollgate/database';
import { hasPostgres } from '@tollgate/testing';
import { AttemptLimit } from '../src/credential/attempt-limit.js';
import { User } from '../src/user/user.entity.js';
import { type Account, addUser, setUp, type TestBed, startIdentity } from './test-bed.js';

type Added = Awaited<ReturnType<typeof addUser>>;

(hasPostgres() ? describe : describe.skip)('settings and access token of a user', () => {
  let testBed: TestBed;
  let root: Account;

  beforeAll(async () => {
    testBed = await startIdentity();
    root = await setUp(testBed);
  }, 60_000);
  afterAll(() => testBed.stop());

  it.each([
    ['its owner', (as: Added) => ({ path: '/api/user/self', as, body: { original_password: as.password } })],
    ['an administrator', ({ id }: Added) => ({ path: '/api/user/', as: root, body: { id } })],
  ])('revokes the system access token when %s changes the password, and on no other change', async (_, change) => {
    const user = await addUser(testBed, root);
    const accessToken = (await testBed.request('GET', '/api/user/token', { as: user })).body.data as string;
    const owner = async () => (await testBed.internal(resolveAccessToken, { accessToken })).userId;
    const { path, as, body } = change(user);
    const put = (more: object) => testBed.request('PUT', path, { as, body: { ...body, ...more } });
    expect((await put({ display_name: 'x' })).body.success).toBe(true);
    expect(await owner()).toBe(user.id);
    expect((await put({ password: 'another password' })).body.success).toBe(true);
    expect(await owner()).toBeNull();
  });

  it('does not let a new password replace one that somebody else set while it was checked', async () => {
    const user = await addUser(testBed, root);
    const attempts = testBed.own(AttemptLimit);
    // Called when the current password was found right.
    const forget = jest.spyOn(attempts, 'forget').mockImplementationOnce(async () => {
      const body = { id: user.id, password: 'of the admin' };
      const set = await inFreshContext(() => testBed.request('PUT', '/api/user/', { as: root, body }));
      expect(set.body).toMatchObject({ success: true });
    });
    const change = { password: 'of a thief', original_password: user.password };
    const { body, headers } = await testBed.request('PUT', '/api/user/self', { as: user, body: change });
    expect(forget).toHaveBeenCalledWith('original-password', String(user.id));
    forget.mockRestore();
    expect(body).toMatchObject({
      success: false,
      code: 'original-password-wrong',
      fields: [{ path: 'original_password' }],
    });
    expect(headers['set-cookie']).toBeUndefined();
    const login = async (password: string) =>
      (await testBed.request('POST', '/api/user/login', { body: { username: user.username, password } })).body.success;
    expect([await login('of a thief'), await login('of the admin')]).toEqual([false, true]);
  });

  it('does not let super administrators change their own password as administrators without the current one', async () => {
    const edit = async (body: object) =>
      (await testBed.request('PUT', '/api/user/', { as: root, body: { id: root.id, ...body } })).body;
    const login = async (password: string) =>
      (await testBed.request('POST', '/api/user/login', { body: { username: 'root', password } })).body.success;
    const password = 'taken1234';
    const before = await testBed.em().findOneOrFail(User, root.id);
    expect(await edit({ password, display_name: 'Taken' })).toMatchObject({
      code: 'original-password-missing',
      message: '请输入原密码',
      fields: [{ path: 'original_password' }],
    });
    expect(await edit({ password, display_name: 'Taken', original_password: 'a guess' })).toMatchObject({
      code: 'original-password-wrong',
      message: '原密码错误',
    });
    expect(await testBed.em().findOneOrFail(User, root.id)).toMatchObject({
      passwordHash: before.passwordHash,
      displayName: before.displayName,
    });
    expect((await edit({ display_name: 'Root', password: '' })).success).toBe(true);
    expect((await edit({ password, original_password: 'rootroot' })).success).toBe(true);
    expect([await login('rootroot'), await login(password)]).toEqual([false, true]);
  });

  it('limits guesses at the current password of a super administrator, whichever call makes them', async () => {
    const original = 'original-password';
    await testBed.own(AttemptLimit).forget(original, String(root.id));
    await testBed.guess(10, original, String(root.id));
    const body = { id: root.id, password: 'taken5678', original_password: 'taken1234' };
    const refused = await testBed.request('PUT', '/api/user/', { as: root, body });
    await testBed.own(AttemptLimit).forget(original, String(root.id));
    expect(refused.body).toMatchObject({ success: false, code: 'too-many-attempts' });
  });

  it('shows the system access token once, and stores nothing that contains it', async () => {
    const user = await addUser(testBed, root);
    const issue = async () => (await testBed.request('GET', '/api/user/token', { as: user })).body.data as string;
    const first = await issue();
    const second = await issue();
    expect(second).toMatch(/^[\w-]{32}$/);
    const ownerOf = async (accessToken: string) => (await testBed.internal(resolveAccessToken, { accessToken })).userId;
    expect([await ownerOf(first), await ownerOf(second), await ownerOf('')]).toEqual([null, user.id, null]);

    const stored = await testBed.em().execute<object[]>('select * from "users" where "id" = ?', [user.id]);
    const texts = [
      JSON.stringify(stored),
      ...(await Promise.all(
        [
          ['/api/user/self', user],
          ['/api/user/', root],
          ['/api/user/search', root],
          [`/api/user/${user.id}`, root],
        ].map(async ([path, as]) =>
          JSON.stringify((await testBed.request('GET', path as string, { as: as as Account })).body),
        ),
      )),
      JSON.stringify(await testBed.em().find(OutboxEvent, {})),
    ];
    for (const text of texts) {
      expect(text).not.toContain(second);
    }
    for (const text of texts.slice(1)) expect(text).not.toMatch(/access_token|accessToken|password_hash|argon2id/);

    await testBed.request('POST', '/api/user/manage', { as: root, body: { id: user.id, action: 'delete' } });
    expect(await ownerOf(second)).toBeNull();
  });

  it('stores the settings completely, with the webhook secret encrypted and never returned', async () => {
    const user = await addUser(testBed, root);
    const put = (body: object) => testBed.request('PUT', '/api/user/setting', { as: user, body });
    const settingOf = async () => {
      const self = await testBed.request('GET', '/api/user/self', { as: user });
      return JSON.parse((self.body.data as { setting: string }).setting) as Record<string, unknown>;
    };
    const webhook = {
      notify_type: 'webhook',
      quota_warning_threshold: 100_000,
      webhook_url: 'https://203.0.113.7/hook',
    };
    const refusals: [object, string][] = [
      [{ notify_type: 'pigeon', quota_warning_threshold: 1 }, '无效的预警类型'],
      [{ notify_type: 'email', quota_warning_threshold: 0 }, '预警阈值必须大于0'],
      [{ notify_type: 'email', quota_warning_threshold: 1, notification_email: 'nowhere' }, '无效的邮箱地址'],
      [{ notify_type: 'webhook', quota_warning_threshold: 1 }, 'Webhook地址不能为空'],
      [{ ...webhook, webhook_url: 'http://example.com' }, '无效的Webhook地址'],
      [{ ...webhook, webhook_url: 'https://me:secret@203.0.113.7/hook' }, '无效的Webhook地址'],
    ];
    for (const [body, message] of refusals) expect((await put(body)).body).toMatchObject({ success: false, message });
    for (const host of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', 'localhost']) {
      expect((await put({ ...webhook, webhook_url: `https://${host}/hook` })).body).toMatchObject({
        success: false,
        code: 'address-not-allowed',
        fields: [{ path: 'webhook_url', code: 'address-not-allowed' }],
        message: `不允许访问该地址：${host.replace(/^\[|\]$/g, '')}`,
      });
    }
    expect(await settingOf()).toEqual({});

    const publicHook = { ...webhook, webhook_url: 'https://8.8.8.8/hook', webhook_secret: 'hush-hush' };
    expect((await put(publicHook)).body).toEqual({ success: true, message: '设置已更新' });
    expect(await settingOf()).toEqual({
      notify_type: 'webhook',
      quota_warning_threshold: 100_000,
      webhook_url: 'https://8.8.8.8/hook',
      webhook_secret_set: true,
      accept_unset_model_ratio_model: false,
    });
    const sealed = async () => (await testBed.em().findOneOrFail(User, user.id)).sealedWebhookSecret;
    expect(await sealed()).not.toContain('hush');
    expect(testBed.host.secrets.decrypt('webhook-secret', (await sealed()) ?? '')).toBe('hush-hush');
    const known = async () => (await testBed.internal(resolveUsers, { ids: [user.id] })).users[0];
    expect(await known()).toMatchObject({ quotaWarningThreshold: 100_000 });
    expect(await known()).not.toHaveProperty('canBeNotified');

    await put({ ...publicHook, webhook_secret: undefined });
    expect(await settingOf()).toMatchObject({ webhook_secret_set: true });
    await put({ ...publicHook, webhook_secret: '' });
    expect(await settingOf()).toMatchObject({ webhook_secret_set: false });
    await put({ notify_type: 'email', quota_warning_threshold: '5', accept_unset_model_ratio_model: true });
    expect(await settingOf()).toEqual({
      notify_type: 'email',
      quota_warning_threshold: 5,
      accept_unset_model_ratio_model: true,
    });
    expect(await known()).toMatchObject({ canBeNotified: false });
    await put({ notify_type: 'email', quota_warning_threshold: 5, notification_email: 'ann@example.com' });
    expect(await known()).not.toHaveProperty('canBeNotified');
  });

  it('does not keep the webhook secret for another address', async () => {
    const user = await addUser(testBed, root);
    const put = (webhook_url: string, more: object = {}) =>
      testBed.request('PUT', '/api/user/setting', {
        as: user,
        body: { notify_type: 'webhook', quota_warning_threshold: 5000, webhook_url, ...more },
      });
    const secret = async () => {
      const { sealedWebhookSecret: sealed } = await testBed.em().findOneOrFail(User, user.id);
      return sealed == null ? null : testBed.host.secrets.decrypt('webhook-secret', sealed);
    };
    const [first, second] = ['https://8.8.8.8/first', 'https://8.8.8.8/second'];
    await put(first, { webhook_secret: 'hush-hush' });
    await put(first);
    expect(await secret()).toBe('hush-hush');
    expect((await put(second)).body.success).toBe(true);
    expect(await secret()).toBeNull();
    await put(first, { webhook_secret: 'of the first' });
    await put(second, { webhook_secret: 'of the second' });
    expect(await secret()).toBe('of the second');
  });
});
