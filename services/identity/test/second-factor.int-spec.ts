import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { resolveUsers, UserStatus } from '@tollgate/contracts';
import { Clock, SessionStore } from '@tollgate/chassis';
import { hasPostgres, SoftAuthenticator } from '@tollgate/testing';
import { Secret, TOTP } from 'otpauth';
import { Client } from 'pg';
import { letIn, removeFactors } from '../src/index.js';
import { OptionService } from '../src/option/option.service.js';
import { User } from '../src/user/user.entity.js';
import { type Account, addUser, type Answer, setUp, type Stand, startIdentity } from './stand.js';

type Member = Account & { password: string };
type Options = Parameters<SoftAuthenticator['create']>[0] & Parameters<SoftAuthenticator['get']>[0];

const ORIGIN = 'https://gate.example';
const cookieOf = (answer: Answer): string => String(answer.headers['set-cookie']).split(';')[0] ?? '';

(hasPostgres() ? describe : describe.skip)('second factors', () => {
  let stand: Stand;
  let root: Account;
  let sessions: SessionStore;
  let user: Member;
  let now = Date.now();

  beforeAll(async () => {
    stand = await startIdentity();
    stand.own(Clock).now = () => now;
    root = await setUp(stand);
    sessions = new SessionStore(stand.host.keyValue, (label, text) => stand.host.secrets.hmacs(label, text));
    await setOption('ServerAddress', ORIGIN);
  }, 60_000);
  afterAll(() => stand?.stop());
  beforeEach(async () => {
    user = await addUser(stand, root);
  });

  const setOption = async (key: string, value: string) => {
    const { body } = await stand.request('PUT', '/api/option/', { as: root, body: { key, value } });
    expect(body).toMatchObject({ success: true });
  };
  const post = (path: string, body: object = {}, call: { as?: Account; cookie?: string } = {}) =>
    stand.request('POST', path, { body, as: call.as, headers: call.cookie ? { cookie: call.cookie } : {} });
  const login = (who: Member = user) => post('/api/user/login', { username: who.username, password: who.password });
  const sessionOf = async (answer: Answer) => sessions.read(cookieOf(answer).replace(/^[\w-]*session=/, ''));
  const codeAt = (secret: string, ms: number): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });
  const step = (cookie: string, code: string) => post('/api/user/login/2fa', { code }, { cookie });

  async function enrol(who: Member = user): Promise<{ secret: string; codes: string[] }> {
    const cookie = cookieOf(await login(who));
    const setup = await post('/api/user/self/2fa/setup', { password: who.password }, { as: who, cookie });
    const { secret } = setup.body.data as { secret: string };
    const enabled = await post('/api/user/self/2fa/enable', { code: codeAt(secret, now) }, { as: who, cookie });
    expect(enabled.body).toMatchObject({ success: true });
    now += 60_000;
    return { secret, codes: (enabled.body.data as { recovery_codes: string[] }).recovery_codes };
  }

  async function addPasskey(who: Member = user): Promise<SoftAuthenticator> {
    const cookie = cookieOf(await login(who));
    const key = new SoftAuthenticator(ORIGIN);
    const { body } = await post('/api/user/self/passkey/begin', { password: who.password }, { as: who, cookie });
    const response = key.create(body.data as Options);
    const created = await post('/api/user/self/passkey', { name: 'phone', response }, { as: who, cookie });
    expect(created.body).toMatchObject({ success: true });
    return key;
  }
  /** Makes one though the sign-in asks for a code. */
  const addPasskeyByCode = async () => {
    await stand.em().execute(
      `insert into "passkey" ("user_id", "credential_id", "public_key", "counter", "transports", "host", "name", "backed_up", "created_at")
       values (?, 'x', 'y', 0, '', 'gate.example', 'key', false, now())`,
      [user.id],
    );
    await stand.em().execute('update "users" set "passkey_count" = 1 where "id" = ?', [user.id]);
  };
  const passkeyLogin = async (key: SoftAuthenticator, cookie = '', secondStep = false) => {
    const begun = await post('/api/user/passkey/login/begin', { second_step: secondStep }, { cookie });
    const visit = begun.headers['set-cookie'] ? cookieOf(begun) : cookie;
    const response = key.get(begun.body.data as Options);
    return { visit, response, finish: () => post('/api/user/passkey/login/finish', { response }, { cookie: visit }) };
  };

  it('ask for a code after the password once an app is confirmed, and keep the secret', async () => {
    const { secret, codes } = await enrol();
    expect(codes).toHaveLength(10);
    const asked = await login();
    expect(asked.body).toEqual({
      success: true,
      message: '请完成两步验证',
      data: { require_2fa: true, methods: ['totp', 'recovery'] },
    });
    expect(await sessionOf(asked)).toBeUndefined();
    const entered = await step(cookieOf(asked), codeAt(secret, now));
    expect(entered.body.data).toMatchObject({ id: user.id, username: user.username });
    expect(await sessionOf(entered)).toMatchObject({ userId: user.id });
    expect((await step(cookieOf(asked), codeAt(secret, now + 30_000))).body.code).toBe('second-step-over');

    const rows = await stand.em().execute('select * from "users" where "id" = ?', [user.id]);
    const outbox = await stand.em().execute('select * from "outbox_event"');
    expect(JSON.stringify([rows, outbox])).not.toContain(secret);
    const [record] = (await stand.internal(resolveUsers, { ids: [user.id] })).users;
    expect(record?.secondFactor).toBe(true);
  });

  it('take a code once, of several calls and sign-ins alike, and never an older one', async () => {
    const { secret } = await enrol();
    const code = codeAt(secret, now);
    const visits = await Promise.all([login(), login(), login()]);
    const answers = await Promise.all(visits.map((visit) => step(cookieOf(visit), code)));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    expect(answers.find(({ body }) => !body.success)?.body.code).toBe('second-factor-wrong');
    const older = await step(cookieOf(await login()), codeAt(secret, now - 30_000));
    expect(older.body.message).toBe('验证码错误或已使用');
  });

  it('take each recovery code once, however it is written', async () => {
    const { codes } = await enrol();
    const [code = ''] = codes;
    const spelled = ` ${code.toUpperCase().replace('-', ' ')}`;
    expect((await step(cookieOf(await login()), spelled)).body.success).toBe(true);
    expect((await step(cookieOf(await login()), code)).body.success).toBe(false);
    const rows = await stand.em().execute('select "hash" from "recovery_code"');
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('end a step after five wrong codes, and slow guesses down over many', async () => {
    const { secret } = await enrol();
    const visit = cookieOf(await login());
    for (let guess = 0; guess < 5; guess += 1)
      expect((await step(visit, '000000')).body.code).toBe('second-factor-wrong');
    expect((await step(visit, codeAt(secret, now))).body.code).toBe('second-step-over');
    await stand.guess(15, 'second-factor', String(user.id), '127.0.0.1');
    expect((await step(cookieOf(await login()), codeAt(secret, now))).status).toBe(429);
  });

  it('end by password and code only', async () => {
    const { secret } = await enrol();
    const visit = cookieOf(await login());
    const cookie = cookieOf(await step(visit, codeAt(secret, now)));
    const disable = (body: object) => post('/api/user/self/2fa/disable', body, { as: user, cookie });
    const next = codeAt(secret, now + 30_000);
    expect((await disable({ code: next })).body.code).toBe('password-needed');
    expect((await disable({ code: next, password: 'not mine' })).body.code).toBe('original-password-wrong');
    expect((await disable({ code: '000000', password: user.password })).body.code).toBe('second-factor-wrong');
    expect((await disable({ code: next, password: user.password })).body.success).toBe(true);
    expect((await login()).body.data).toMatchObject({ id: user.id });
  });

  it('are begun, renewed and deleted by the password or a code only, however fresh the sign-in', async () => {
    const cookie = cookieOf(await login());
    const call = (path: string, body: object) => post(path, body, { as: user, cookie });
    for (const path of ['passkey/begin', '2fa/setup', '2fa/recovery_codes']) {
      expect((await call(`/api/user/self/${path}`, {})).body.code).toBe('password-needed');
      expect((await call(`/api/user/self/${path}`, { password: 'not mine' })).body.code).toBe(
        'original-password-wrong',
      );
      expect((await call(`/api/user/self/${path}`, { code: '123456' })).body.code).toBe('password-needed');
    }
    const { secret, codes } = await enrol();
    const begin = (body: object) => call('/api/user/self/passkey/begin', body);
    expect((await begin({ code: '000000' })).body.code).toBe('second-factor-wrong');
    expect((await begin({ code: codeAt(secret, now) })).body.success).toBe(true);
    expect((await begin({ code: codeAt(secret, now) })).body.code).toBe('second-factor-wrong');
    expect((await begin({ code: codes[0] })).body.success).toBe(true);
    expect((await begin({ password: user.password })).body.success).toBe(true);
    const removal = await stand.request('DELETE', '/api/user/self/passkey/1', { as: user, headers: { cookie } });
    expect(removal.body.code).toBe('password-needed');
  });

  it('are begun by whoever has no password with a code, or else right after a sign-in', async () => {
    const cookie = cookieOf(await login());
    const clock = stand.own(Clock);
    const { secret } = await enrol();
    await stand.em().execute(`update "users" set "password_hash" = '' where "id" = ?`, [user.id]);
    const begin = (body: object) => post('/api/user/self/passkey/begin', body, { as: user, cookie });
    expect((await begin({})).body).toMatchObject({ code: 'code-needed', message: '请输入验证码' });
    expect((await begin({ code: codeAt(secret, now) })).body.success).toBe(true);
    await stand.em().execute(`update "users" set "sealed_totp" = null where "id" = ?`, [user.id]);
    expect((await begin({})).body.success).toBe(true);
    const later = now + 11 * 60_000;
    clock.now = () => later;
    expect((await begin({})).body.code).toBe('sign-in-again');
    clock.now = () => now;
  });

  it('are asked before whoever has no password adds one, for it is a way in like any other', async () => {
    const cookie = cookieOf(await login());
    const { codes } = await enrol();
    await stand.em().execute(`update "users" set "password_hash" = '' where "id" = ?`, [user.id]);
    const add = (proof: object) => {
      const body = { password: 'my first one', ...proof };
      return stand.request('PUT', '/api/user/self', { as: user, headers: { cookie }, body });
    };
    expect((await add({})).body).toMatchObject({ code: 'code-needed', message: '请输入验证码' });
    expect((await add({ code: '000000' })).body.code).toBe('second-factor-wrong');
    expect((await add({ code: codes[0] })).body.success).toBe(true);
    expect((await login({ ...user, password: 'my first one' })).body.data).toMatchObject({ require_2fa: true });
  });

  it('are taken off on the command line, by name or number, and audited', async () => {
    await enrol();
    await addPasskeyByCode();
    const client = new Client({ connectionString: stand.host.env.DATABASE_URL });
    await client.connect();
    try {
      await client.query('set search_path = identity');
      const remove = (who: string) =>
        removeFactors(
          async <Row extends object>(text: string, values: unknown[] = []) =>
            (await client.query<Row>(text, values)).rows,
          who,
        );
      const before = await stand.em().findOneOrFail(User, { id: user.id });
      await expect(remove('nobody-at-all')).rejects.toMatchObject({ code: 'user-not-found' });
      expect(await remove(user.username)).toEqual({ id: user.id, username: user.username });
      await expect(remove(String(user.id))).rejects.toMatchObject({ code: 'totp-not-set' });
      const after = await stand.em().findOneOrFail(User, { id: user.id });
      expect(after).toMatchObject({ sealedTotp: null, passkeyCount: 0, sessionVersion: before.sessionVersion + 1 });
      expect(after.revision).toBeGreaterThan(before.revision);
    } finally {
      await client.end();
    }
    expect((await login()).body.data).toMatchObject({ id: user.id });
    const rows = await stand
      .em()
      .execute<{ value: string }[]>(`select "value" from "outbox_event" where "value" like '%command line%'`);
    expect(rows[0]?.value).toContain(`"subject":"user:${user.id}"`);
    expect(rows[0]?.value).toContain('"unattended":true');
  });

  it('are left on the command line where passkeys are the only way in', async () => {
    await enrol();
    await addPasskeyByCode();
    const client = new Client({ connectionString: stand.host.env.DATABASE_URL });
    await client.connect();
    const set = (columns: string) => stand.em().execute(`update "users" set ${columns} where "id" = ?`, [user.id]);
    try {
      await client.query('set search_path = identity');
      const remove = async (): Promise<unknown> => {
        await client.query('begin');
        const outcome = await removeFactors(
          async <Row extends object>(text: string, values: unknown[] = []) =>
            (await client.query<Row>(text, values)).rows,
          user.username,
        ).catch((error: unknown) => error);
        await client.query('rollback');
        return outcome;
      };
      const closed = { code: 'last-sign-in-method', message: expect.stringContaining('Nothing was removed') };
      const [{ hash } = { hash: '' }] = await stand
        .em()
        .execute<{ hash: string }[]>('select "password_hash" as "hash" from "users" where "id" = ?', [user.id]);
      await set(`"password_hash" = ''`);
      expect(await remove()).toMatchObject(closed);
      await stand.em().execute('update "users" set "password_hash" = ? where "id" = ?', [hash, user.id]);
      expect(await remove()).toMatchObject({ id: user.id });
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
        await setOption(key, value);
      expect(await remove()).toMatchObject({ id: user.id });
    } finally {
      await client.end();
      await stand.em().execute('delete from "passkey" where "user_id" = ?', [user.id]);
      await setOption('GitHubOAuthEnabled', 'false');
    }
  });

  it('are taken off a super administrator whom a command lets in by a new password, with the password closed before', async () => {
    const rowOf = async () => stand.em().findOneOrFail(User, { id: root.id });
    const before = await rowOf();
    await addPasskey({ ...root, password: 'rootroot' });
    await setOption('PasswordLoginEnabled', 'false');
    // Keys that Turnstile does not know, which nobody passes.
    await setOption('TurnstileSiteKey', 'wrong');
    await setOption('TurnstileSecretKey', 'wrong');
    await setOption('TurnstileCheckEnabled', 'true');
    await stand.em().execute('update "users" set "status" = ? where "id" = ?', [UserStatus.banned, root.id]);
    const client = new Client({ connectionString: stand.host.env.DATABASE_URL });
    await client.connect();
    const query = async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows;
    try {
      await client.query('set search_path = identity');
      await expect(letIn(query, 'nobody-at-all')).rejects.toMatchObject({ code: 'user-not-found' });
      await expect(letIn(query, user.username)).rejects.toMatchObject({ code: 'rank-too-low' });
      await expect(removeFactors(query, 'root')).rejects.toThrow('"tollgate let-in 1" opens the door.');
      const first = await letIn(query, 'ROOT');
      expect(first).toMatchObject({
        ...{ id: root.id, username: 'root', enabled: true },
        switched: ['PasswordLoginEnabled', 'TurnstileCheckEnabled'],
      });
      await stand.own(OptionService).refreshStore();
      const entered = await login({ ...root, password: first.password });
      expect(entered.body.data).toMatchObject({ id: root.id });
      expect((await login({ ...root, password: 'rootroot' })).body.success).toBe(false);
      expect(await rowOf()).toMatchObject({ passkeyCount: 0, accessTokenHash: null, status: UserStatus.enabled });
      expect((await rowOf()).sessionVersion).toBeGreaterThan(before.sessionVersion);
      expect((await rowOf()).revision).toBeGreaterThan(before.revision);
      expect(await letIn(query, String(root.id))).toMatchObject({ switched: [], enabled: false });
      expect(await sessionOf(entered)).toMatchObject({ sessionVersion: (await rowOf()).sessionVersion - 1 });

      const events = await query<{ value: string }>(`select "value" from "outbox_event" order by "id" desc limit 40`);
      const said = events.map(({ value }) => value).join('\n');
      expect(said).toContain('"action":"user-let-in"');
      expect(said).toContain('"subject":"option:PasswordLoginEnabled"');
      expect(said).toContain('"subject":"option:TurnstileCheckEnabled"');
      expect(said).toContain(`"status":${UserStatus.banned}`);
      expect(said).not.toContain(first.password);
    } finally {
      await client.end();
      await stand.em().execute('update "users" set "password_hash" = ? where "id" = ?', [before.passwordHash, root.id]);
    }
  });

  it('are taken off by administrators above, audited, and never off equals', async () => {
    await enrol();
    await addPasskeyByCode();
    const admin = await addUser(stand, root, 10);
    const peer = await addUser(stand, root, 10);
    await enrol(peer);
    const remove = (id: number, as: Account) => stand.request('DELETE', `/api/user/${id}/2fa`, { as });
    expect((await remove(peer.id, admin)).body.success).toBe(false);
    expect((await remove(root.id, root)).body.success).toBe(false);
    expect((await remove(user.id, user)).body.success).toBe(false);
    expect((await remove(user.id, admin)).body.success).toBe(true);
    expect((await login()).body.data).toMatchObject({ id: user.id });
    const rows = await stand
      .em()
      .execute<{ value: string }[]>(
        `select "value" from "outbox_event" where "value" like '%user-remove-factors%' order by "id" desc`,
      );
    expect(rows[0]?.value).toContain('"before":{"totp":true,"passkeys":1}');
    expect(rows[0]?.value).toContain(`"actorId":${admin.id}`);
  });

  describe('that are passkeys', () => {
    it('let super administrators in where password login is off, and go no more before it is on again', async () => {
      const boss: Member = { ...root, password: 'rootroot' };
      const off = () =>
        stand.request('PUT', '/api/option/', { as: root, body: { key: 'PasswordLoginEnabled', value: 'false' } });
      expect((await off()).body.code).toBe('last-sign-in-method');
      const cookie = cookieOf(await login(boss));
      const key = await addPasskey(boss);
      expect((await off()).body.success).toBe(true);
      try {
        expect((await login(boss)).body.code).toBe('password-login-closed');
        expect((await (await passkeyLogin(key)).finish()).body.data).toMatchObject({ id: root.id });
        const moved = { key: 'ServerAddress', value: 'https://elsewhere.example' };
        expect((await stand.request('PUT', '/api/option/', { as: root, body: moved })).body.code).toBe(
          'last-sign-in-method',
        );
        const list = await stand.request('GET', '/api/user/self/passkey', { as: root });
        const [row] = list.body.data as { id: number }[];
        const body = { password: boss.password };
        const path = `/api/user/self/passkey/${row?.id}`;
        const removal = await stand.request('DELETE', path, { as: root, headers: { cookie }, body });
        expect(removal.body.code).toBe('last-sign-in-method');
      } finally {
        await setOption('PasswordLoginEnabled', 'true');
      }
      await stand.em().execute('delete from "passkey" where "user_id" = ?', [root.id]);
      await stand.em().execute('update "users" set "passkey_count" = 0 where "id" = ?', [root.id]);
    });

    it('sign in without name or password, and the password alone goes on to do', async () => {
      const key = await addPasskey();
      const { finish } = await passkeyLogin(key);
      const entered = await finish();
      expect(entered.body.data).toMatchObject({ id: user.id });
      expect(await sessionOf(entered)).toMatchObject({ userId: user.id });
      expect((await login()).body.data).toMatchObject({ id: user.id });
    });

    it('answer a challenge once, in the browser that asked, for this host, with the finger', async () => {
      const key = await addPasskey();
      const once = await passkeyLogin(key);
      expect((await once.finish()).body.success).toBe(true);
      expect((await once.finish()).body.code).toBe('passkey-expired');
      const [mine, other] = [await passkeyLogin(key), await passkeyLogin(key)];
      const swapped = await post(
        '/api/user/passkey/login/finish',
        { response: mine.response },
        { cookie: other.visit },
      );
      expect(swapped.body.code).toBe('passkey-refused');

      const { body, headers } = await post('/api/user/passkey/login/begin');
      const cookie = cookieOf({ headers } as Answer);
      const unverified = key.get(body.data as Options, 0x01);
      expect((await post('/api/user/passkey/login/finish', { response: unverified }, { cookie })).body.success).toBe(
        false,
      );
      const elsewhere = Object.create(key, { origin: { value: 'https://evil.example' } }) as SoftAuthenticator;
      expect((await (await passkeyLogin(elsewhere)).finish()).body.code).toBe('passkey-refused');
    });

    it('are refused to a copy that counts behind', async () => {
      const key = await addPasskey();
      key.counter = 6;
      expect((await (await passkeyLogin(key)).finish()).body.success).toBe(true);
      key.counter = 3;
      expect((await (await passkeyLogin(key)).finish()).body.code).toBe('passkey-refused');
    });

    it('let nobody in who is banned', async () => {
      const key = await addPasskey();
      await post('/api/user/manage', { id: user.id, action: 'disable' }, { as: root });
      expect((await (await passkeyLogin(key)).finish()).body.code).toBe('passkey-refused');
    });

    it('are listed, renamed and deleted by their owner only', async () => {
      const key = await addPasskey();
      const cookie = cookieOf(await login());
      const list = async () =>
        (await stand.request('GET', '/api/user/self/passkey', { as: user })).body.data as {
          id: number;
          name: string;
        }[];
      const [row] = await list();
      expect(row).toMatchObject({ name: 'phone', host: 'gate.example', usable: true });
      const path = `/api/user/self/passkey/${row?.id}`;
      const stranger = await addUser(stand, root);
      const foreign = cookieOf(await login(stranger));
      const rename = (as: Account) => stand.request('PUT', path, { as, body: { name: 'desk' } });
      expect((await rename(stranger)).body.code).toBe('passkey-not-found');
      expect((await rename(user)).body.success).toBe(true);
      expect(await list()).toMatchObject([{ name: 'desk' }]);
      const remove = (as: Member, by: string) =>
        stand.request('DELETE', path, { as, headers: { cookie: by }, body: { password: as.password } });
      expect((await remove(stranger, foreign)).body.code).toBe('passkey-not-found');
      expect((await remove(user, cookie)).body.success).toBe(true);
      expect((await (await passkeyLogin(key)).finish()).body.code).toBe('passkey-refused');
    });

    it('are the second step where the operator asks for one, of the same person only', async () => {
      const [key, member] = [await addPasskey(), user];
      const stranger = await addUser(stand, root);
      const strangers = await addPasskey(stranger);
      const demand = (value: string) =>
        stand.request('PUT', '/api/option/', { as: root, body: { key: 'SecondFactorRequiredFor', value } });
      for (const shutting of ['admins', 'everybody'])
        expect((await demand(shutting)).body).toMatchObject({
          success: false,
          code: 'own-factor-missing',
          message: '请先在个人设置中为自己的账户启用两步验证或添加通行密钥，再要求他人启用',
        });
      expect((await demand('nobody')).body.success).toBe(true);
      const own = (passkeys: number) =>
        stand.em().execute('update "users" set "passkey_count" = ? where "id" = ?', [passkeys, root.id]);
      await own(1);
      await setOption('SecondFactorRequiredFor', 'everybody');
      try {
        const asked = await login(member);
        expect(asked.body.data).toEqual({ require_2fa: true, methods: ['passkey'] });
        const wrong = await passkeyLogin(strangers, cookieOf(asked), true);
        expect((await wrong.finish()).body.code).toBe('passkey-refused');
        const right = await passkeyLogin(key, cookieOf(asked), true);
        expect((await right.finish()).body.data).toMatchObject({ id: member.id });
        const fresh = await addUser(stand, root);
        const self = await stand.request('GET', '/api/user/self', { as: fresh });
        expect(self.body.data).toMatchObject({ must_set_two_factor: true, two_factor: false });
        expect((await login(fresh)).body.data).toMatchObject({ id: fresh.id });
      } finally {
        await setOption('SecondFactorRequiredFor', 'nobody');
        await own(0);
      }
    });
  });
});
