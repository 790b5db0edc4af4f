import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type ApiReply, Person, readUntil, type TestBed, startTestBed } from '@tollgate/testing';
import { USER_FIELDS } from './fields.js';
import {
  expectCleanErrorReply,
  expectFields,
  expectErrorReply,
  expectSuccess,
  makeAdmin,
  NO_IDS,
  spellings,
} from './support.js';

interface UserPage {
  items: Record<string, unknown>[];
  total: number;
  page: number;
  page_size: number;
}

describe('user administration', () => {
  let testBed: TestBed;
  let root: Person;
  let admin: Person;
  let otherAdmin: Person;
  let user: Person;

  beforeAll(async () => {
    testBed = await startTestBed(allServices);
    ({ root } = testBed);
    [admin, otherAdmin, user] = await Promise.all([
      makeAdmin(testBed, 'admin'),
      makeAdmin(testBed, 'otheradmin'),
      testBed.user('user', 500),
    ]);
  }, 120_000);
  afterAll(() => testBed?.close());

  let count = 0;
  const fresh = (quota = 0): Promise<Person> => testBed.user(`fresh${(count += 1)}`, quota);
  const edit = (body: unknown, person = root): Promise<ApiReply> => person.call('PUT', '/api/user/', body);
  const manage = (id: unknown, action: unknown, person = root): Promise<ApiReply> =>
    person.call('POST', '/api/user/manage', { id, action });
  const read = (id: number): Promise<Record<string, unknown>> => root.data('GET', `/api/user/${id}`);
  const search = (query: string): Promise<UserPage> => admin.data('GET', `/api/user/search?${query}`);

  it.each([
    ['GET', '/api/user/'],
    ['GET', '/api/user/search'],
    ['GET', '/api/user/1'],
    ['POST', '/api/user/'],
    ['PUT', '/api/user/'],
    ['POST', '/api/user/manage'],
    ['DELETE', '/api/user/1'],
  ] as const)('%s %s is for administrators, in both spellings', async (method, path) => {
    for (const spelling of spellings(path)) {
      expectErrorReply(
        await user.call(method, spelling, method === 'GET' || method === 'DELETE' ? undefined : {}),
        '无权进行此操作，权限不足',
      );
      expectErrorReply(
        await new Person(testBed.url).call(method, spelling),
        '无权进行此操作，未登录且未提供 access token',
        401,
      );
    }
  });

  describe('GET /api/user/:id', () => {
    it('returns a user to users of higher rank', async () => {
      for (const path of spellings(`/api/user/${user.id}`)) {
        const reply = await admin.call('GET', path);
        expectSuccess(reply);
        expectFields(reply.body.data, USER_FIELDS);
        expect(reply.body.data).toMatchObject({ id: user.id, username: 'user', quota: 500 });
      }
      expectSuccess(await root.call('GET', '/api/user/1'));
      for (const id of [1, admin.id, otherAdmin.id])
        expectErrorReply(await admin.call('GET', `/api/user/${id}`), '无权获取同级或更高等级用户的信息');
    });

    it.each(NO_IDS)('refuses the id %s', async (id) => {
      expectCleanErrorReply(await root.call('GET', `/api/user/${id}`));
    });
  });

  describe('POST /api/user/', () => {
    it.each(spellings('/api/user/'))('%s creates a user of role 1', async (path) => {
      const username = path.endsWith('/') ? ' made2 ' : 'made1';
      await root.data('PUT', '/api/option/', { key: 'QuotaForNewUser', value: '77' });
      expectSuccess(await admin.call('POST', path, { username, password: '12345678' }));
      const [made] = (await search(`keyword=${username.trim()}`)).items;
      expect(made).toMatchObject({
        username: username.trim(),
        display_name: username.trim(),
        role: 1,
        status: 1,
        group: 'default',
        quota: 77,
        inviter_id: 0,
      });
      await root.data('PUT', '/api/option/', { key: 'QuotaForNewUser', value: '0' });
    });

    it('ignores role and other fields that are not part of the form', async () => {
      expectSuccess(
        await root.call('POST', '/api/user/', {
          username: 'ranked',
          password: '12345678',
          display_name: '等级',
          role: 10,
          quota: 5_000_000,
          status: 2,
          group: 'vip',
          id: 1,
        }),
      );
      expect((await search('keyword=ranked')).items[0]).toMatchObject({
        role: 1,
        quota: 0,
        status: 1,
        group: 'default',
        display_name: '等级',
      });
    });

    it.each([
      ['an empty name', { username: '' }, '用户名和密码不能为空！'],
      ['a blank name', { username: '  ' }, '用户名和密码不能为空！'],
      ['no name', { username: undefined }, '用户名和密码不能为空！'],
      ['an empty password', { password: '' }, '用户名和密码不能为空！'],
      ['no password', { password: undefined }, '用户名和密码不能为空！'],
      ['a short password', { password: '1234567' }, '密码长度不得小于 8 位！'],
      ['a long password', { password: 'x'.repeat(21) }, '输入不合法 密码最多 20 个字符'],
      ['a long name', { username: 'a'.repeat(13) }, '输入不合法 用户名最多 12 个字符'],
      ['a long display name', { display_name: 'x'.repeat(21) }, '输入不合法 显示名称最多 20 个字符'],
      ['a display name with a NUL', { display_name: 'a\0b' }, '输入不合法 显示名称包含不可见字符'],
      ['a name that is taken', { username: 'user' }, '用户名已存在，或已注销'],
      ['a name that is taken in another case', { username: 'USER' }, '用户名已存在，或已注销'],
      ['the own rank', { role: 10 }, '无法创建权限大于等于自己的用户'],
      ['a rank above', { role: 100 }, '无法创建权限大于等于自己的用户'],
      ['a rank that is a text', { role: 'x' }, '无效的参数'],
    ])('refuses %s', async (_, change, message) => {
      expectErrorReply(
        await admin.call('POST', '/api/user/', { username: 'refused', password: '12345678', ...change }),
        message,
      );
    });
  });

  describe('PUT /api/user/', () => {
    it.each(spellings('/api/user/'))('%s changes the fields that are sent, and keeps the others', async (path) => {
      const target = await fresh(1234);
      const { username } = await read(target.id);
      expectSuccess(await admin.call('PUT', path, { id: target.id, display_name: '新 😀' }));
      expect(await read(target.id)).toMatchObject({ username, display_name: '新 😀', group: 'default', quota: 1234 });
      expectSuccess(await admin.call('PUT', path, { id: target.id, group: 'vip' }));
      expectSuccess(await admin.call('PUT', path, { id: target.id, quota: 0 }));
      expect(await read(target.id)).toMatchObject({ display_name: '新 😀', group: 'vip', quota: 0 });
    });

    it('refuses a body with a duplicate field', async () => {
      const target = await fresh(10);
      const body = `{"id":${target.id},"display_name":"Twice","quota_delta":5,"quota_delt\\u0061":500000}`;
      expectErrorReply(await admin.call('PUT', '/api/user/', body), '字段 quota_delta 不能重复');
      expect(await read(target.id)).toMatchObject({ quota: 10 });
    });

    it('accepts a whole user as it was read', async () => {
      const target = await fresh(10);
      const whole = await read(target.id);
      expectSuccess(
        await admin.call('PUT', '/api/user/', { ...whole, password: '', quota: 25, display_name: 'Whole' }),
      );
      expect(await read(target.id)).toEqual({ ...whole, quota: 25, display_name: 'Whole' });
    });

    it('accepts a whole user as it was read, also when the wallet is overdrawn', async () => {
      const target = await fresh(10);
      expectSuccess(await edit({ id: target.id, quota_delta: -25 }));
      const whole = await read(target.id);
      expect(whole).toMatchObject({ quota: -15 });
      expectSuccess(await admin.call('PUT', '/api/user/', { ...whole, password: '', display_name: 'Overdrawn' }));
      expect(await read(target.id)).toEqual({ ...whole, display_name: 'Overdrawn' });
      expectErrorReply(await admin.call('PUT', '/api/user/', { ...whole, password: '', quota: -14 }), '额度不能为负数');
    });

    it('never changes rank, status, spending, invitations or address', async () => {
      const target = await fresh(10);
      expectSuccess(
        await edit({
          id: target.id,
          role: 10,
          status: 2,
          used_quota: 5,
          request_count: 5,
          aff_quota: 5,
          aff_count: 5,
          inviter_id: 1,
          email: 'x@example.com',
          DeletedAt: '2020-01-01',
        }),
      );
      expect(await read(target.id)).toMatchObject({
        role: 1,
        status: 1,
        used_quota: 0,
        request_count: 0,
        aff_quota: 0,
        aff_count: 0,
        inviter_id: 0,
        email: '',
        DeletedAt: null,
      });
    });

    it('logs a change of quota for the user with the documented text', async () => {
      const target = await fresh(500_000);
      expectSuccess(await edit({ id: target.id, quota: 1_000_000 }));
      const logs = await readUntil(
        () => target.data<UserPage>('GET', '/api/log/self/?type=3'),
        ({ items }) => items.length >= 2,
      );
      expect(logs.items.map(({ content }) => content)).toContain(
        '管理员将用户额度从 ＄1.000000 额度修改为 ＄2.000000 额度',
      );
    });

    it('sets a new password, and ends the existing sessions', async () => {
      const target = await fresh();
      const { username } = await read(target.id);
      expectSuccess(await admin.call('PUT', '/api/user/', { id: target.id, password: 'set-by-admin' }));
      expect((await target.call('GET', '/api/user/self')).status).toBe(401);
      await target.signIn(String(username), 'set-by-admin');
    });

    it.each([
      ['no id', { id: undefined }, '无效的参数'],
      ['an id of 0', { id: 0 }, '无效的参数'],
      ['a negative id', { id: -1 }, '无效的参数'],
      ['an id that is a word', { id: 'abc' }, '无效的参数'],
      ['an id that is true', { id: true }, '无效的参数'],
      ['an id in a list', { id: [2] }, '无效的参数'],
      ['an id that is a fraction', { id: 2.5 }, '无效的参数'],
      ['an unknown id', { id: 987_654_321 }, '用户不存在'],
      ['an id beyond all', { id: 99_999_999_999 }, '用户不存在'],
      ['a quota that is a text', { quota: 'abc' }, '无效的参数'],
      ['a quota that is a fraction', { quota: 1.5 }, '无效的参数'],
      ['a quota beyond the safe integers', { quota: 2 ** 53 + 2 }, '无效的参数'],
      ['a negative quota', { quota: -1 }, '额度不能为负数'],
      ['a short password', { password: '123' }, '密码长度不得小于 8 位！'],
      ['a long name', { username: 'a'.repeat(13) }, '输入不合法 用户名最多 12 个字符'],
      ['a taken name', { username: 'root' }, '用户名已存在，或已注销'],
      ['a group that is a number', { group: 5 }, '无效的参数'],
      ['a group with a NUL', { group: 'a\0b' }, '无效的参数'],
      ['the rank of the caller', { role: 10 }, '无权将其他用户权限等级提升到大于等于自己的权限等级'],
      ['a rank above the caller', { role: 100 }, '无权将其他用户权限等级提升到大于等于自己的权限等级'],
    ])('refuses %s and changes nothing', async (_, change, message) => {
      const before = await read(user.id);
      expectErrorReply(
        await admin.call('PUT', '/api/user/', { id: user.id, display_name: 'Changed', ...change }),
        message,
      );
      expect(await read(user.id)).toEqual(before);
    });

    it('refuses users of equal or higher rank', async () => {
      for (const id of [1, admin.id, otherAdmin.id]) {
        expectErrorReply(
          await edit({ id, display_name: 'Nobody' }, admin),
          '无权更新同权限等级或更高权限等级的用户信息',
        );
      }
      expectSuccess(await edit({ id: otherAdmin.id, display_name: 'By root' }));
      expectSuccess(await edit({ id: 1, display_name: 'Root User', role: 100 }));
    });
  });

  describe('POST /api/user/manage', () => {
    const REFUSED = '无权更新同权限等级或更高权限等级的用户信息';

    it.each([
      ['disable', 1, 2],
      ['enable', 1, 1],
      ['promote', 10, 1],
      ['demote', 1, 1],
    ])('by root: %s returns role %i and status %i', async (action, role, status) => {
      const target = action === 'demote' ? await makeAdmin(testBed, `demoted${(count += 1)}`) : await fresh();
      const reply = await manage(target.id, action);
      expectSuccess(reply);
      expect(reply.body.data).toEqual({ role, status });
      expect(await read(target.id)).toMatchObject({ role, status });
    });

    it.each([
      ['admin', 'user', 'promote', '普通管理员用户无法提升其他用户为管理员'],
      ['admin', 'user', 'demote', '该用户已经是普通用户'],
      ['admin', 'otherAdmin', 'disable', REFUSED],
      ['admin', 'otherAdmin', 'enable', REFUSED],
      ['admin', 'otherAdmin', 'delete', REFUSED],
      ['admin', 'otherAdmin', 'promote', REFUSED],
      ['admin', 'otherAdmin', 'demote', REFUSED],
      ['admin', 'root', 'disable', REFUSED],
      ['admin', 'root', 'delete', REFUSED],
      ['admin', 'admin', 'demote', REFUSED],
      ['root', 'root', 'disable', '无法禁用超级管理员用户'],
      ['root', 'root', 'delete', '无法删除超级管理员用户'],
      ['root', 'root', 'demote', '无法降级超级管理员用户'],
      ['root', 'root', 'promote', '该用户已经是管理员'],
      ['root', 'admin', 'promote', '该用户已经是管理员'],
    ] as const)('%s on %s: %s is refused', async (caller, target, action, message) => {
      const people = { root, admin, otherAdmin, user };
      expectErrorReply(await manage(people[target].id, action, people[caller]), message);
    });

    it('by an administrator: disables, enables and permanently deletes ordinary users', async () => {
      const target = await fresh();
      expect((await manage(target.id, 'disable', admin)).body.data).toEqual({ role: 1, status: 2 });
      expectErrorReply(await target.call('GET', '/api/user/self'), '用户已被封禁');
      expect((await manage(target.id, 'enable', admin)).body.data).toEqual({ role: 1, status: 1 });
      expectSuccess(await manage(target.id, 'delete', admin));
      expectErrorReply(await manage(target.id, 'enable', admin), '用户不存在');
      expect((await target.call('GET', '/api/user/self')).status).toBe(401);
    });

    it('by root: enables the own account', async () => {
      expect((await manage(1, 'enable')).body.data).toEqual({ role: 100, status: 1 });
    });

    it.each([
      [undefined, 'enable', '无效的参数'],
      [0, 'enable', '无效的参数'],
      ['abc', 'enable', '无效的参数'],
      [true, 'enable', '无效的参数'],
      [[1], 'enable', '无效的参数'],
      [null, 'enable', '无效的参数'],
      [2, 'fly', '无效的参数'],
      [2, '', '无效的参数'],
      [2, undefined, '无效的参数'],
      [2, 'constructor', '无效的参数'],
      [987_654_321, 'enable', '用户不存在'],
      [99_999_999_999, 'enable', '用户不存在'],
    ])('refuses id %j with action %j', async (id, action, message) => {
      expectErrorReply(await manage(id, action), message);
    });

    it('accepts the id as a text of digits', async () => {
      expectSuccess(await manage(String(user.id), 'enable'));
    });
  });

  describe('DELETE /api/user/:id', () => {
    it('deletes only users below the caller in rank', async () => {
      for (const slash of ['', '/']) {
        const target = await fresh();
        expectSuccess(await admin.call('DELETE', `/api/user/${target.id}${slash}`));
        expect((await target.call('GET', '/api/user/self')).status).toBe(401);
        expectErrorReply(await admin.call('DELETE', `/api/user/${target.id}${slash}`), '用户不存在');
      }
      for (const id of [1, admin.id, otherAdmin.id])
        expectErrorReply(await admin.call('DELETE', `/api/user/${id}`), '无权删除同权限等级或更高权限等级的用户');
      expectErrorReply(await root.call('DELETE', '/api/user/1'), '无权删除同权限等级或更高权限等级的用户');
    });

    it.each(NO_IDS)('refuses the id %s', async (id) => {
      expectCleanErrorReply(await root.call('DELETE', `/api/user/${id}`));
    });
  });
});
