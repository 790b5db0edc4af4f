import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openClickhouse } from '@tollgate/adapters';
import { allServices } from '@tollgate/all-in-one';
import { ratingFault } from '@tollgate/billing';
import { type ColumnStore, Logger, readEnv } from '@tollgate/chassis';
import type { Proof } from '@tollgate/contracts/api/proof';
import { freePort } from '@tollgate/embedded';
import { ColumnLog } from '@tollgate/logging';
import { everythingAbout, reconcile, type ReconcileReport } from '@tollgate/operations';
import {
  createDatabase,
  type FakeUpstream,
  LocalClickhouse,
  makeCertificates,
  type Person,
  readUntil,
  setUpSite,
  type Site,
  startFakeUpstream,
  type TestDatabase,
} from '@tollgate/testing';
import { Client } from 'pg';
import { type ChildProduct, MAIN, startChild } from '../support/child-product.js';
import { ask, type LogRow, logRows } from '../support/relay-site.js';

const COMMAND = join(dirname(MAIN), 'command.js');
const run = promisify(execFile);
const log = Logger.root('silent');
const CALLS = 4;

describe('a product whose usage log is in ClickHouse', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-columns-'));
  let server: LocalClickhouse;
  let database: TestDatabase;
  let upstream: FakeUpstream;
  let product: ChildProduct;
  let columns: ColumnStore;
  let site: Site;
  let payer: Person;
  let key: string;

  let port: number;

  const environment = (): Record<string, string> => ({
    ...{ ...server.environment, PORT: String(port) },
    TOLLGATE_MIGRATE: 'never',
  });
  const start = async (): Promise<void> => {
    product = await startChild(database.url, folder, { environment: environment() });
  };
  const command = (...args: string[]): Promise<string> => commandWith(server.environment, ...args);
  const commandWith = async (variables: Record<string, string>, ...args: string[]): Promise<string> => {
    const env = { ...process.env, DATABASE_URL: database.url, TOLLGATE_DATA_DIR: folder, ...variables };
    const { stdout } = await run(process.execPath, [COMMAND, ...args], { env, maxBuffer: 1e8 });
    return stdout;
  };
  const call = async (prompt: string): Promise<void> => {
    const reply = await ask(product.url, { dialect: 'openai', key, prompt });
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('choices')]);
  };
  const rowsOf = (count: number): Promise<LogRow[]> =>
    readUntil(
      () => logRows(site),
      ({ length }) => length === count,
      30_000,
    );
  const sql = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const look = (period = { to: Date.now() + 60_000 }): Promise<ReconcileReport> =>
    reconcile({
      ...{ services: allServices, url: database.url, log, rate: ratingFault, patienceMs: 0 },
      ...{ period, outsideLog: new ColumnLog(columns) },
    });

  beforeAll(async () => {
    port = await freePort();
    server = await LocalClickhouse.open(makeCertificates(folder));
    [database, upstream] = await Promise.all([createDatabase(), startFakeUpstream({ behaviour: { tokens: 10 } })]);
    await command('migrate');
    columns = await openClickhouse(readEnv(environment()));
    await start();
    site = await setUpSite(product.url);
    await site.channel({ name: 'columns', base_url: upstream.url, models: 'gpt-4o' });
    payer = await site.user('payer', 5_000_000);
    key = await site.token(payer);
    for (let index = 0; index < CALLS; index += 1) await call(`number ${index}`);
  }, 180_000);
  afterAll(async () => {
    await product?.stop();
    await columns?.stop();
    await server?.stop();
    await upstream?.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  it('shows users what was charged and how it was computed', async () => {
    const rows = await rowsOf(CALLS);
    expect(rows).toHaveLength(CALLS);
    const quota = rows.reduce((sum, row) => sum + row.quota, 0);
    expect(quota).toBeGreaterThan(0);
    expect(await payer.data('GET', '/api/log/self/stat?type=2')).toMatchObject({ quota });
    expect(await columns.query(`select sum(quota) as quota from usage_log final where type = 2`)).toEqual([
      { quota: String(quota) },
    ]);
    expect(await sql('select from logging.log')).toEqual([]);
    const id = rows[0]?.other.request_id ?? '';
    const proof = await payer.data<Proof>('GET', `/api/proof/request/${id}`);
    expect(proof.steps.find(({ link }) => link === 'log')).toMatchObject({ state: 'done' });
    const found = await everythingAbout(id, { url: database.url, log, outsideLog: new ColumnLog(columns) });
    expect(found['logging.log']).toMatchObject([{ event_id: id, other: { request_id: id } }]);
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['billing.posting', 'event_log.record']));
  }, 60_000);

  it('has balanced books according to the reconcile command', async () => {
    await readUntil(look, ({ balanced }) => balanced, 20_000);
    const report = JSON.parse(await command('reconcile', '--json', '--to', later())) as ReconcileReport;
    expect(report).toMatchObject({ balanced: true, faults: [], notices: [] });
    expect(report.sums.map(({ store, requests }) => [store, requests]).sort()).toEqual(
      ['events', 'journal', 'usage log'].map((store) => [store, CALLS]),
    );
    expect(report.usage).toEqual([{ source: 'upstream', requests: CALLS, units: report.sums[0]?.units }]);
    // In a period without these rows they still count as usage of their channel.
    const before = await look({ to: Date.UTC(2020, 0) });
    expect(before).toMatchObject({ balanced: true });
    expect(before.sums.every(({ requests }) => requests === 0)).toBe(true);
  }, 60_000);

  it('has a log that no command looks for in PostgreSQL', async () => {
    for (const args of [['reconcile'], ['show', 'wallet:1']])
      await expect(commandWith({}, ...args)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The usage log of this installation is in clickhouse: TOLLGATE_LOG_STORE'),
      });
  }, 60_000);

  it.each([
    ['removed', { keep: 'not OWN' }],
    ['with another quota', { keep: 'not OWN', add: { quota: 'quota + 3' } }],
    ['moved to another user', { keep: 'not OWN', add: { user_id: 'toInt32(1)' } }],
    ['with other tokens', { keep: 'not OWN', add: { prompt_tokens: 'prompt_tokens + 1' } }],
    ['doubled', { keep: '1', add: { created_at: 'created_at + 1' } }],
  ])(
    'names a log row %s',
    async (_harm, rows) => {
      const id = (await logRows(site))[1]?.other.request_id ?? '';
      await withRows(id, rows, async () => {
        const { faults } = await look();
        expect(faults.map(({ subject }) => subject)).toContain(id);
      });
      expect((await look()).faults).toEqual([]);
    },
    60_000,
  );

  interface Spoilt {
    keep: string;
    add?: Record<string, string>;
  }

  /** Replaces the log by a copy during `work`, because ClickHouse applies changes of rows only some time later. */
  async function withRows(id: string, { keep, add }: Spoilt, work: () => Promise<void>): Promise<void> {
    const own = `event_id = '${id}'`;
    const inTable = `from system.columns where database = currentDatabase() and table = 'usage_log'`;
    const names = (await columns.query<{ name: string }>(`select name ${inTable}`)).map(({ name }) => name);
    const listed = names.map((name) => `\`${name}\``).join(', ');
    const fill = async (values: string, test: string): Promise<void> =>
      columns.run(`insert into spoilt (${listed}) select ${values} from usage_log final where ${test}`);
    await columns.run('create table spoilt as usage_log');
    await fill(listed, keep.replace('OWN', `(${own})`));
    if (add) await fill(names.map((name) => add[name] ?? `\`${name}\``).join(', '), own);
    await columns.run('rename table usage_log to kept, spoilt to usage_log');
    try {
      await work();
    } finally {
      await columns.run('rename table usage_log to spoilt, kept to usage_log');
      await columns.run('drop table spoilt');
    }
  }

  it('has the row of a call once when the process is killed before the transfer', async () => {
    server.pause();
    await call('the last one');
    await readUntil(
      () => sql<{ rows: string }>('select count(*) as rows from logging.log_pending'),
      ([row]) => row?.rows === '1',
      30_000,
    );
    await product.kill();
    server.resume();
    await start();
    expect(await rowsOf(CALLS + 1)).toHaveLength(CALLS + 1);
    await readUntil(
      () => sql('select from logging.log_pending'),
      ({ length }) => length === 0,
      30_000,
    );
    expect((await readUntil(look, ({ balanced }) => balanced, 30_000)).faults).toEqual([]);
  }, 120_000);

  it('shows no name of erased users, and no cleared rows', async () => {
    await site.root.data('POST', `/api/user/${payer.id}/erase`, { username: 'payer' });
    const named = (): Promise<object[]> =>
      columns.query(`select id from usage_log final where user_id = ${payer.id} and username = 'payer'`);
    expect(await readUntil(named, ({ length }) => length === 0, 30_000)).toEqual([]);
    expect(await rowsOf(CALLS + 1)).toHaveLength(CALLS + 1);
    const now = Math.floor(Date.now() / 1000) + 1;
    expect(await site.root.data<number>('DELETE', `/api/log/?target_timestamp=${now}`)).toBeGreaterThan(CALLS);
    expect(await logRows(site)).toEqual([]);
    expect((await readUntil(look, ({ balanced }) => balanced, 30_000)).faults).toEqual([]);
  }, 120_000);
});

const later = (): string => new Date(Date.now() + 3_600_000).toISOString();
