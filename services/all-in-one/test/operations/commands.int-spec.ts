import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createDatabase } from '@tollgate/testing';
import { commands } from '../../src/commands/table.js';
import { MAIN } from '../support/child-product.js';

const COMMAND = join(dirname(MAIN), 'command.js');
const run = promisify(execFile);

describe('the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-commands-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const tollgateWith = (more: object, ...args: string[]): Promise<{ stdout: string; stderr: string }> => {
    const env = { PATH: process.env['PATH'], TOLLGATE_DATA_DIR: join(folder, 'data'), INIT_CWD: folder, ...more };
    return run(process.execPath, [COMMAND, ...args], { env, cwd: folder });
  };
  const tollgate = (...args: string[]) => tollgateWith({}, ...args);

  it('tells how a command is used, and does nothing, where it is asked for help', async () => {
    for (const args of [
      ['migrate', '--help'],
      ['export', '--help'],
      ['show', '--help'],
      ['events', 'replay', '-h'],
    ])
      expect(await tollgate(...args)).toEqual({ stdout: `tollgate ${commands[args[0] ?? '']?.usage}\n`, stderr: '' });
    expect(readdirSync(folder)).toEqual([]);
  }, 60_000);

  it.each([
    [['--helb'], 'There is no command "--helb".'],
    [['migrate', 'all'], '"all" is no option.'],
    [['export'], 'Name a file.'],
    [['export', '--all'], "Unknown option '--all'"],
    [['export', 'a', 'b'], '"b" is no option.'],
    [['import', '-f'], "Unknown option '-f'"],
    [['show', '--json'], "Unknown option '--json'"],
    [['show'], 'Name a request id'],
    [['reconcile', '--from', 'monday'], '"monday" is no date'],
    [['secrets', 'turn'], 'Say secrets status or secrets rotate.'],
  ])('refuses %j with exit code 64, and does nothing', async (args, message) => {
    await expect(tollgate(...args)).rejects.toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('makes no database in a data folder that has none', async () => {
    for (const args of [['reconcile'], ['show', 'wallet:1'], ['events', 'replay']])
      await expect(tollgate(...args)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`There is no database in the data folder ${join(folder, 'data')}.`),
      });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says that nothing is stored about a subject that nobody knows', async () => {
    const database = await createDatabase();
    try {
      const there = { DATABASE_URL: database.url, TOLLGATE_SECRET_KEY: 'a secret key of thirty-two letters' };
      await tollgateWith(there, 'migrate');
      await expect(tollgateWith(there, 'show', 'order:1')).rejects.toMatchObject({
        code: 1,
        stdout: '{}\n',
        stderr: 'There is nothing about "order:1".\n',
      });
    } finally {
      await database.drop();
    }
  }, 60_000);
});
