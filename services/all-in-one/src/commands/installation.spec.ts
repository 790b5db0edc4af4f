import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withEventLog } from './installation.js';

describe('work on events alone', () => {
  const environment = process.env;
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'events-alone-'));
    process.env = { TOLLGATE_DATA_DIR: folder };
  });
  afterEach(() => {
    process.env = environment;
    rmSync(folder, { recursive: true });
  });
  const elsewhere = () => Promise.reject(new Error('a database was looked for'));

  it('needs no database where Kafka has the events', async () => {
    process.env['KAFKA_BROKERS'] = 'kafka:9092';
    const { databaseUrl, env } = await withEventLog((installation) => Promise.resolve(installation), elsewhere);
    expect([databaseUrl, env.KAFKA_BROKERS]).toEqual(['', 'kafka:9092']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is done in the database where they are there', async () => {
    await expect(withEventLog(() => Promise.resolve(), elsewhere)).rejects.toThrow('a database was looked for');
  });
});
