import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SignIn } from '@tollgate/contracts/api/session';
import { SessionStore } from '@tollgate/chassis';
import { eventually, hasPostgres, isWaitedFor } from '@tollgate/testing';
import { Client } from 'pg';
import { User } from '../src/user/user.entity.js';
import { VerificationCodes } from '../src/verification/verification-codes.js';
import { type Account, addUser, setUp, type TestBed, startIdentity } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('the sessions of a user', () => {
  let testBed: TestBed;
  let root: Account;
  let store: SessionStore;
  let user: Account & { password: string };

  beforeAll(async () => {
    testBed = await startIdentity({ TOLLGATE_RATE_LIMITS: 'off' });
    root = await setUp(testBed);
    store = new SessionStore(testBed.host.keyValue, (label, text) => testBed.host.secrets.hmacs(label, text));
    user = await addUser(testBed, root);
  }, 60_000);
  afterAll(() => testBed?.stop());

  const signIn = async (agent: string): Promise<string> => {
    const body = { username: user.username, password: user.password };
    const answer = await testBed.request('POST', '/api/user/login', { body, headers: { 'user-agent': agent } });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const list = async (as: Account, path: string, cookie = ''): Promise<SignIn[]> =>
    (await testBed.request('GET', path, { as, headers: { cookie } })).body.data as SignIn[];
  const isAlive = async (cookie: string) => {
    const session = await store.read(cookie.replace('session=', ''));
    const { sessionVersion } = await testBed.em().findOneOrFail(User, { id: user.id });
    return session?.sessionVersion === sessionVersion;
  };
  /** Returns the new cookie of the caller. */
  const endOthers = async (cookie = ''): Promise<string> => {
    const answer = await testBed.request('DELETE', OWN, { as: user, headers: { cookie, 'user-agent': 'curl' } });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const OWN = '/api/user/self/session';

  it('are listed with browser and address, and are ended one by one or all others at once', async () => {
    const cookies = [await signIn('Firefox on Linux'), await signIn('Safari on iPhone'), await signIn('curl')];
    const rows = await list(user, OWN, cookies[2]);
    expect(rows.map(({ user_agent: agent, current }) => [agent, current])).toEqual([
      ['curl', true],
      ['Safari on iPhone', false],
      ['Firefox on Linux', false],
    ]);
    expect(rows[0]).toMatchObject({ address: '127.0.0.1' });
    expect(JSON.stringify(rows)).not.toContain(cookies[2]?.replace('session=', ''));

    const stranger = await addUser(testBed, root);
    const path = `${OWN}/${rows[1]?.id}`;
    expect((await testBed.request('DELETE', path, { as: stranger })).body.code).toBe('session-not-found');
    expect((await testBed.request('DELETE', path, { as: user })).body.success).toBe(true);
    expect(await Promise.all(cookies.map(isAlive))).toEqual([true, false, true]);
    const own = await endOthers(cookies[2]);
    expect(await Promise.all([...cookies, own].map(isAlive))).toEqual([false, false, false, true]);
    expect(await list(user, OWN, own)).toMatchObject([{ user_agent: 'curl', current: true }]);
  });

  it('are ended with all others even when the list lacks them', async () => {
    const [old, own] = [await signIn('long ago'), await signIn('now')];
    await testBed.em().execute('delete from "sign_in" where "user_agent" = ?', ['long ago']);
    expect(await Promise.all([old, await endOthers(own)].map(isAlive))).toEqual([false, true]);
  });

  it('are listed and ended by administrators of higher rank, and by no other user', async () => {
    const cookie = await signIn('Chrome');
    const path = `/api/user/${user.id}/session`;
    const admin = await addUser(testBed, root, 10);
    const rows = await list(admin, path);
    expect(rows[0]).toMatchObject({ user_agent: 'Chrome', current: false });
    expect((await testBed.request('GET', path, { as: await addUser(testBed, root) })).body.success).toBe(false);
    expect((await testBed.request('GET', `/api/user/${root.id}/session`, { as: admin })).body.success).toBe(false);
    await testBed.request('DELETE', `${path}/${rows[0]?.id}`, { as: admin });
    expect(await isAlive(cookie)).toBe(false);
    const before = await testBed.em().findOneOrFail(User, { id: user.id });
    await testBed.request('DELETE', path, { as: admin });
    const after = await testBed.em().findOneOrFail(User, { id: user.id });
    expect(after.sessionVersion).toBe(before.sessionVersion + 1);
    expect(await list(admin, path)).toEqual([]);
  });

  /** The same user, whose request was admitted before the sessions ended. */
  const inFlight = () => ({ ...user, sessionVersion: 1 });
  const email = 'thief@example.com';
  const codes = () => testBed.own(VerificationCodes).issue(`bind-email:${user.id}`, email);
  it.each([
    ['a new session', () => testBed.request('DELETE', OWN, { as: inFlight() })],
    ['an access token', () => testBed.request('GET', '/api/user/token', { as: inFlight() })],
    ['another name', () => testBed.request('PUT', '/api/user/self', { as: inFlight(), body: { display_name: 'x' } })],
    ['the deletion of the account', () => testBed.request('DELETE', '/api/user/self', { as: inFlight() })],
    [
      'an email address',
      async () =>
        testBed.request('GET', '/api/oauth/email/bind', { as: inFlight(), query: { email, code: await codes() } }),
    ],
  ])('that have ended do not give a request under way %s', async (_, request) => {
    user = await addUser(testBed, root);
    const client = new Client({ connectionString: testBed.host.env.DATABASE_URL });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from identity.users where "id" = $1 for update', [user.id]);
      const reply = request();
      await eventually('the request waits for the user', () => isWaitedFor((sql) => client.query(sql)));
      await client.query('update identity.users set "session_version" = 2 where "id" = $1', [user.id]);
      await client.query('commit');
      const { body, status, headers } = await reply;
      expect([status, body.code, headers['set-cookie']]).toEqual([401, 'not-signed-in', undefined]);
      expect(await testBed.em().findOneOrFail(User, { id: user.id })).toMatchObject({
        ...{ accessTokenHash: null, displayName: user.username, deletedAt: null, email: '', sessionVersion: 2 },
      });
    } finally {
      await client.end();
    }
  });
});
