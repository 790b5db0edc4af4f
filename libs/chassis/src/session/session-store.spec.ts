import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryKeyValue } from '../key-value/memory-key-value.js';
import { SESSION_SECONDS, SessionStore } from './session-store.js';

const keyed =
  (...keys: string[]) =>
  (label: string, text: string): string[] =>
    keys.map((key) =>
      createHmac('sha256', key + label)
        .update(text)
        .digest('base64url'),
    );
const hmac = keyed('');

describe('SessionStore', () => {
  let now: number;
  let keyValue: MemoryKeyValue;
  let sessions: SessionStore;

  beforeEach(() => {
    now = 1_800_000_000;
    keyValue = new MemoryKeyValue({ now: () => now * 1000 });
    sessions = new SessionStore(keyValue, hmac, () => now);
  });

  it('knows a session by its cookie and stores only the hash of it', async () => {
    const keys: string[] = [];
    const set = keyValue.set.bind(keyValue);
    keyValue.set = (key, value, ttl) => {
      keys.push(key + value);
      return set(key, value, ttl);
    };
    const { cookieValue } = await sessions.create({ userId: 7, sessionVersion: 3 });
    expect(await sessions.read(cookieValue)).toMatchObject({ userId: 7, sessionVersion: 3, createdAt: now });
    expect(keys.join()).not.toContain(cookieValue);
    expect(keys.join()).toContain('session:');
  });

  it('that began under a key which is being replaced goes on, is renewed, found in lists and ended', async () => {
    const { cookieValue } = await new SessionStore(keyValue, keyed('old', 'new'), () => now).create({
      userId: 7,
      sessionVersion: 3,
    });
    const after = new SessionStore(keyValue, keyed('new', 'old'), () => now);
    now += 3600;
    expect(await after.read(cookieValue)).toMatchObject({ userId: 7, renewedAt: now });
    const id = (await after.findId(cookieValue)) ?? '';
    expect(await after.find(id)).toMatchObject({ userId: 7 });
    expect(id).not.toBe(after.idOf(cookieValue));
    expect(await new SessionStore(keyValue, keyed('new'), () => now).read(cookieValue)).toBeUndefined();
    await after.revoke(cookieValue);
    expect(await after.read(cookieValue)).toBeUndefined();
  });

  it('keeps an attribute of a visit over a change of the key', async () => {
    const { cookieValue } = await new SessionStore(keyValue, keyed('old', 'new'), () => now).put(
      undefined,
      'state',
      'x',
    );
    const after = new SessionStore(keyValue, keyed('new', 'old'), () => now);
    expect(await after.get(cookieValue, 'state')).toBe('x');
    expect([await after.take(cookieValue, 'state'), await after.take(cookieValue, 'state')]).toEqual(['x', undefined]);
  });

  it('gives every sign-in an id of its own', async () => {
    const one = await sessions.create({ userId: 7, sessionVersion: 3 });
    const two = await sessions.create({ userId: 7, sessionVersion: 3 });
    expect(one.cookieValue).not.toBe(two.cookieValue);
    expect(Buffer.from(one.cookieValue, 'base64url')).toHaveLength(32);
  });

  it('ends a session by its id, which cannot be used to sign in', async () => {
    const { cookieValue } = await sessions.create({ userId: 7, sessionVersion: 3 });
    const id = sessions.idOf(cookieValue);
    expect(await sessions.find(id)).toMatchObject({ userId: 7 });
    expect(await sessions.read(id)).toBeUndefined();
    await sessions.end(id);
    expect(await sessions.find(id)).toBeUndefined();
    expect(await sessions.read(cookieValue)).toBeUndefined();
  });

  it('does not find revoked sessions or forged cookies', async () => {
    const { cookieValue } = await sessions.create({ userId: 7, sessionVersion: 3 });
    await sessions.revoke(cookieValue);
    expect(await sessions.read(cookieValue)).toBeUndefined();
    expect(await sessions.read('made up')).toBeUndefined();
    expect(await sessions.read('A'.repeat(43))).toBeUndefined();
  });

  it('restarts the 30 days when it is used, at most every ten minutes', async () => {
    const { cookieValue } = await sessions.create({ userId: 7, sessionVersion: 3 });
    now += 599;
    expect((await sessions.read(cookieValue))?.renewedAt).toBe(now - 599);
    now += 1;
    expect((await sessions.read(cookieValue))?.renewedAt).toBe(now);
    now += SESSION_SECONDS - 1;
    expect(await sessions.read(cookieValue)).toBeDefined();
    now += SESSION_SECONDS + 1;
    expect(await sessions.read(cookieValue)).toBeUndefined();
  });

  it('stays ended when it is revoked in the middle of a renewal', async () => {
    const { cookieValue } = await sessions.create({ userId: 7, sessionVersion: 3 });
    now += 4_000;
    const get = keyValue.get.bind(keyValue);
    keyValue.get = async (key) => {
      const value = await get(key);
      if (key.startsWith('session:')) await sessions.revoke(cookieValue);
      return value;
    };
    expect(await sessions.read(cookieValue)).toBeUndefined();
    keyValue.get = get;
    expect(await sessions.read(cookieValue)).toBeUndefined();
  });

  it('keeps small attributes of a visit before anybody signed in, and gives a taken one once', async () => {
    const { cookieValue } = await sessions.put(undefined, 'oauth-state', 'abc');
    expect((await sessions.put(cookieValue, 'aff', 'XY12')).cookieValue).toBe(cookieValue);
    expect(await sessions.get(cookieValue, 'aff')).toBe('XY12');
    expect(await sessions.take(cookieValue, 'oauth-state')).toBe('abc');
    expect(await sessions.take(cookieValue, 'oauth-state')).toBeUndefined();
    expect(await sessions.read(cookieValue)).toBeUndefined();
  });
});
