import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nameUsers, resolveUsers } from '@tollgate/contracts';
import { userSchema } from '@tollgate/contracts/api/user';
import { OutboxEvent } from '@tollgate/database';
import { hasPostgres } from '@tollgate/testing';
import { User } from '../src/user/user.entity.js';
import { type Account, addUser, type Answer, auditEntriesOf, setUp, type TestBed, startIdentity } from './test-bed.js';

interface List {
  items: { id: number; username: string; quota: number; setting: string; DeletedAt: string | null }[];
  total: number;
  page: number;
  page_size: number;
}
const listOf = (answer: Answer): List => answer.body.data as List;

(hasPostgres() ? describe : describe.skip)('users', () => {
  let testBed: TestBed;
  let root: Account;
  let admin: Account;

  beforeAll(async () => {
    testBed = await startIdentity();
    root = await setUp(testBed);
    admin = await addUser(testBed, root, 10);
  }, 60_000);

  afterAll(async () => {
    await testBed.stop();
  });

  const manage = (as: Account, id: number, action: string) =>
    testBed.request('POST', '/api/user/manage', { as, body: { id, action } });
  const edit = (as: Account, body: object) => testBed.request('PUT', '/api/user/', { as, body });
  const actionsOn = (id: number) => auditEntriesOf(testBed, id);
  const entriesOf = async (id: number) => (await actionsOn(id)).length;

  describe('the rank matrix over HTTP', () => {
    const rank = '无权更新同权限等级或更高权限等级的用户信息';
    type Row = ['admin' | 'root', 'user' | 'admin' | 'root', string, string];
    const rows: Row[] = [
      ['admin', 'user', 'disable', ''],
      ['admin', 'user', 'promote', '普通管理员用户无法提升其他用户为管理员'],
      ['admin', 'user', 'demote', '该用户已经是普通用户'],
      ['admin', 'user', 'delete', ''],
      ['admin', 'admin', 'disable', rank],
      ['admin', 'admin', 'demote', rank],
      ['admin', 'root', 'delete', rank],
      ['root', 'user', 'promote', ''],
      ['root', 'admin', 'promote', '该用户已经是管理员'],
      ['root', 'admin', 'demote', ''],
      ['root', 'admin', 'disable', ''],
      ['root', 'root', 'disable', '无法禁用超级管理员用户'],
      ['root', 'root', 'delete', '无法删除超级管理员用户'],
      ['root', 'root', 'demote', '无法降级超级管理员用户'],
      ['root', 'root', 'enable', ''],
    ];

    it.each(rows)('%s on %s: %s → "%s"', async (callerName, targetName, action, message) => {
      const target = targetName === 'root' ? root : await addUser(testBed, root, targetName === 'admin' ? 10 : 1);
      const answer = await manage(callerName === 'root' ? root : admin, target.id, action);
      expect([answer.status, answer.body.success, answer.body.message]).toEqual([200, message === '', message]);
      if (message === '') expect(Object.keys(answer.body.data as object).sort()).toEqual(['role', 'status']);
    });

    it('refuses ordinary users and unknown actions, ids and cancelled users', async () => {
      const user = await addUser(testBed, root);
      expect((await manage(user, admin.id, 'disable')).body.message).toBe('无权进行此操作，权限不足');
      expect((await manage(root, user.id, 'explode')).body.message).toBe('无效的参数');
      expect((await manage(root, 999_999, 'disable')).body.message).toBe('用户不存在');
      await manage(root, user.id, 'delete');
      expect((await manage(root, user.id, 'enable')).body.message).toBe('用户不存在');
    });
  });

  it('compares ranks as they are when the row is locked', async () => {
    const user = await addUser(testBed, root);
    const answers = await Promise.all(Array.from({ length: 5 }, () => manage(root, user.id, 'promote')));
    expect(answers.map(({ body }) => body.message).sort()).toEqual([
      '',
      ...Array<string>(4).fill('该用户已经是管理员'),
    ]);
  });

  it('refuses an edit when another administrator changed the names or the balance meanwhile', async () => {
    const user = await addUser(testBed, root);
    const { username } = user;
    const seen = { username, group: 'default' };
    expect((await edit(root, { id: user.id, group: 'vip', expected: seen })).body).toMatchObject({ success: true });
    const late = { id: user.id, group: 'svip', quota_delta: 5, reason: 'late', expected: seen };
    const moved = testBed.billing.adjusted.length;
    expect((await edit(admin, late)).body).toMatchObject({
      ...{ success: false, code: 'user-changed-meanwhile', message: '该用户已被他人修改，请刷新后重试' },
      fields: [{ path: 'group' }],
    });
    expect(testBed.billing.adjusted).toHaveLength(moved);
    // A field that already has the wanted value may have been written by an earlier attempt of this command, which
    // continues.
    const again = { id: user.id, group: 'vip', quota_delta: 5, reason: 'on', expected: seen };
    expect((await edit(root, again)).body).toMatchObject({ success: true });
    expect(testBed.billing.adjusted).toHaveLength(moved + 1);
  });

  it('creates users of role 1, and refuses invalid input with the documented messages', async () => {
    const create = (as: Account, body: object) => testBed.request('POST', '/api/user', { as, body });
    expect((await create(admin, { username: '', password: '' })).body.message).toBe('用户名和密码不能为空！');
    expect((await create(admin, { username: 'x'.repeat(13) })).body.message).toBe('用户名和密码不能为空！');
    expect((await create(admin, { username: 'nora', password: '12345678', role: 10 })).body.message).toBe(
      '无法创建权限大于等于自己的用户',
    );
    const made = await create(root, { username: ' nora ', password: '12345678', role: 10 });
    expect(made.body.data).toMatchObject({
      username: 'nora',
      display_name: 'nora',
      role: 1,
      status: 1,
      group: 'default',
    });
    expect((await create(admin, { username: 'NORA', password: '12345678' })).body).toMatchObject({
      message: '用户名已存在，或已注销',
      fields: [{ path: 'username', code: 'username-taken' }],
    });
    const { id } = made.body.data as Account;
    expect(testBed.billing.opened).toContainEqual({ userId: id, kind: 'admin', inviterId: 0 });
    expect(await entriesOf(id)).toBe(1);
  });

  it('keeps a name from the set-up that is longer than names may be now', async () => {
    const user = await addUser(testBed, root);
    const username = `administrator-${user.id}`;
    await testBed.em().nativeUpdate(User, { id: user.id }, { username, usernameKey: username });
    const same = { username, display_name: 'Ann' };
    expect((await edit(root, { id: user.id, ...same })).body).toEqual({ success: true, message: '' });
    const own = (body: object) => testBed.request('PUT', '/api/user/self', { as: user, body });
    expect((await own(same)).body).toEqual({ success: true, message: '' });
    const longer = { username: `${username}x` };
    const refused = { success: false, message: '输入不合法 用户名最多 12 个字符', code: 'invalid-input' };
    expect((await own(longer)).body).toMatchObject(refused);
    expect((await edit(root, { id: user.id, ...longer })).body).toMatchObject(refused);
    // Input is checked before ranks, as the documents order it.
    expect((await edit(admin, { id: root.id, ...longer })).body).toMatchObject(refused);
    expect((await edit(root, { id: user.id, username: 'x'.repeat(65) })).body).toMatchObject({ success: false });
    expect((await testBed.em().findOneOrFail(User, { id: user.id })).username).toBe(username);
  });

  it('audits changes of the profile only, because billing audits those of the balance', async () => {
    const user = await addUser(testBed, root);
    const before = await entriesOf(user.id);
    for (const unchanging of [{ quota: 5000 }, { username: user.username, group: 'default' }])
      expect((await edit(admin, { id: user.id, ...unchanging })).body.success).toBe(true);
    expect(await entriesOf(user.id)).toBe(before);
    for (const changing of [{ group: 'vip' }, { password: 'another-one-1' }])
      expect((await edit(admin, { id: user.id, ...changing })).body.success).toBe(true);
    expect(await entriesOf(user.id)).toBe(before + 2);
  });

  it('does not audit an action that changes neither role nor status', async () => {
    const user = await addUser(testBed, root);
    const before = await entriesOf(user.id);
    const now = { role: 1, status: 1 };
    expect((await manage(admin, user.id, 'enable')).body).toMatchObject({ success: true, data: now });
    expect(await entriesOf(user.id)).toBe(before);
    await manage(admin, user.id, 'disable');
    const again = await manage(admin, user.id, 'disable');
    expect(again.body).toMatchObject({ success: true, data: { ...now, status: 2 } });
    expect(await entriesOf(user.id)).toBe(before + 1);
    await manage(admin, user.id, 'delete');
    expect(await entriesOf(user.id)).toBe(before + 2);
  });

  it('trims display names, and counts blanks as none', async () => {
    const user = await addUser(testBed, root);
    const nameOf = async () => (await testBed.em().findOneOrFail(User, user.id)).displayName;
    const own = (body: object) => testBed.request('PUT', '/api/user/self', { as: user, body });
    for (const put of [own, (body: object) => edit(admin, { id: user.id, ...body })]) {
      expect((await put({ display_name: ' Vera  Lynn\u3000' })).body.success).toBe(true);
      expect(await nameOf()).toBe('Vera  Lynn');
      expect((await put({ display_name: ' \u3000 ' })).body.success).toBe(true);
      expect(await nameOf()).toBe('Vera  Lynn');
      await put({ display_name: 'Somebody' });
    }
    const body = { username: 'blanks', password: 'password1', display_name: '  ' };
    await testBed.request('POST', '/api/user/', { as: root, body });
    expect(await testBed.em().findOneOrFail(User, { username: 'blanks' })).toMatchObject({ displayName: 'blanks' });
  });

  it('changes only the fields that are sent, and forwards the quota to billing', async () => {
    const user = await addUser(testBed, root);
    expect((await edit(admin, { id: user.id, group: 'vip' })).body.success).toBe(true);
    expect((await edit(admin, { id: user.id, display_name: 'Vera', username: '', password: '' })).body.success).toBe(
      true,
    );
    expect(await testBed.em().findOneOrFail(User, user.id)).toMatchObject({
      username: user.username,
      displayName: 'Vera',
      group: 'vip',
    });
    expect(testBed.billing.adjusted.filter(({ userId }) => userId === user.id)).toEqual([]);

    await edit(admin, { id: user.id, quota: 5000 });
    await edit(admin, { id: user.id, quota_delta: -20, reason: 'a refund' });
    expect((await edit(admin, { id: user.id, role: null })).body.success).toBe(true);
    const adjusted = testBed.billing.adjusted.filter(({ userId }) => userId === user.id);
    expect(adjusted).toMatchObject([
      { quota: 5000, actorId: admin.id },
      { delta: -20, actorId: admin.id },
    ]);
    expect(adjusted[0]?.commandId).not.toBe(adjusted[1]?.commandId);

    for (const nothing of [{ quota: null }, { quota: '' }, { quota_delta: null }])
      expect((await edit(admin, { id: user.id, ...nothing })).body).toMatchObject({
        success: false,
        message: '额度不能为空，不修改时请不要提交该字段',
      });
    for (const wrong of [1.5, '5'])
      expect((await edit(admin, { id: user.id, quota: wrong })).body.message).toBe('无效的参数');
    expect((await edit(admin, { group: 'vip' })).body.message).toBe('无效的参数');
    expect((await edit(admin, { id: user.id, role: 10 })).body.message).toBe(
      '无权将其他用户权限等级提升到大于等于自己的权限等级',
    );
    expect((await edit(admin, { id: root.id, quota: 1 })).body.message).toBe(
      '无权更新同权限等级或更高权限等级的用户信息',
    );
    for (const alike of ['root', 'ｒｏｏｔ'])
      expect((await edit(admin, { id: user.id, username: alike })).body).toMatchObject({
        message: '用户名已存在，或已注销',
        fields: [{ path: 'username' }],
      });
    expect((await edit(admin, { id: user.id, username: 'rооt' })).body.message).toBe(
      '输入不合法 用户名混用了外观相似的字母',
    );
    expect(testBed.billing.adjusted.filter(({ userId }) => userId === root.id)).toEqual([]);
  });

  it('ends sessions when an administrator sets a password', async () => {
    const user = await addUser(testBed, root);
    const versionOf = async () =>
      (await testBed.internal(resolveUsers, { ids: [user.id] })).users[0]?.sessionVersion ?? 0;
    const before = await versionOf();
    await edit(admin, { id: user.id, password: 'another-one' });
    expect(await versionOf()).toBeGreaterThan(before);
    const login = await testBed.request('POST', '/api/user/login', {
      body: { username: user.username, password: 'another-one' },
    });
    expect(login.body.success).toBe(true);
  });

  it('lists users newest first, with balances from one call to billing, and without a zero for a missing balance', async () => {
    const user = await addUser(testBed, root);
    testBed.billing.balanceCalls = 0;
    const first = listOf(await testBed.request('GET', '/api/user/', { as: admin, query: { p: '1', page_size: '3' } }));
    expect(testBed.billing.balanceCalls).toBe(1);
    expect(first).toMatchObject({ page: 1, page_size: 3 });
    expect(first.items).toHaveLength(3);
    expect(first.items[0]).toMatchObject({ id: user.id, quota: user.id * 100 });
    for (const item of first.items) expect(userSchema.strict().safeParse(item).error).toBeUndefined();
    const zero = listOf(await testBed.request('GET', '/api/user', { as: admin, query: { p: '0' } }));
    expect(zero).toMatchObject({ page: 1, page_size: 10 });

    testBed.billing.down = true;
    const failed = await testBed.request('GET', '/api/user/', { as: admin });
    testBed.billing.down = false;
    expect(failed.body.success).toBe(false);
  });

  it('searches names, address and id for the literal text, within a group', async () => {
    const user = await addUser(testBed, root);
    await edit(root, { id: user.id, display_name: '100%_sure', group: 'svip' });
    const search = async (query: Record<string, string>) =>
      listOf(await testBed.request('GET', '/api/user/search', { as: admin, query })).items.map(({ id }) => id);
    expect(await search({ keyword: '0%_S' })).toEqual([user.id]);
    expect(await search({ keyword: '%' })).toEqual([user.id]);
    expect(await search({ keyword: '0\\' })).toEqual([]);
    expect(await search({ keyword: String(user.id) })).toContain(user.id);
    expect(await search({ keyword: '99999999999' })).toEqual([]);
    expect(await search({ group: 'svip' })).toEqual([user.id]);
    expect(await search({ keyword: '100', group: 'default' })).toEqual([]);
    await manage(root, user.id, 'delete');
    expect(
      listOf(await testBed.request('GET', '/api/user/search', { as: admin, query: { group: 'svip' } })).items[0]
        ?.DeletedAt,
    ).toMatch(/^\d{4}-/);
  });

  it('shows a user only to users of higher rank', async () => {
    const user = await addUser(testBed, root);
    const get = (as: Account, id: number | string) => testBed.request('GET', `/api/user/${id}`, { as });
    expect((await get(admin, user.id)).body.data).toMatchObject({
      id: user.id,
      quota: user.id * 100,
      used_quota: 7,
      request_count: 3,
    });
    expect((await get(admin, root.id)).body.message).toBe('无权获取同级或更高等级用户的信息');
    expect((await get(root, root.id)).body.success).toBe(true);
    expect((await get(root, 'abc')).body.message).toBe('无效的参数');
    expect((await get(root, 888_888)).body.message).toBe('用户不存在');
  });

  it('deletes users of lower rank only, and the own account unless it is root', async () => {
    const user = await addUser(testBed, root);
    const remove = (as: Account, path: string) => testBed.request('DELETE', path, { as });
    expect((await remove(admin, `/api/user/${root.id}`)).body.message).toBe('无权删除同权限等级或更高权限等级的用户');
    expect((await remove(admin, `/api/user/${user.id}/`)).body).toEqual({ success: true, message: '' });
    expect((await actionsOn(user.id)).at(-1)).toMatchObject({
      ...{ actorId: admin.id, action: 'user-delete' },
      before: { username: user.username, group: 'default', role: 1, status: 1 },
    });
    expect((await remove(root, '/api/user/self')).body.message).toBe('不能删除超级管理员账户');
    const leaver = await addUser(testBed, root);
    expect((await remove(leaver, '/api/user/self')).headers['set-cookie']).toMatch(/Max-Age=0/);
    expect(
      (await testBed.internal(resolveUsers, { ids: [user.id, leaver.id, root.id] })).users.map(({ id }) => id),
    ).toEqual([root.id]);
    expect((await testBed.internal(nameUsers, { ids: [user.id] })).names).toEqual({ [user.id]: user.username });
  });

  it('publishes every change as an event with a higher revision', async () => {
    const user = await addUser(testBed, root);
    await manage(root, user.id, 'disable');
    await manage(root, user.id, 'enable');
    const rows = await testBed
      .em()
      .find(OutboxEvent, { topic: 'user-changed', key: String(user.id) }, { orderBy: { id: 'asc' } });
    const revisions = rows.map(({ value }) => (JSON.parse(value) as { data: { revision: number } }).data.revision);
    expect(revisions).toHaveLength(2);
    expect(revisions[1]).toBeGreaterThan(revisions[0]!);
    expect((await actionsOn(user.id)).map(({ action }) => action)).toEqual([
      'user-create',
      'user-disable',
      'user-enable',
    ]);
  });
});
