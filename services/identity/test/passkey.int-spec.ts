import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hasPostgres, type SoftAuthenticator } from '@tollgate/testing';
import { cookieOf, FactorWorld, type Member, type Options } from './factor-world.js';
import { type Account, addUser } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('passkeys', () => {
  const world = new FactorWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());
  beforeEach(() => world.addMember());

  it('sign super administrators in while password login is disabled, and the last one cannot be deleted then', async () => {
    const boss: Member = { ...world.root, password: 'rootroot' };
    const off = () =>
      world.testBed.request('PUT', '/api/option/', {
        as: world.root,
        body: { key: 'PasswordLoginEnabled', value: 'false' },
      });
    expect((await off()).body.code).toBe('last-sign-in-method');
    const cookie = cookieOf(await world.login(boss));
    const key = await world.addPasskey(boss);
    expect((await off()).body.success).toBe(true);
    try {
      expect((await world.login(boss)).body.code).toBe('password-login-closed');
      expect((await (await world.passkeyLogin(key)).finish()).body.data).toMatchObject({ id: world.root.id });
      const moved = { key: 'ServerAddress', value: 'https://elsewhere.example' };
      expect((await world.testBed.request('PUT', '/api/option/', { as: world.root, body: moved })).body.code).toBe(
        'last-sign-in-method',
      );
      const list = await world.testBed.request('GET', '/api/user/self/passkey', { as: world.root });
      const [row] = list.body.data as { id: number }[];
      const body = { password: boss.password };
      const path = `/api/user/self/passkey/${row?.id}`;
      const removal = await world.testBed.request('DELETE', path, { as: world.root, headers: { cookie }, body });
      expect(removal.body.code).toBe('own-last-sign-in-method');
    } finally {
      await world.setOption('PasswordLoginEnabled', 'true');
    }
    await world.testBed.em().execute('delete from "passkey" where "user_id" = ?', [world.root.id]);
    await world.testBed.em().execute('update "users" set "passkey_count" = 0 where "id" = ?', [world.root.id]);
  });

  it('sign in without name and password, and password login still works', async () => {
    const key = await world.addPasskey();
    const { finish } = await world.passkeyLogin(key);
    const entered = await finish();
    expect(entered.body.data).toMatchObject({ id: world.user.id });
    expect(await world.sessionOf(entered)).toMatchObject({ userId: world.user.id });
    expect((await world.login()).body.data).toMatchObject({ id: world.user.id });
  });

  it('are accepted once per challenge, in the same browser, for this host, and with user verification', async () => {
    const key = await world.addPasskey();
    const once = await world.passkeyLogin(key);
    expect((await once.finish()).body.success).toBe(true);
    expect((await once.finish()).body.code).toBe('passkey-expired');
    const [mine, other] = [await world.passkeyLogin(key), await world.passkeyLogin(key)];
    const swapped = await world.post(
      '/api/user/passkey/login/finish',
      { response: mine.response },
      { cookie: other.visit },
    );
    expect(swapped.body.code).toBe('passkey-refused');

    const { body, headers } = await world.post('/api/user/passkey/login/begin');
    const cookie = cookieOf({ headers });
    const unverified = key.get(body.data as Options, 0x01);
    expect(
      (await world.post('/api/user/passkey/login/finish', { response: unverified }, { cookie })).body.success,
    ).toBe(false);
    const elsewhere = Object.create(key, { origin: { value: 'https://evil.example' } }) as SoftAuthenticator;
    expect((await (await world.passkeyLogin(elsewhere)).finish()).body.code).toBe('passkey-refused');
  });

  it('are refused when their signature counter goes back, as a copy of the key would do', async () => {
    const key = await world.addPasskey();
    key.counter = 6;
    expect((await (await world.passkeyLogin(key)).finish()).body.success).toBe(true);
    key.counter = 3;
    expect((await (await world.passkeyLogin(key)).finish()).body.code).toBe('passkey-refused');
  });

  it('do not sign in a banned user', async () => {
    const key = await world.addPasskey();
    await world.post('/api/user/manage', { id: world.user.id, action: 'disable' }, { as: world.root });
    expect((await (await world.passkeyLogin(key)).finish()).body.code).toBe('passkey-refused');
  });

  it('are listed, renamed and deleted by their owner only', async () => {
    const key = await world.addPasskey();
    const cookie = cookieOf(await world.login());
    const list = async () =>
      (await world.testBed.request('GET', '/api/user/self/passkey', { as: world.user })).body.data as {
        id: number;
        name: string;
      }[];
    const [row] = await list();
    expect(row).toMatchObject({ name: 'phone', host: 'gate.example', usable: true });
    const path = `/api/user/self/passkey/${row?.id}`;
    const stranger = await addUser(world.testBed, world.root);
    const foreign = cookieOf(await world.login(stranger));
    const rename = (as: Account) => world.testBed.request('PUT', path, { as, body: { name: 'desk' } });
    expect((await rename(stranger)).body.code).toBe('passkey-not-found');
    expect((await rename(world.user)).body.success).toBe(true);
    expect(await list()).toMatchObject([{ name: 'desk' }]);
    const remove = (as: Member, by: string) =>
      world.testBed.request('DELETE', path, { as, headers: { cookie: by }, body: { password: as.password } });
    expect((await remove(stranger, foreign)).body.code).toBe('passkey-not-found');
    expect((await remove(world.user, cookie)).body.success).toBe(true);
    expect((await (await world.passkeyLogin(key)).finish()).body.code).toBe('passkey-refused');
  });

  it('serve as the second factor when the operator requires one, for the same user only', async () => {
    const [key, member] = [await world.addPasskey(), world.user];
    const stranger = await addUser(world.testBed, world.root);
    const strangers = await world.addPasskey(stranger);
    const demand = (value: string) =>
      world.testBed.request('PUT', '/api/option/', { as: world.root, body: { key: 'SecondFactorRequiredFor', value } });
    for (const shutting of ['admins', 'everybody'])
      expect((await demand(shutting)).body).toMatchObject({
        success: false,
        code: 'own-factor-missing',
        message: '请先在个人设置中为自己的账户启用两步验证或添加通行密钥，再要求他人启用',
      });
    expect((await demand('nobody')).body.success).toBe(true);
    const own = (passkeys: number) =>
      world.testBed.em().execute('update "users" set "passkey_count" = ? where "id" = ?', [passkeys, world.root.id]);
    await own(1);
    await world.setOption('SecondFactorRequiredFor', 'everybody');
    try {
      const asked = await world.login(member);
      expect(asked.body.data).toEqual({ require_2fa: true, methods: ['passkey'] });
      const wrong = await world.passkeyLogin(strangers, cookieOf(asked), true);
      expect((await wrong.finish()).body.code).toBe('passkey-refused');
      const right = await world.passkeyLogin(key, cookieOf(asked), true);
      expect((await right.finish()).body.data).toMatchObject({ id: member.id });
      const fresh = await addUser(world.testBed, world.root);
      const self = await world.testBed.request('GET', '/api/user/self', { as: fresh });
      expect(self.body.data).toMatchObject({ must_set_two_factor: true, two_factor: false });
      expect((await world.login(fresh)).body.data).toMatchObject({ id: fresh.id });
    } finally {
      await world.setOption('SecondFactorRequiredFor', 'nobody');
      await own(0);
    }
  });
});
