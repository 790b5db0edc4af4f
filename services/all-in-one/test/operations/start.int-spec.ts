import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import { MAIN } from '../support/child-product.js';

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

  it.each<[string, Record<string, string>, string]>([
    // An address that is kept for documents, which no machine has.
    ['HOST', { HOST: '203.0.113.7' }, 'HOST is 203.0.113.7, which is no address of this machine.'],
    ['DATABASE_URL', { DATABASE_URL: 'not_there' }, 'Check DATABASE_URL'],
  ])(
    'because of %s names the variable',
    async (_name, variables, message) => {
      const url = new URL(database.url);
      const name = variables['DATABASE_URL'];
      if (name !== undefined) url.pathname = name;
      const env = {
        ...{ PATH: process.env['PATH'], TOLLGATE_DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' },
        ...{ ...variables, DATABASE_URL: url.toString() },
      };
      await expect(run(process.execPath, [MAIN], { env })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(message),
      });
    },
    60_000,
  );
});
