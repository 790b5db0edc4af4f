import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findSecretKey, SecretBox } from '@tollgate/chassis';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import { MAIN, startChild } from '../support/child-product.js';

const run = promisify(execFile);

describe('a start that fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'));
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Rejects with the exit code and what was said. */
  const start = (variables: Record<string, string>): Promise<unknown> => {
    const url = new URL(database.url);
    const name = variables['DATABASE_URL'];
    if (name !== undefined) url.pathname = name;
    const env = {
      ...{ PATH: process.env['PATH'], TOLLGATE_DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' },
      ...{ ...variables, DATABASE_URL: url.toString() },
    };
    return run(process.execPath, [MAIN], { env });
  };

  it.each<[string, Record<string, string>, string]>([
    // An address that is kept for documents, which no machine has.
    ['HOST', { HOST: '203.0.113.7' }, 'HOST is 203.0.113.7, which is no address of this machine.'],
    ['DATABASE_URL', { DATABASE_URL: 'not_there' }, 'Check DATABASE_URL'],
    ['TOLLGATE_DATA_DIR', { TOLLGATE_DATA_DIR: '/dev/null' }, '/dev/null cannot be used: EEXIST: file already exists'],
    [
      'CLICKHOUSE_URL',
      { TOLLGATE_LOG_STORE: 'clickhouse', CLICKHOUSE_URL: 'http://127.0.0.1:1' },
      'ClickHouse at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1. Check CLICKHOUSE_URL',
    ],
  ])(
    'because of %s names the variable',
    async (_name, variables, message) => {
      await expect(start(variables)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    },
    60_000,
  );

  it('because of a key in the data folder that is too short names the file', async () => {
    const dataDir = mkdtempSync(join(folder, 'short-key-'));
    writeFileSync(join(dataDir, 'secret-key'), '');
    await expect(start({ TOLLGATE_DATA_DIR: dataDir })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${join(dataDir, 'secret-key')} holds no secret key of at least 32 characters`),
    });
  }, 60_000);

  it('because of another secret key names the key that was used, and the variable', async () => {
    await (await startChild(database.url, folder)).stop();
    const { keyId } = new SecretBox(findSecretKey(undefined, folder) ?? '');
    await expect(start({ TOLLGATE_SECRET_KEY: 'another '.repeat(4) })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `sealed with the secret key ${keyId}, which is not set here. Set TOLLGATE_SECRET_KEY`,
      ),
    });
  }, 60_000);
});
