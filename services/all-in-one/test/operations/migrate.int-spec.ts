import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, readEnv } from '@tollgate/chassis';
import { migrateAll } from '@tollgate/operations';
import { startProcess } from '@tollgate/process';
import { createDatabase, readUntil, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { allServices } from '../../src/index.js';

const log = Logger.root('silent');

describe('the migration job', () => {
  let database: TestDatabase;
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-migrate-'));
  const env = (): ReturnType<typeof readEnv> =>
    readEnv({
      DATABASE_URL: database.url,
      TOLLGATE_DATA_DIR: dataDir,
      TOLLGATE_MIGRATE: 'never',
      LOG_LEVEL: 'silent',
      PORT: '0',
    });
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('creates the schemas for services that do not migrate themselves, also in several simultaneous jobs', async () => {
    await expect(startProcess(allServices, env())).rejects.toThrow(/Run the migrations first/);
    const jobs = await Promise.all([1, 2, 3].map(() => migrateAll(allServices, { url: database.url, log })));
    expect(Object.keys(jobs[0] ?? {})).toEqual(['identity', 'billing', 'channel', 'logging', 'event_log', 'platform']);
    expect(new Set(jobs.map((applied) => JSON.stringify(applied))).size).toBe(1);
    const running = await startProcess(allServices, env());
    await running.stop();
  }, 60_000);

  it('leaves postings of a release without statements to the services, which add them to the sums', async () => {
    const older = allServices.map((service) => {
      const { database: own } = service;
      const first = own?.migrations.findIndex(({ name }) => name.endsWith('_add_statements')) ?? -1;
      return own && first > 0
        ? { ...service, database: { ...own, migrations: own.migrations.slice(0, first) } }
        : service;
    });
    const upgraded = await createDatabase();
    const client = new Client({ connectionString: upgraded.url });
    try {
      await migrateAll(older, { url: upgraded.url, log });
      await client.connect();
      await client.query(
        `insert into billing.posting (id, code, debit, credit, amount, user_id, token_id, reference)
         select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n::bigint * 150000), 12, '0') || substr(md5(n::text), 13))::uuid,
           'consumption', 'wallet:' || n % 7, 'revenue', n, n % 7, 0, n::text from generate_series(1, 25000) n`,
      );
      await migrateAll(allServices, { url: upgraded.url, log });
      const count = async (rows: string): Promise<number> => {
        const found = await client.query<{ n: number }>(`select count(*)::int as n from ${rows} r`);
        return found.rows[0]?.n ?? Number.NaN;
      };
      expect([await count('billing.statement_day'), await count('billing.statement_backlog')]).toEqual([0, 1]);

      const running = await startProcess(allServices, { ...env(), DATABASE_URL: upgraded.url });
      try {
        await readUntil(
          () => count('billing.statement_backlog'),
          (rows) => rows === 0,
        );
      } finally {
        await running.stop();
      }
      const journal = `select (to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date as day,
        user_id, sum(amount) as amount, count(*) as rows from billing.posting group by 1, 2`;
      const kept = 'select day, user_id, sum(amount), sum(count) from billing.statement_day group by 1, 2';
      expect(await count(`(${journal})`)).toBeGreaterThan(300);
      expect(await count(`((${journal}) except (${kept}))`)).toBe(0);
      expect(await count(`((${kept}) except (${journal}))`)).toBe(0);
    } finally {
      await client.end();
      await upgraded.drop();
    }
  }, 120_000);
});
