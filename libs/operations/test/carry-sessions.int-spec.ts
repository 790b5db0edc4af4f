import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger, MemoryKeyValue, SessionStore } from '@tollgate/chassis';
import { durableKeyValue } from '@tollgate/database';
import { createDatabase, hasPostgres, type TestDatabase } from '@tollgate/testing';
import { carrySessions } from '../src/carry/carry-sessions.js';

const log = Logger.root('silent');
const hmac = (label: string, text: string): string[] => [`${label}-${text}`];

(hasPostgres() ? describe : describe.skip)('sessions when an installation goes over to Redis', () => {
  let database: TestDatabase;
  let target: MemoryKeyValue;
  beforeEach(async () => {
    database = await createDatabase();
    target = new MemoryKeyValue();
  });
  afterEach(async () => {
    await target.stop();
    await database.drop();
  });

  it('exist afterwards, once, and an ended one is not restored', async () => {
    const table = await durableKeyValue(new MemoryKeyValue(), database.url, log);
    const before = new SessionStore(table, hmac);
    const kept = await before.create({ userId: 7, sessionVersion: 3 });
    const ended = await before.create({ userId: 7, sessionVersion: 3 });
    await before.revoke(ended.cookieValue);
    await table.set('known-address:abc', '1', 1000);
    await table.stop();

    expect(await carrySessions({ url: database.url, target, log })).toBe(2);
    const after = new SessionStore(target, hmac);
    expect(await after.read(kept.cookieValue)).toMatchObject({ userId: 7, sessionVersion: 3 });
    expect(await after.read(ended.cookieValue)).toBeUndefined();
    expect(await target.get('known-address:abc')).toBe('1');

    await after.revoke(kept.cookieValue);
    expect(await carrySessions({ url: database.url, target, log })).toBe(0);
    expect(await after.read(kept.cookieValue)).toBeUndefined();
  });

  it('stay in the table while Redis does not store them', async () => {
    const table = await durableKeyValue(new MemoryKeyValue(), database.url, log);
    await new SessionStore(table, hmac).create({ userId: 7, sessionVersion: 3 });
    await table.stop();
    const away = { setIfAbsent: () => Promise.reject(new Error('away')) };
    await expect(carrySessions({ url: database.url, target: away, log })).rejects.toThrow('away');
    expect(await carrySessions({ url: database.url, target, log })).toBe(1);
  });

  it('are none in an installation without a session table', async () => {
    expect(await carrySessions({ url: database.url, target, log })).toBe(0);
  });
});
