import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defineService, MemoryKeyValue, readEnv } from '@tollgate/chassis';
import { createDatabase, eventually, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { startProcess } from '../src/process.js';

@Module({})
class Nothing {}

describe('what the services of a process share', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-process-'));
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    await client.end();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = () =>
    startProcess(
      [defineService({ name: 'logging', module: Nothing })],
      readEnv({ DATABASE_URL: database.url, TOLLGATE_DATA_DIR: dataDir, LOG_LEVEL: 'silent', PORT: '0' }),
    );
  const connections = async (): Promise<number> => {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and application_name like 'tollgate%'`,
    );
    return rowCount ?? 0;
  };

  it('is stopped although a part of it fails to stop, and the failure is reported', async () => {
    const running = await start();
    const { eventLog, keyValue, outbound } = running.host;
    const stops = [jest.spyOn(keyValue, 'stop'), jest.spyOn(outbound, 'cut')];
    const stop = eventLog.stop.bind(eventLog);
    jest.spyOn(eventLog, 'stop').mockImplementation(async () => {
      await stop();
      throw new Error('no log');
    });
    await expect(running.stop()).rejects.toMatchObject({ errors: [new Error('no log')] });
    for (const one of stops) expect(one).toHaveBeenCalledTimes(1);
    await eventually('all connections are closed', async () => (await connections()) === 0);
  });

  it('is closed when the start fails later', async () => {
    jest.spyOn(MemoryKeyValue.prototype, 'subscribe').mockRejectedValue(new Error('no broadcasts'));
    await expect(start()).rejects.toThrow('no broadcasts');
    await eventually('all connections are closed', async () => (await connections()) === 0);
  });
});
