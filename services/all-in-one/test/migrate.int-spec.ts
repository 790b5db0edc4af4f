import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, readEnv } from '@tollgate/chassis';
import { migrateAll } from '@tollgate/operations';
import { startProcess } from '@tollgate/process';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import { allServices } from '../src/index.js';

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

  it('makes what services need that leave the schemas alone, however many jobs run at once', async () => {
    await expect(startProcess(allServices, env())).rejects.toThrow(/Run the migrations first/);
    const jobs = await Promise.all([1, 2, 3].map(() => migrateAll(allServices, { url: database.url, log })));
    expect(Object.keys(jobs[0] ?? {})).toEqual(['identity', 'billing', 'channel', 'logging', 'event_log', 'platform']);
    expect(new Set(jobs.map((applied) => JSON.stringify(applied))).size).toBe(1);
    const running = await startProcess(allServices, env());
    await running.stop();
  }, 60_000);
});
