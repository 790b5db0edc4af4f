import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { personArchiveSchema } from '@tollgate/contracts/api/person';
import { nameUsers, resolveUsers } from '@tollgate/contracts';
import { hasPostgres } from '@tollgate/testing';
import { SessionService } from '../src/login/session.service.js';
import { SignIns } from '../src/login/sign-ins.js';
import { User } from '../src/user/user.entity.js';
import { UserStore } from '../src/user/user-store.js';
import { type Account, addUser, type Answer, setUp, type TestBed, startIdentity } from './test-bed.js';

type Member = Account & { password: string };

(hasPostgres() ? describe : describe.skip)('personal data', () => {
  let testBed: TestBed;
  let root: Account;
  let user: Member;

  beforeAll(async () => {
    testBed = await startIdentity({ TOLLGATE_RATE_LIMITS: 'off' });
    root = await setUp(testBed);
  }, 60_000);
  afterAll(() => testBed?.stop());
  beforeEach(async () => {
    // Removes what earlier tests have left.
    for (const table of ['passkey', 'recovery_code', 'sign_in', 'delivery'])
      await testBed.em().execute(`delete from "${table}"`);
    await testBed
      .em()
      .execute(`update "users" set "display_name" = '', "email" = '', "github_id" = null, "setting" = '{}'`);
    user = await addUser(testBed, root);
    await testBed.em().execute(
      `update "users" set "email" = ?, "github_id" = ?, "display_name" = 'Ada Lovelace', "sealed_totp" = 'sealed', "passkey_count" = 1,
         "setting" = '{"notify_type":"email","notification_email":"other@example.com;third@example.com"}' where "id" = ?`,
      [`${user.username}@example.com`, `gh-${user.id}`, user.id],
    );
    await testBed.em().execute(
      `insert into "passkey" ("user_id", "credential_id", "public_key", "counter", "transports", "host", "name", "backed_up", "created_at")
       values (?, ?, 'public-key', 0, '', 'gate.example', 'Ada''s phone', false, now())`,
      [user.id, `credential-${user.id}`],
    );
    await testBed.em().execute(`insert into "recovery_code" ("user_id", "hash") values (?, 'hash')`, [user.id]);
    for (const [owner, target] of [
      [user.id, 'other@example.com'],
      [null, `${user.username}@example.com`],
      [null, 'third@example.com'],
      [root.id, `${user.username}@example.org`],
    ])
      await testBed.em().execute(
        `insert into "delivery" ("source", "user_id", "kind", "via", "target", "sealed_payload", "next_attempt_at", "expires_at", "created_at")
         values (gen_random_uuid()::text, ?, 'code', 'mail', ?, 'sealed', now() + interval '1 day', now() + interval '1 day', now())`,
        [owner, target],
      );
  });

  const signIn = async (): Promise<string> => {
    const body = { username: user.username, password: user.password };
    const headers = { 'user-agent': 'Firefox on Ada' };
    await testBed
      .em()
      .execute(`update "users" set "sealed_totp" = null, "passkey_count" = 0 where "id" = ?`, [user.id]);
    const answer = await testBed.request('POST', '/api/user/login', { body, headers });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const erase = (as: Account, id = user.id, body?: object): Promise<Answer> =>
    testBed.request('POST', `/api/user/${id}/erase`, { as, ...(body && { body }) });
  const rowOf = (id: number): Promise<User> => testBed.em().findOneOrFail(User, { id });
  const outbox = (topic: string) =>
    testBed
      .em()
      .execute<{ value: string }[]>(`select "value" from "outbox_event" where "topic" = ? order by "id"`, [topic]);
  /** The contents of all tables as one text. */
  const everything = async (): Promise<string> => {
    const tables = await testBed
      .em()
      .execute<{ name: string }[]>(
        `select "table_name" as "name" from information_schema.tables where table_schema = 'identity'`,
      );
    const texts: string[] = [];
    for (const { name } of tables)
      if (!name.startsWith('outbox')) texts.push(JSON.stringify(await testBed.em().execute(`select * from "${name}"`)));
    return texts.join('\n');
  };

  describe('when exported', () => {
    const archiveOf = (answer: Answer) => personArchiveSchema.parse(answer.body);

    it('goes to the person and to super administrators, complete and without secrets', async () => {
      const cookie = await signIn();
      const own = await testBed.request('GET', '/api/user/self/export', { as: user });
      expect(own.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="user_${user.id}.json"`,
      });
      const archive = archiveOf(own);
      expect(archive.account).toMatchObject({
        username: user.username,
        email: `${user.username}@example.com`,
        github_id: `gh-${user.id}`,
        has_password: true,
      });
      expect(archive.sign_ins).toMatchObject([{ user_agent: 'Firefox on Ada', address: '127.0.0.1' }]);
      expect(archive.sessions).toHaveLength(1);
      expect(archive.passkeys).toMatchObject([{ name: "Ada's phone" }]);
      expect(archive.deliveries).toMatchObject([{ target: 'other@example.com', kind: 'code' }]);
      expect(archive.logs).toEqual([
        { service: 'logging', section: 'logs', page: 'first' },
        { service: 'logging', section: 'logs', page: 'second' },
      ]);
      const { passwordHash } = await rowOf(user.id);
      for (const secret of [passwordHash, 'sealed', 'public-key', cookie.replace('session=', '')])
        expect(own.text).not.toContain(secret);

      expect(archiveOf(await testBed.request('GET', `/api/user/${user.id}/export`, { as: root })).account).toEqual(
        archive.account,
      );
      const [record] = (await outbox('admin-action')).slice(-1);
      expect(record?.value).toContain('"action":"user-export"');
      expect((await testBed.request('GET', '/api/user/999999/export', { as: root })).body.code).toBe('user-not-found');
    });

    it('gives no valid archive when a service fails midway', async () => {
      testBed.billing.down = true;
      try {
        const answer = await testBed.request('GET', '/api/user/self/export', { as: user }).catch(() => undefined);
        expect(personArchiveSchema.safeParse(answer?.body).success).toBe(false);
      } finally {
        testBed.billing.down = false;
      }
    });
  });

  describe('when erased', () => {
    it('disappears from every table of identity, with exactly one event', async () => {
      const cookie = await signIn();
      expect((await erase(root, user.id, { username: 'somebody else' })).body).toMatchObject({
        success: false,
        code: 'erasure-not-confirmed',
        message: '输入的用户名与该用户不一致',
      });
      const before = await rowOf(user.id);
      expect((await erase(root, user.id, { username: user.username })).body).toEqual({ success: true, message: '' });
      const row = await rowOf(user.id);
      expect(row).toMatchObject({
        username: `erased-${user.id}`,
        displayName: `erased-${user.id}`,
        email: '',
        passwordHash: '',
        setting: {},
      });
      expect(row.deletedAt).toBeInstanceOf(Date);
      expect(row.sessionVersion).toBeGreaterThan(before.sessionVersion);
      const kept = await everything();
      expect(kept).toContain(`${user.username}@example.org`);
      for (const trace of [
        `"${user.username}"`,
        'Ada',
        `gh-${user.id}`,
        '@example.com',
        'Firefox',
        `credential-${user.id}`,
      ])
        expect(kept).not.toContain(trace);
      expect(
        (await outbox('user-erased')).map(({ value }) => (JSON.parse(value) as { data: unknown }).data),
      ).toContainEqual({
        userId: user.id,
        pseudonym: `erased-${user.id}`,
      });
      expect((await testBed.internal(resolveUsers, { ids: [user.id] })).users).toEqual([]);
      expect((await testBed.internal(nameUsers, { ids: [user.id] })).names).toEqual({ [user.id]: `erased-${user.id}` });
      const self = testBed.own(SessionService);
      expect(await self.of({ headers: { cookie } } as never)).toMatchObject({ sessionVersion: before.sessionVersion });

      const events = (await outbox('user-erased')).length;
      expect((await erase(root)).body.success).toBe(true);
      expect(await outbox('user-erased')).toHaveLength(events);
      expect(await rowOf(user.id)).toEqual(row);
    });

    it('is erased for deleted users too, and frees their name and address', async () => {
      await testBed.request('DELETE', `/api/user/${user.id}`, { as: root });
      expect((await erase(root)).body.success).toBe(true);
      const body = { username: user.username, password: 'password1' };
      expect((await testBed.request('POST', '/api/user/', { as: root, body })).body.success).toBe(true);
    });

    it('is erased only by a user of higher rank', async () => {
      const admin = await addUser(testBed, root, 10);
      const other = await addUser(testBed, root, 10);
      const refusal = { success: false, message: '无权抹除同权限等级或更高权限等级的用户' };
      expect((await erase(user, admin.id)).body.success).toBe(false);
      expect((await erase(admin, other.id)).body).toMatchObject(refusal);
      expect((await erase(admin, root.id)).body).toMatchObject(refusal);
      expect((await erase(root, root.id)).body).toMatchObject(refusal);
      expect((await erase(admin)).body.success).toBe(true);
      expect((await erase(root, other.id)).body.success).toBe(true);
      expect((await erase(admin, other.id)).body).toMatchObject(refusal);
    });

    it('is erased by the person with the password, except for a super administrator', async () => {
      const own = (as: Account, body: object, cookie = '') =>
        testBed.request('POST', '/api/user/self/erase', { as, body, headers: { cookie } });
      expect((await own(user, {})).body.code).toBe('password-needed');
      expect((await own(user, { password: 'wrong password' })).body.code).toBe('original-password-wrong');
      expect((await own(root, { password: 'rootroot' })).body).toMatchObject({ message: '不能删除超级管理员账户' });
      const proof = { username: user.username, password: user.password };
      expect((await own(user, { username: user.username }, await signIn())).body.code).toBe('password-needed');
      const answer = await own(user, proof, await signIn());
      expect(answer.body.success).toBe(true);
      expect(String(answer.headers['set-cookie'])).toMatch(/Max-Age=0|1970/i);
      expect((await rowOf(user.id)).username).toBe(`erased-${user.id}`);
    });

    it('is not written again by requests that were already running', async () => {
      await erase(root);
      const request = { headers: { 'user-agent': 'Firefox on Ada' }, ip: '203.0.113.7' };
      await testBed.own(SignIns).add('late', user.id, request as never);
      expect(await everything()).not.toContain('203.0.113.7');
      await expect(testBed.own(UserStore).change(user.id, (own) => own.enable())).rejects.toThrow('用户不存在');
    });

    it('is erased completely or not at all', async () => {
      await testBed
        .em()
        .execute(
          `create function "refuse"() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`,
        );
      await testBed
        .em()
        .execute(
          `create trigger "refuse" before insert on "outbox_event" for each row when (new."topic" = 'user-erased') execute function "refuse"()`,
        );
      try {
        expect((await erase(root)).body.success).toBe(false);
        expect(await rowOf(user.id)).toMatchObject({
          username: user.username,
          displayName: 'Ada Lovelace',
          erasedAt: null,
        });
        expect(await everything()).toContain('other@example.com');
      } finally {
        await testBed.em().execute(`drop trigger "refuse" on "outbox_event"`);
        await testBed.em().execute(`drop function "refuse"()`);
      }
      expect((await erase(root)).body.success).toBe(true);
    });

    it('leaves pseudonyms that nobody can register as a name', async () => {
      const body = { username: 'Erased-7', password: 'password1' };
      expect((await testBed.request('POST', '/api/user/', { as: root, body })).body).toMatchObject({
        success: false,
        message: '用户名已存在，或已注销',
      });
    });
  });
});
