import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@tollgate/chassis';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { openDatabase } from '../src/orm/orm.provider.js';
import { CombinedReads, sqlTime } from '../src/orm/combined-reads.js';

describe('reads of the same moment', () => {
  let database: TestDatabase;
  let orm: MikroORM;
  let reads: CombinedReads;
  let other: Client;
  /** A value that is the same for all reads of one statement only. */
  const statement = `extract(epoch from statement_timestamp())::text || '/' || pg_backend_pid()`;

  beforeAll(async () => {
    const definition = { name: 'readings', entities: [], migrations: [] };
    database = await createDatabase([definition]);
    orm = await openDatabase({ definition, url: database.url, log: Logger.root('silent'), migrate: 'start' });
    reads = new CombinedReads(orm.em as EntityManager);
    await orm.em.getConnection().execute('create table thing (id int)');
    other = new Client({ connectionString: database.url });
    await other.connect();
  }, 60_000);
  afterAll(async () => {
    await other.end();
    await orm.close();
    await database.drop();
  });

  it('are one statement, and each gets its own value', async () => {
    const [first, second, is, none, at] = await Promise.all([
      reads.read<string>(statement),
      reads.read<string>(statement),
      reads.read<boolean>(`select true or '{}'::jsonb ? 'a'`),
      reads.read<null>('select id from thing'),
      reads.read<number>(`extract(epoch from ${sqlTime(Date.UTC(2026, 10, 27, 12))})::float8`),
    ]);
    expect(first).toBe(second);
    expect([is, none, at]).toEqual([true, null, Date.UTC(2026, 10, 27, 12) / 1000]);
    expect(await reads.read<string>(statement)).not.toBe(first);
  });

  it('do not fail with one of them', async () => {
    const [good, bad] = await Promise.allSettled([reads.read('1 + 1'), reads.read('select id from missing')]);
    expect(good).toEqual({ status: 'fulfilled', value: 2 });
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: '42P01' } });
  });

  it('do not wait for one that waits for a lock', async () => {
    await other.query('begin; lock table readings.thing');
    let isRead = false;
    const blocked = reads.read('exists (select from thing)').finally(() => (isRead = true));
    expect(await reads.read('1 + 1')).toBe(2);
    await pause(50);
    expect(isRead).toBe(false);
    await other.query('rollback');
    expect(await blocked).toBe(false);
  });
});
