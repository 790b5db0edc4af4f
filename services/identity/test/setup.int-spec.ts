import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pollIdentity } from '@tollgate/contracts';
import { statusSchema } from '@tollgate/contracts/api/status';
import { OutboxEvent } from '@tollgate/database';
import { hasPostgres } from '@tollgate/testing';
import { User } from '../src/user/user.entity.js';
import { type Account, setUp, type TestBed, startIdentity } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('set-up', () => {
  let testBed: TestBed;

  beforeEach(async () => {
    testBed = await startIdentity();
  }, 60_000);

  afterEach(async () => {
    await testBed.stop();
  });

  const form = { username: 'root', password: 'rootroot', confirmPassword: 'rootroot' };
  const post = (body: unknown) => testBed.request('POST', '/api/setup', { body });

  it('succeeds for one of ten simultaneous requests', async () => {
    expect((await testBed.request('GET', '/api/setup')).body).toEqual({
      success: true,
      message: '',
      data: { status: false, root_init: false, database_type: 'postgres' },
    });

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => post({ ...form, username: `root${index}` })),
    );

    expect(answers.filter(({ status }) => status === 200).map(({ body }) => body.message)).toEqual(['系统初始化成功']);
    const losers = answers.filter(({ status }) => status === 400);
    expect(losers).toHaveLength(9);
    expect(new Set(losers.map(({ body }) => body.message))).toEqual(new Set(['系统已经初始化完成']));
    const roots = await testBed.em().find(User, {});
    expect(roots).toHaveLength(1);
    expect(roots[0]).toMatchObject({ role: 100, status: 1, displayName: 'Root User' });
    expect(testBed.billing.opened).toEqual([{ userId: roots[0]!.id, kind: 'setup', inviterId: 0 }]);
    expect(await testBed.em().count(OutboxEvent, { topic: 'setup-completed' })).toBe(1);
    expect((await testBed.request('GET', '/api/setup')).body.data).toMatchObject({ status: true, root_init: true });
  });

  it('comes before any registration, so that nobody takes the name of the administrator', async () => {
    const early = { username: 'root', password: 'early-bird' };
    expect((await testBed.request('POST', '/api/user/register', { body: early })).body).toMatchObject({
      ...{ success: false, code: 'setup-first', message: '系统尚未初始化，请先完成初始化设置' },
    });
    expect((await post(form)).body.message).toBe('系统初始化成功');
  });

  it('answers 400 with the documented message to invalid input, and can be repeated', async () => {
    const cases: [unknown, string][] = [
      [{ ...form, username: '  ' }, '请输入管理员用户名'],
      [{ ...form, username: 'rооt' }, '输入不合法 用户名混用了外观相似的字母'],
      [{ ...form, username: 'ro\u200Bot' }, '输入不合法 用户名包含不可见字符'],
      [{ ...form, username: 'ro\u0000ot' }, '输入不合法 用户名包含不可见字符'],
      [{ ...form, username: 'erased-2' }, '用户名已存在，或已注销'],
      [{ ...form, username: 'a'.repeat(65) }, '输入不合法 用户名最多 64 个字符'],
      [{ ...form, confirmPassword: 'other' }, '两次输入的密码不一致'],
      [{ ...form, password: 'short', confirmPassword: 'short' }, '密码长度至少为8个字符'],
      [{ ...form, SelfUseModeEnabled: 'yes' }, '请求参数有误'],
      [[], '请求参数有误'],
      ['{', '请求参数有误'],
    ];
    for (const [body, message] of cases) {
      const answer = await post(body);
      expect([answer.status, answer.body.success, answer.body.message]).toEqual([400, false, message]);
    }
    expect(await testBed.em().count(User, {})).toBe(0);
    expect((await post(form)).body.success).toBe(true);
    for (const body of ['{', {}]) expect((await post(body)).body.message).toBe('系统已经初始化完成');
  });

  describe('from another machine', () => {
    const far = { 'x-forwarded-for': '203.0.113.7' };
    const postFrom = (headers: Record<string, string>, body: unknown) =>
      testBed.request('POST', '/api/setup', { body, headers });
    const noteOf = () => /^set-up token: (\S+) /.exec(testBed.host.notes.join('\n'))?.[1] ?? '';

    it('requires the printed token, and accepts it once', async () => {
      const { body } = await testBed.request('GET', '/api/setup', { headers: far });
      expect(body.data).toEqual({ status: false, root_init: false, database_type: 'postgres', token_required: true });
      const token = noteOf();
      expect(token).toMatch(/^[0-9a-f]{32}$/);
      for (const wrong of [undefined, '', 'x', token.slice(1), `${token}0`, '0'.repeat(32)]) {
        const answer = await postFrom(far, { ...form, setup_token: wrong });
        expect([answer.status, answer.body.code]).toEqual([403, 'setup-token-wrong']);
      }
      expect(await testBed.em().count(User, {})).toBe(0);
      expect((await postFrom(far, { ...form, setup_token: token })).body.success).toBe(true);
      expect((await testBed.request('GET', '/api/setup', { headers: far })).body.data).not.toHaveProperty(
        'token_required',
      );
      expect((await postFrom(far, { ...form, setup_token: token })).body.message).toBe('系统已经初始化完成');
    });

    it('does not report the state of the database without the token', async () => {
      const answer = await postFrom(far, { ...form, username: '' });
      expect(answer.body.code).toBe('setup-token-wrong');
    });
  });

  it.each([
    ['external', {}, false, false],
    ['self', { SelfUseModeEnabled: true }, true, false],
    ['demo', { DemoSiteEnabled: true }, false, true],
  ])('shows the mode %s in /api/status at once', async (_mode, flags, selfUse, demo) => {
    const before = await testBed.request('GET', '/api/status');
    expect(before.body.data).toMatchObject({ setup: false });

    await post({ ...form, ...flags });

    const { body } = await testBed.request('GET', '/api/status');
    expect(statusSchema.parse(body.data)).toMatchObject({
      setup: true,
      self_use_mode_enabled: selfUse,
      demo_site_enabled: demo,
    });
    const registration = await testBed.request('POST', '/api/user/register', {
      body: { username: 'ann', password: '12345678' },
    });
    expect(registration.body).toMatchObject(
      selfUse ? { success: false, message: '管理员关闭了新用户注册' } : { success: true },
    );
  });

  it('succeeds while billing is down, and the wallet is opened later by the event', async () => {
    testBed.billing.down = true;
    expect((await post(form)).body.success).toBe(true);
    expect(await testBed.em().count(OutboxEvent, { topic: 'user-registered' })).toBe(1);
  });

  it('reports the state of the database, and increases both revisions', async () => {
    const root: Account = await setUp(testBed);
    expect((await testBed.request('GET', '/api/status/test', { as: root })).body.message).toBe('Server is running');
    expect((await testBed.request('GET', '/api/status/test')).status).toBe(401);
    const poll = await testBed.internal(pollIdentity, { usersSince: 0 });
    expect(poll).toMatchObject({ changedUserIds: [root.id], complete: true });
    expect(poll.optionRevision).toBeGreaterThan(0);
    const later = await testBed.internal(pollIdentity, { usersSince: poll.userRevision });
    expect(later.changedUserIds).toEqual([]);
  });
});
