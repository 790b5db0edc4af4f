import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SignIn } from '@tollgate/contracts/api/session';
import { SessionStore } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import { User } from '../src/user/user.entity.js';
import { type Account, addUser, setUp, type Stand, startIdentity } from './stand.js';

(hasPostgres() ? describe : describe.skip)('the sessions of a user', () => {
  let stand: Stand;
  let root: Account;
  let store: SessionStore;
  let user: Account & { password: string };

  beforeAll(async () => {
    stand = await startIdentity({ TOLLGATE_RATE_LIMITS: 'off' });
    root = await setUp(stand);
    store = new SessionStore(stand.host.keyValue, (label, text) => stand.host.secrets.hmacs(label, text));
    user = await addUser(stand, root);
  }, 60_000);
  afterAll(() => stand?.stop());

  const signIn = async (agent: string): Promise<string> => {
    const body = { username: user.username, password: user.password };
    const answer = await stand.request('POST', '/api/user/login', { body, headers: { 'user-agent': agent } });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const list = async (as: Account, path: string, cookie = ''): Promise<SignIn[]> =>
    (await stand.request('GET', path, { as, headers: { cookie } })).body.data as SignIn[];
  const isAlive = async (cookie: string) => {
    const session = await store.read(cookie.replace('session=', ''));
    const { sessionVersion } = await stand.em().findOneOrFail(User, { id: user.id });
    return session?.sessionVersion === sessionVersion;
  };
  /** The cookie with which the one that asks goes on. */
  const endOthers = async (cookie = ''): Promise<string> => {
    const answer = await stand.request('DELETE', OWN, { as: user, headers: { cookie, 'user-agent': 'curl' } });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const OWN = '/api/user/self/session';

  it('are listed with where they are, and end one by one or all others at once', async () => {
    const cookies = [await signIn('Firefox on Linux'), await signIn('Safari on iPhone'), await signIn('curl')];
    const rows = await list(user, OWN, cookies[2]);
    expect(rows.map(({ user_agent: agent, current }) => [agent, current])).toEqual([
      ['curl', true],
      ['Safari on iPhone', false],
      ['Firefox on Linux', false],
    ]);
    expect(rows[0]).toMatchObject({ address: '127.0.0.1' });
    expect(JSON.stringify(rows)).not.toContain(cookies[2]?.replace('session=', ''));

    const stranger = await addUser(stand, root);
    const path = `${OWN}/${rows[1]?.id}`;
    expect((await stand.request('DELETE', path, { as: stranger })).body.code).toBe('session-not-found');
    expect((await stand.request('DELETE', path, { as: user })).body.success).toBe(true);
    expect(await Promise.all(cookies.map(isAlive))).toEqual([true, false, true]);
    const own = await endOthers(cookies[2]);
    expect(await Promise.all([...cookies, own].map(isAlive))).toEqual([false, false, false, true]);
    expect(await list(user, OWN, own)).toMatchObject([{ user_agent: 'curl', current: true }]);
  });

  it('end with all others though the list knows nothing of them', async () => {
    const [old, own] = [await signIn('long ago'), await signIn('now')];
    await stand.em().execute('delete from "sign_in" where "user_agent" = ?', ['long ago']);
    expect(await Promise.all([old, await endOthers(own)].map(isAlive))).toEqual([false, true]);
  });

  it('are seen and ended by administrators above, and by nobody else', async () => {
    const cookie = await signIn('Chrome');
    const path = `/api/user/${user.id}/session`;
    const admin = await addUser(stand, root, 10);
    const rows = await list(admin, path);
    expect(rows[0]).toMatchObject({ user_agent: 'Chrome', current: false });
    expect((await stand.request('GET', path, { as: await addUser(stand, root) })).body.success).toBe(false);
    expect((await stand.request('GET', `/api/user/${root.id}/session`, { as: admin })).body.success).toBe(false);
    await stand.request('DELETE', `${path}/${rows[0]?.id}`, { as: admin });
    expect(await isAlive(cookie)).toBe(false);
    const before = await stand.em().findOneOrFail(User, { id: user.id });
    await stand.request('DELETE', path, { as: admin });
    const after = await stand.em().findOneOrFail(User, { id: user.id });
    expect(after.sessionVersion).toBe(before.sessionVersion + 1);
    expect(await list(admin, path)).toEqual([]);
  });
});
