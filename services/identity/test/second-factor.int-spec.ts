import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { resolveUsers, UserStatus } from '@tollgate/contracts';
import { Clock } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import { Client } from 'pg';
import { letIn, removeFactors } from '../src/index.js';
import { OptionService } from '../src/option/option.service.js';
import { User } from '../src/user/user.entity.js';
import { codeAt, cookieOf, FactorWorld } from './factor-world.js';
import { type Account, addUser } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('second factors', () => {
  const world = new FactorWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());
  beforeEach(() => world.addMember());

  it('require a code after the password once an authenticator is confirmed, and never show its secret again', async () => {
    const { secret, codes } = await world.enrol();
    expect(codes).toHaveLength(10);
    const asked = await world.login();
    expect(asked.body).toEqual({
      success: true,
      message: '请完成两步验证',
      data: { require_2fa: true, methods: ['totp', 'recovery'] },
    });
    expect(await world.sessionOf(asked)).toBeUndefined();
    const entered = await world.step(cookieOf(asked), codeAt(secret, world.now));
    expect(entered.body.data).toMatchObject({ id: world.user.id, username: world.user.username });
    expect(await world.sessionOf(entered)).toMatchObject({ userId: world.user.id });
    expect((await world.step(cookieOf(asked), codeAt(secret, world.now + 30_000))).body.code).toBe('second-step-over');

    const rows = await world.testBed.em().execute('select * from "users" where "id" = ?', [world.user.id]);
    const outbox = await world.testBed.em().execute('select * from "outbox_event"');
    expect(JSON.stringify([rows, outbox])).not.toContain(secret);
    const [record] = (await world.testBed.internal(resolveUsers, { ids: [world.user.id] })).users;
    expect(record?.secondFactor).toBe(true);
  });

  it('accept each code once across simultaneous requests, and never an older code', async () => {
    const { secret } = await world.enrol();
    const code = codeAt(secret, world.now);
    const visits = await Promise.all([world.login(), world.login(), world.login()]);
    const answers = await Promise.all(visits.map((visit) => world.step(cookieOf(visit), code)));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    expect(answers.find(({ body }) => !body.success)?.body.code).toBe('second-factor-wrong');
    const older = await world.step(cookieOf(await world.login()), codeAt(secret, world.now - 30_000));
    expect(older.body).toMatchObject({ message: '验证码错误或已使用', fields: [{ path: 'code' }] });
  });

  it('accept each recovery code once, in any spelling', async () => {
    const { codes } = await world.enrol();
    const [code = ''] = codes;
    const spelled = ` ${code.toUpperCase().replace('-', ' ')}`;
    expect((await world.step(cookieOf(await world.login()), spelled)).body.success).toBe(true);
    expect((await world.step(cookieOf(await world.login()), code)).body.success).toBe(false);
    const rows = await world.testBed.em().execute('select "hash" from "recovery_code"');
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('cancel a sign-in after five wrong codes, and limit guesses over several sign-ins', async () => {
    const { secret } = await world.enrol();
    const visit = cookieOf(await world.login());
    for (let guess = 0; guess < 5; guess += 1)
      expect((await world.step(visit, '000000')).body.code).toBe('second-factor-wrong');
    expect((await world.step(visit, codeAt(secret, world.now))).body.code).toBe('second-step-over');
    await world.testBed.guess(15, 'second-factor', String(world.user.id), '127.0.0.1');
    expect((await world.step(cookieOf(await world.login()), codeAt(secret, world.now))).status).toBe(429);
  });

  it('are removed only with password and code', async () => {
    const { secret } = await world.enrol();
    const visit = cookieOf(await world.login());
    const cookie = cookieOf(await world.step(visit, codeAt(secret, world.now)));
    const disable = (body: object) => world.post('/api/user/self/2fa/disable', body, { as: world.user, cookie });
    const next = codeAt(secret, world.now + 30_000);
    expect((await disable({ code: next })).body.code).toBe('password-needed');
    expect((await disable({ code: next, password: 'not mine' })).body).toMatchObject({
      fields: [{ path: 'password', code: 'original-password-wrong' }],
    });
    expect((await disable({ code: '000000', password: world.user.password })).body).toMatchObject({
      fields: [{ path: 'code', code: 'second-factor-wrong' }],
    });
    expect((await disable({ code: next, password: world.user.password })).body.success).toBe(true);
    expect((await world.login()).body.data).toMatchObject({ id: world.user.id });
  });

  it('are enrolled, replaced and deleted only with the password or a code, even right after a sign-in', async () => {
    const cookie = cookieOf(await world.login());
    const call = (path: string, body: object) => world.post(path, body, { as: world.user, cookie });
    for (const path of ['passkey/begin', '2fa/setup', '2fa/recovery_codes']) {
      expect((await call(`/api/user/self/${path}`, {})).body.code).toBe('password-needed');
      expect((await call(`/api/user/self/${path}`, { password: 'not mine' })).body.code).toBe(
        'original-password-wrong',
      );
      expect((await call(`/api/user/self/${path}`, { code: '123456' })).body.code).toBe('password-needed');
    }
    const { secret, codes } = await world.enrol();
    const begin = (body: object) => call('/api/user/self/passkey/begin', body);
    expect((await begin({ code: '000000' })).body.code).toBe('second-factor-wrong');
    expect((await begin({ code: codeAt(secret, world.now) })).body.success).toBe(true);
    expect((await begin({ code: codeAt(secret, world.now) })).body.code).toBe('second-factor-wrong');
    expect((await begin({ code: codes[0] })).body.success).toBe(true);
    expect((await begin({ password: world.user.password })).body.success).toBe(true);
    const removal = await world.testBed.request('DELETE', '/api/user/self/passkey/1', {
      as: world.user,
      headers: { cookie },
    });
    expect(removal.body.code).toBe('password-needed');
  });

  it('are enrolled without a password by a code, or without both right after a sign-in', async () => {
    const cookie = cookieOf(await world.login());
    const clock = world.testBed.own(Clock);
    const { secret } = await world.enrol();
    await world.testBed.em().execute(`update "users" set "password_hash" = '' where "id" = ?`, [world.user.id]);
    const begin = (body: object) => world.post('/api/user/self/passkey/begin', body, { as: world.user, cookie });
    expect((await begin({})).body).toMatchObject({ code: 'code-needed', message: '请输入验证码' });
    expect((await begin({ code: codeAt(secret, world.now) })).body.success).toBe(true);
    await world.testBed.em().execute(`update "users" set "sealed_totp" = null where "id" = ?`, [world.user.id]);
    expect((await begin({})).body.success).toBe(true);
    const later = world.now + 11 * 60_000;
    clock.now = () => later;
    expect((await begin({})).body.code).toBe('sign-in-again');
    clock.now = () => world.now;
  });

  it('are required before a user without a password sets one', async () => {
    const cookie = cookieOf(await world.login());
    const { codes } = await world.enrol();
    await world.testBed.em().execute(`update "users" set "password_hash" = '' where "id" = ?`, [world.user.id]);
    const add = (proof: object) => {
      const body = { password: 'my first one', ...proof };
      return world.testBed.request('PUT', '/api/user/self', { as: world.user, headers: { cookie }, body });
    };
    expect((await add({})).body).toMatchObject({ code: 'code-needed', message: '请输入验证码' });
    expect((await add({ code: '000000' })).body.code).toBe('second-factor-wrong');
    expect((await add({ code: codes[0] })).body.success).toBe(true);
    expect((await world.login({ ...world.user, password: 'my first one' })).body.data).toMatchObject({
      require_2fa: true,
    });
  });

  it('are removed on the command line, by name or id, with an audit entry', async () => {
    await world.enrol();
    await world.addPasskeyByCode();
    const client = new Client({ connectionString: world.testBed.host.env.DATABASE_URL });
    await client.connect();
    try {
      await client.query('set search_path = identity');
      const remove = (who: string) =>
        removeFactors(
          async <Row extends object>(text: string, values: unknown[] = []) =>
            (await client.query<Row>(text, values)).rows,
          who,
        );
      const before = await world.testBed.em().findOneOrFail(User, { id: world.user.id });
      await expect(remove('nobody-at-all')).rejects.toMatchObject({ code: 'user-not-found' });
      expect(await remove(world.user.username)).toEqual({ id: world.user.id, username: world.user.username });
      await expect(remove(String(world.user.id))).rejects.toMatchObject({ code: 'totp-not-set' });
      const after = await world.testBed.em().findOneOrFail(User, { id: world.user.id });
      expect(after).toMatchObject({ sealedTotp: null, passkeyCount: 0, sessionVersion: before.sessionVersion + 1 });
      expect(after.revision).toBeGreaterThan(before.revision);
    } finally {
      await client.end();
    }
    expect((await world.login()).body.data).toMatchObject({ id: world.user.id });
    const rows = await world.testBed
      .em()
      .execute<{ value: string }[]>(`select "value" from "outbox_event" where "value" like '%command line%'`);
    expect(rows[0]?.value).toContain(`"subject":"user:${world.user.id}"`);
    expect(rows[0]?.value).toContain('"unattended":true');
  });

  it('are not removed on the command line when passkeys are the only sign-in method', async () => {
    await world.enrol();
    await world.addPasskeyByCode();
    const client = new Client({ connectionString: world.testBed.host.env.DATABASE_URL });
    await client.connect();
    const set = (columns: string) =>
      world.testBed.em().execute(`update "users" set ${columns} where "id" = ?`, [world.user.id]);
    try {
      await client.query('set search_path = identity');
      const remove = async (): Promise<unknown> => {
        await client.query('begin');
        const outcome = await removeFactors(
          async <Row extends object>(text: string, values: unknown[] = []) =>
            (await client.query<Row>(text, values)).rows,
          world.user.username,
        ).catch((error: unknown) => error);
        await client.query('rollback');
        return outcome;
      };
      const closed = { code: 'last-sign-in-method', message: expect.stringContaining('Nothing was removed') };
      const [{ hash } = { hash: '' }] = await world.testBed
        .em()
        .execute<{ hash: string }[]>('select "password_hash" as "hash" from "users" where "id" = ?', [world.user.id]);
      await set(`"password_hash" = ''`);
      expect(await remove()).toMatchObject(closed);
      await world.testBed.em().execute('update "users" set "password_hash" = ? where "id" = ?', [hash, world.user.id]);
      expect(await remove()).toMatchObject({ id: world.user.id });
      const switchTo = (value: string) =>
        client.query(
          `insert into "option" ("key", "value", "revision", "updated_by", "updated_at") values ('PasswordLoginEnabled', $1, 0, 1, now()) on conflict ("key") do update set "value" = $1`,
          [value],
        );
      await switchTo('false');
      try {
        expect(await remove()).toMatchObject(closed);
      } finally {
        await switchTo('true');
      }
      await set(`"password_hash" = '', "github_id" = 'gh-rescued'`);
      expect(await remove()).toMatchObject(closed);
      for (const [key, value] of [
        ['GitHubClientId', 'client'],
        ['GitHubClientSecret', 'secret'],
        ['GitHubOAuthEnabled', 'true'],
      ] as const)
        await world.setOption(key, value);
      expect(await remove()).toMatchObject({ id: world.user.id });
    } finally {
      await client.end();
      await world.testBed.em().execute('delete from "passkey" where "user_id" = ?', [world.user.id]);
      await world.setOption('GitHubOAuthEnabled', 'false');
    }
  });

  it('are removed from a super administrator whose password a command resets while password login is disabled', async () => {
    const rowOf = async () => world.testBed.em().findOneOrFail(User, { id: world.root.id });
    const before = await rowOf();
    await world.addPasskey({ ...world.root, password: 'rootroot' });
    await world.setOption('PasswordLoginEnabled', 'false');
    // Keys that Turnstile does not know, so nobody passes the check.
    await world.setOption('TurnstileSiteKey', 'wrong');
    await world.setOption('TurnstileSecretKey', 'wrong');
    await world.setOption('TurnstileCheckEnabled', 'true');
    await world.testBed
      .em()
      .execute('update "users" set "status" = ? where "id" = ?', [UserStatus.banned, world.root.id]);
    const client = new Client({ connectionString: world.testBed.host.env.DATABASE_URL });
    await client.connect();
    const query = async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows;
    try {
      await client.query('set search_path = identity');
      await expect(letIn(query, 'nobody-at-all')).rejects.toMatchObject({ code: 'user-not-found' });
      await expect(letIn(query, world.user.username)).rejects.toMatchObject({ code: 'rank-too-low' });
      await expect(removeFactors(query, 'root')).rejects.toThrow('"tollgate let-in 1" opens the door.');
      const first = await letIn(query, 'ROOT');
      expect(first).toMatchObject({
        ...{ id: world.root.id, username: 'root', enabled: true },
        switched: ['PasswordLoginEnabled', 'TurnstileCheckEnabled'],
      });
      await world.testBed.own(OptionService).refreshStore();
      const entered = await world.login({ ...world.root, password: first.password });
      expect(entered.body.data).toMatchObject({ id: world.root.id });
      expect((await world.login({ ...world.root, password: 'rootroot' })).body.success).toBe(false);
      expect(await rowOf()).toMatchObject({ passkeyCount: 0, accessTokenHash: null, status: UserStatus.enabled });
      expect((await rowOf()).sessionVersion).toBeGreaterThan(before.sessionVersion);
      expect((await rowOf()).revision).toBeGreaterThan(before.revision);
      expect(await letIn(query, String(world.root.id))).toMatchObject({ switched: [], enabled: false });
      expect(await world.sessionOf(entered)).toMatchObject({ sessionVersion: (await rowOf()).sessionVersion - 1 });

      const events = await query<{ value: string }>(`select "value" from "outbox_event" order by "id" desc limit 40`);
      const said = events.map(({ value }) => value).join('\n');
      expect(said).toContain('"action":"user-let-in"');
      expect(said).toContain('"subject":"option:PasswordLoginEnabled"');
      expect(said).toContain('"subject":"option:TurnstileCheckEnabled"');
      expect(said).toContain(`"status":${UserStatus.banned}`);
      expect(said).not.toContain(first.password);
    } finally {
      await client.end();
      await world.testBed
        .em()
        .execute('update "users" set "password_hash" = ? where "id" = ?', [before.passwordHash, world.root.id]);
    }
  });

  it('are removed by administrators of higher rank, with an audit entry, and not by equals', async () => {
    await world.enrol();
    await world.addPasskeyByCode();
    const admin = await addUser(world.testBed, world.root, 10);
    const peer = await addUser(world.testBed, world.root, 10);
    await world.enrol(peer);
    const remove = (id: number, as: Account) => world.testBed.request('DELETE', `/api/user/${id}/2fa`, { as });
    expect((await remove(peer.id, admin)).body.success).toBe(false);
    expect((await remove(world.root.id, world.root)).body.success).toBe(false);
    expect((await remove(world.user.id, world.user)).body.success).toBe(false);
    expect((await remove(world.user.id, admin)).body.success).toBe(true);
    expect((await world.login()).body.data).toMatchObject({ id: world.user.id });
    const rows = await world.testBed
      .em()
      .execute<{ value: string }[]>(
        `select "value" from "outbox_event" where "value" like '%user-remove-factors%' order by "id" desc`,
      );
    expect(rows[0]?.value).toContain('"before":{"totp":true,"passkeys":1}');
    expect(rows[0]?.value).toContain(`"actorId":${admin.id}`);
  });
});
