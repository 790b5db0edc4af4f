import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { secrets } from './secrets.js';

describe('a rotation of secrets', () => {
  const environment = process.env;
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    writeFileSync(join(folder, 'secret-key'), 'the key before, which is long enough\n');
    process.env = { TOLLGATE_DATA_DIR: folder };
  });
  afterEach(() => {
    process.env = environment;
    rmSync(folder, { recursive: true });
  });

  it('is refused where the command knows one key only, since the processes may use another', async () => {
    const needed = 'Set TOLLGATE_SECRET_KEY and TOLLGATE_SECRET_KEY_PREVIOUS for it as for the processes';
    await expect(secrets(['rotate'])).rejects.toThrow(needed);
    process.env['TOLLGATE_SECRET_KEY'] = 'the key after, which is long enough too';
    await expect(secrets(['rotate'])).rejects.toThrow(needed);
    expect(readdirSync(folder)).toEqual(['secret-key']);
  });
});
