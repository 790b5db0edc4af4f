import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type ApiReply, passwordOf, type Person, readUntil, ROOT, type TestBed, startTestBed } from '@tollgate/testing';
import { Secret, TOTP } from 'otpauth';
import { USER_FIELDS } from './fields.js';
import {
  expectCleanErrorReply,
  expectFields,
  expectErrorReply,
  expectSuccess,
  plain,
  proofOf,
  spellings,
} from './support.js';

describe('the own account', () => {
  let testBed: TestBed;
  let user: Person;
  beforeAll(async () => {
    testBed = await startTestBed(allServices);
    user = await testBed.user('someone', 5000);
  }, 120_000);
  afterAll(() => testBed?.close());

  const password = (name: string): string => `${name} has a password`.slice(0, 20);
  const self = (person = user): Promise<Record<string, unknown>> => person.data('GET', '/api/user/self');
  const edit = (body: unknown, person = user): Promise<ApiReply> => person.call('PUT', '/api/user/self', body);

  describe('GET /api/user/self', () => {
    it.each(spellings('/api/user/self'))('%s returns every documented field and no secret', async (path) => {
      const reply = await user.call('GET', path);
      expectSuccess(reply);
      expectFields(reply.body.data, USER_FIELDS);
      expect(reply.body.data).toMatchObject({
        id: user.id,
        username: 'someone',
        role: 1,
        status: 1,
        group: 'default',
        quota: 5000,
        used_quota: 0,
        request_count: 0,
        inviter_id: 0,
        DeletedAt: null,
      });
      expect(Object.keys(reply.body.data as object)).not.toContain('access_token');
      expect(JSON.stringify(reply.body)).not.toMatch(/argon2|passwordHash|session_version/);
    });
  });

  describe('PUT /api/user/self', () => {
    it.each(spellings('/api/user/self'))('%s changes fields that are not empty', async (path) => {
      expectSuccess(await user.call('PUT', path, { display_name: '改名 %_\\ 😀' }));
      expect(await self()).toMatchObject({ username: 'someone', display_name: '改名 %_\\ 😀' });
      expectSuccess(await user.call('PUT', path, { username: '', display_name: '', password: '' }));
      expect(await self()).toMatchObject({ username: 'someone', display_name: '改名 %_\\ 😀' });
      expectSuccess(await user.call('PUT', path, {}));
    });

    it('changes no field that users may not change', async () => {
      expectSuccess(
        await edit({
          id: 1,
          role: 100,
          status: 2,
          quota: 999_999,
          group: 'vip',
          used_quota: 7,
          aff_quota: 9,
          email: 'x@example.com',
          inviter_id: 1,
          display_name: 'Honest',
        }),
      );
      expect(await self()).toMatchObject({
        id: user.id,
        role: 1,
        status: 1,
        quota: 5000,
        group: 'default',
        used_quota: 0,
        aff_quota: 0,
        email: '',
        inviter_id: 0,
        display_name: 'Honest',
      });
    });

    it.each([
      ['a display name of 21', { display_name: 'x'.repeat(21) }, '输入不合法 显示名称最多 20 个字符'],
      ['a display name with a NUL', { display_name: 'a\0b' }, '输入不合法 显示名称包含不可见字符'],
      ['a display name that is a number', { display_name: 7 }, '无效的参数'],
      ['a name of 13', { username: 'a'.repeat(13) }, '输入不合法 用户名最多 12 个字符'],
      ['a name that is taken', { username: 'root' }, '用户名已存在，或已注销'],
      ['a password of 7', { password: '1234567', original_password: password('someone') }, '密码长度不得小于 8 位！'],
      ['a password without the present one', { password: 'brand-new-1' }, '请输入原密码'],
      ['a password with a wrong present one', { password: 'brand-new-1', original_password: 'not it' }, '原密码错误'],
      [
        'a password that is a list',
        { password: ['brand-new-1'], original_password: password('someone') },
        '无效的参数',
      ],
    ])('refuses %s and changes nothing', async (_, body, message) => {
      const before = await self();
      expectErrorReply(await edit(body), message);
      expect(await self()).toEqual(before);
    });

    it('changes the name, which can sign in at once', async () => {
      const renamed = await testBed.user('oldname', 0);
      expectSuccess(await edit({ username: '新名字' }, renamed));
      const again = testBed.visitor();
      await again.signIn('新名字', password('oldname'));
      expect(again.id).toBe(renamed.id);
    });

    it('ends all other sessions when the password changes', async () => {
      const here = await testBed.user('changer', 0);
      const there = testBed.visitor();
      await there.signIn('changer', password('changer'));
      expectSuccess(await edit({ password: 'brand-new-1', original_password: password('changer') }, here));
      expectSuccess(await here.call('GET', '/api/user/self'));
      expect((await there.call('GET', '/api/user/self')).status).toBe(401);
      await expect(there.signIn('changer', password('changer'))).rejects.toThrow('用户名或密码错误，或用户已被封禁');
      await there.signIn('changer', 'brand-new-1');
    });
  });

  describe('DELETE /api/user/self', () => {
    it.each(spellings('/api/user/self'))(
      '%s deletes the account permanently, with its sessions and tokens',
      async (path) => {
        const name = path.endsWith('/') ? 'leaver2' : 'leaver1';
        const leaver = await testBed.user(name, 100);
        const token = await leaver.data<string>('GET', '/api/user/token');
        const key = await testBed.token(leaver);
        const cookie = leaver.cookie;
        expectSuccess(await leaver.call('DELETE', path));
        leaver.cookie = cookie;
        expect((await leaver.call('GET', '/api/user/self')).status).toBe(401);
        expectErrorReply(
          await leaver.call('GET', '/api/user/self', undefined, { cookie: '', authorization: token }),
          '无权进行此操作，access token 无效',
        );
        await expect(testBed.visitor().signIn(name, password(name))).rejects.toThrow('用户名或密码错误');
        const models = await plain(testBed, 'GET', '/v1/models', { headers: { authorization: `Bearer ${key}` } });
        expect(models.status).toBeGreaterThanOrEqual(401);
        expect(
          (
            await testBed.root.data<{ items: { DeletedAt: string | null }[] }>(
              'GET',
              `/api/user/search?keyword=${name}`,
            )
          ).items[0]?.DeletedAt,
        ).toMatch(/^\d{4}-\d\d-\d\dT/);
      },
    );

    it('refuses the super administrator', async () => {
      expectErrorReply(await testBed.root.call('DELETE', '/api/user/self'), '不能删除超级管理员账户');
      expectSuccess(await testBed.root.call('GET', '/api/user/self'));
    });
  });

  describe('a second factor that the operator requires', () => {
    const codeOf = (secret: string, ms = Date.now()): string =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });
    const enrol = async (person: Person, password: string): Promise<string> => {
      const { secret } = await person.data<{ secret: string }>('POST', '/api/user/self/2fa/setup', { password });
      await person.data('POST', '/api/user/self/2fa/enable', { code: codeOf(secret) });
      return secret;
    };

    it('is required for every call with a session, and not with an access token', async () => {
      const member = await testBed.user('factorless', 0);
      const token = await member.data<string>('GET', '/api/user/token');
      const secret = await enrol(testBed.root, ROOT.password);
      const demand = (value: string) =>
        testBed.root.data('PUT', '/api/option/', { key: 'SecondFactorRequiredFor', value });
      await demand('everybody');
      try {
        await readUntil(
          () => member.call('GET', '/api/token/'),
          ({ body }) => !body.success,
        );
        for (const path of ['/api/token/', '/api/user/models', '/api/log/self', '/api/live', '/api/user/token'])
          expectErrorReply(await member.call('GET', path), '管理员要求启用两步验证，请先完成设置');
        const chat = await member.call('POST', '/pg/chat/completions', { model: 'gpt-4o', messages: [] });
        expectErrorReply(chat, '管理员要求启用两步验证，请先完成设置', 403);
        expect(await self(member)).toMatchObject({ must_set_two_factor: true });
        expectSuccess(await member.call('GET', '/api/token/', undefined, { cookie: '', authorization: token }));
        await enrol(member, passwordOf('factorless'));
        expectSuccess(await member.call('GET', '/api/token/'));
      } finally {
        await demand('nobody');
        const code = codeOf(secret, Date.now() + 30_000);
        await testBed.root.data('POST', '/api/user/self/2fa/disable', { password: ROOT.password, code });
      }
    });
  });

  describe('GET /api/user/token', () => {
    it.each(spellings('/api/user/token'))('%s returns a new token of 28 to 32 characters each time', async (path) => {
      const [first, second] = [await user.data<string>('GET', path), await user.data<string>('GET', path)];
      for (const token of [first, second]) expect(token).toMatch(/^[\w+/=-]{28,32}$/);
      expect(first).not.toBe(second);
      const everything = await Promise.all([
        user.call('GET', '/api/user/self'),
        testBed.root.call('GET', '/api/user/'),
        testBed.root.call('GET', `/api/user/${user.id}`),
      ]);
      expect(JSON.stringify(everything.map(({ body }) => body))).not.toContain(second);
    });
  });

  describe('invitations', () => {
    it.each(spellings('/api/user/aff'))('GET %s returns the same code for the account each time', async (path) => {
      const code = await user.data<string>('GET', path);
      expect(code).toMatch(/^[A-Za-z\d]{4,32}$/);
      expect(await user.data('GET', path)).toBe(code);
      expect((await self())['aff_code']).toBe(code);
      expect(await testBed.root.data('GET', path)).not.toBe(code);
    });

    it.each([
      ['nothing', {}],
      ['zero', { quota: 0 }],
      ['a negative amount', { quota: -500_000 }],
      ['a fraction', { quota: 500_000.5 }],
      ['a text', { quota: '500000' }],
      ['NaN as text', { quota: 'NaN' }],
      ['null', { quota: null }],
      ['a list', { quota: [500_000] }],
      ['more than a safe integer', { quota: 1e17 }],
    ])('POST /api/user/aff_transfer refuses %s', async (_, body) => {
      expectErrorReply(await user.call('POST', '/api/user/aff_transfer', body), '无效的参数');
    });

    it('transfer rewards of at least one unit of currency to the balance', async () => {
      for (const [key, value] of [
        ['QuotaForInviter', '700000'],
        ['QuotaForInvitee', '1'],
      ])
        await testBed.root.data('PUT', '/api/option/', { key, value });
      const inviter = await testBed.user('rewarded', 0);
      const code = await inviter.data<string>('GET', '/api/user/aff');
      expectSuccess(
        await testBed
          .visitor()
          .call('POST', '/api/user/register', { username: 'guest', password: '12345678', aff_code: code }),
      );
      const transfer = (quota: number): Promise<ApiReply> => inviter.call('POST', '/api/user/aff_transfer', { quota });
      expectErrorReply(await transfer(499_999), '划转失败 转移额度最小为＄1.000000 额度！');
      expectErrorReply(await transfer(700_001), '划转失败 邀请额度不足！');
      expectSuccess(await transfer(600_000), '划转成功');
      expect(await self(inviter)).toMatchObject({
        quota: 600_000,
        aff_quota: 100_000,
        aff_history_quota: 700_000,
        aff_count: 1,
      });
      await testBed.root.data('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'false' });
      expectErrorReply(await transfer(1), '划转失败 转移额度最小为500000 点额度！');
      await testBed.root.data('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'true' });
    });

    it('transfer a reward once for simultaneous requests', async () => {
      const inviter = await testBed.user('racer', 0);
      const code = await inviter.data<string>('GET', '/api/user/aff');
      expectSuccess(
        await testBed
          .visitor()
          .call('POST', '/api/user/register', { username: 'guest2', password: '12345678', aff_code: code }),
      );
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => inviter.call('POST', '/api/user/aff_transfer', { quota: 600_000 })),
      );
      expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
      expect(await self(inviter)).toMatchObject({ quota: 600_000, aff_quota: 100_000 });
    });
  });

  describe('PUT /api/user/setting', () => {
    const EMAIL = {
      notify_type: 'email',
      quota_warning_threshold: 100_000,
      notification_email: 'me@example.com',
      accept_unset_model_ratio_model: true,
    };
    const HOOK = {
      notify_type: 'webhook',
      quota_warning_threshold: 500_000.5,
      webhook_url: 'https://hooks.example.com/a?b=c',
      webhook_secret: 'hush-hush',
      accept_unset_model_ratio_model: false,
    };
    const save = (body: unknown): Promise<ApiReply> => user.call('PUT', '/api/user/setting', body);
    const setting = async (): Promise<Record<string, unknown>> =>
      JSON.parse(String((await self())['setting'])) as Record<string, unknown>;

    it('stores only the fields of the chosen kind of notification', async () => {
      expectSuccess(await save(EMAIL), '设置已更新');
      expect(await setting()).toEqual(EMAIL);
      expectSuccess(await user.call('PUT', '/api/user/setting/', HOOK), '设置已更新');
      const { webhook_secret: _, ...shown } = HOOK;
      expect(await setting()).toMatchObject(shown);
      expect(await setting()).not.toHaveProperty('notification_email');
      const seen = await Promise.all([
        user.call('GET', '/api/user/self'),
        testBed.root.call('GET', `/api/user/${user.id}`),
        testBed.root.call('GET', '/api/user/?page_size=100'),
      ]);
      expect(JSON.stringify(seen.map(({ body }) => body))).not.toContain('hush-hush');
      expectSuccess(await save(EMAIL), '设置已更新');
      expect(await setting()).not.toHaveProperty('webhook_url');
    });

    it('takes null for an absent field', async () => {
      expectSuccess(await save(HOOK), '设置已更新');
      const secret = { webhook_secret: null, notification_email: null };
      expectSuccess(await save({ ...HOOK, ...secret, accept_unset_model_ratio_model: null }), '设置已更新');
      expect(await setting()).toMatchObject({ webhook_secret_set: true, accept_unset_model_ratio_model: false });
    });

    it('does not check what belongs to the other kind', async () => {
      expectSuccess(await save({ ...EMAIL, webhook_url: 'nowhere' }), '设置已更新');
      expectSuccess(await save({ ...HOOK, notification_email: 'nobody' }), '设置已更新');
      expect(await setting()).not.toHaveProperty('notification_email');
    });

    it('refuses to overwrite a change that the caller has not seen', async () => {
      expectSuccess(await save(EMAIL), '设置已更新');
      const stale = { webhook_url: 'https://hooks.example.com/', notification_email: EMAIL.notification_email };
      const refused = await save({ ...EMAIL, quota_warning_threshold: 7, expected: stale });
      expectErrorReply(refused, '设置已在别处被修改，请刷新后重试');
      expect(refused.body).toMatchObject({ code: 'setting-changed-meanwhile', kind: 'conflict' });
      expect(refused.body.fields).toEqual([{ path: 'webhook_url', code: 'setting-changed-meanwhile' }]);
      expect(await setting()).toEqual(EMAIL);
      const seen = { ...EMAIL, webhook_url: null, webhook_secret_set: null };
      expectSuccess(await save({ ...EMAIL, quota_warning_threshold: 7, expected: seen }), '设置已更新');
      expect(await setting()).toEqual({ ...EMAIL, quota_warning_threshold: 7 });
      expectErrorReply(await save({ ...EMAIL, expected: { notify_type: 1 } }), '无效的参数');
    });

    it.each([
      ['no kind', { ...EMAIL, notify_type: undefined }, '无效的预警类型'],
      ['an unknown kind', { ...EMAIL, notify_type: 'pigeon' }, '无效的预警类型'],
      ['no threshold', { ...EMAIL, quota_warning_threshold: undefined }, '预警阈值必须大于0'],
      ['a threshold of zero', { ...EMAIL, quota_warning_threshold: 0 }, '预警阈值必须大于0'],
      ['a negative threshold', { ...EMAIL, quota_warning_threshold: -1 }, '预警阈值必须大于0'],
      ['a threshold that is no number', { ...EMAIL, quota_warning_threshold: 'abc' }, '预警阈值必须大于0'],
      ['a threshold that is true', { ...EMAIL, quota_warning_threshold: true }, '预警阈值必须大于0'],
      ['a threshold that is a list', { ...EMAIL, quota_warning_threshold: [5] }, '预警阈值必须大于0'],
      ['an address without @', { ...EMAIL, notification_email: 'nobody' }, '无效的邮箱地址'],
      ['two addresses', { ...EMAIL, notification_email: 'a@example.com,b@example.com' }, '无效的邮箱地址'],
      ['a webhook without an address', { ...HOOK, webhook_url: '' }, 'Webhook地址不能为空'],
      ['a webhook without any address', { ...HOOK, webhook_url: '', notification_email: 'no' }, 'Webhook地址不能为空'],
      ['a webhook that is none', { ...HOOK, webhook_url: 'hooks.example.com' }, '无效的Webhook地址'],
      ['a webhook without TLS', { ...HOOK, webhook_url: 'http://hooks.example.com/' }, '无效的Webhook地址'],
      ['a webhook with a blank', { ...HOOK, webhook_url: 'https://hooks.example.com/a b' }, '无效的Webhook地址'],
    ])('refuses %s', async (_, body, message) => {
      const before = await setting();
      expectErrorReply(await save(body), message);
      expect(await setting()).toEqual(before);
    });

    it.each([
      'https://127.0.0.1/',
      'https://localhost/',
      'https://10.0.0.8/x',
      'https://169.254.169.254/latest',
      'https://[::1]/',
      'https://2130706433/',
    ])('refuses %s, which is not a public address', async (url) => {
      expectCleanErrorReply(await save({ ...HOOK, webhook_url: url }));
    });
  });

  it('refuses a deeply nested JSON body as invalid', async () => {
    const reply = await plain(testBed, 'PUT', '/api/user/self', {
      headers: { ...proofOf(user), 'content-type': 'application/json' },
      body: '['.repeat(100_000),
    });
    expect([reply.status, (JSON.parse(reply.text) as { message: string }).message]).toEqual([200, '无效的参数']);
  });
});
