import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listen, Logger, readEnv, SecretBox } from '@tollgate/chassis';
import { countSealed, rotateSecrets } from '@tollgate/operations';
import { startProcess } from '@tollgate/process';
import {
  createDatabase,
  type FakeUpstream,
  Person,
  readUntil,
  setUpSite,
  type Site,
  startFakeUpstream,
  startKafka,
  startRedis,
  type TestDatabase,
} from '@tollgate/testing';
import { Client } from 'pg';
import { allServices } from '../../src/index.js';
import { ask } from '../support/relay-site.js';

interface Product {
  url: string;
  stop(): Promise<void>;
}

const OLD = 'the secret before, which is long enough';
const NEW = 'the secret after, which is long enough too';
const log = Logger.root('silent');
const kafka = await startKafka();
const redis = await startRedis();
afterAll(async () => {
  await redis?.stop();
  await kafka?.stop();
});

/** All six services twice, like the replicas in the middle of a roll-out. */
(kafka && redis ? describe : describe.skip)('a secret key that is replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-rotation-'));
  let database: TestDatabase;
  let upstream: FakeUpstream;
  let site: Site;
  /** Uses the old key and accepts the new one. */
  let announced: Product;
  /** Uses the new key and accepts the old one. */
  let swapped: Product;
  const running: Product[] = [];
  /** Credentials that were created with the old key. */
  const held = { token: '', access: '', codes: [] as string[], cookie: '' };

  const start = async (keys: Record<string, string>): Promise<Product> => {
    const env = readEnv({
      DATABASE_URL: database.url,
      KAFKA_BROKERS: kafka?.brokers,
      REDIS_URL: redis?.url,
      TOLLGATE_TOPIC_PREFIX: `${folder.split('-').at(-1)}-`,
      TOLLGATE_DATA_DIR: mkdtempSync(join(folder, 'data-')),
      TOLLGATE_RATE_LIMITS: 'off',
      TOLLGATE_NOTICE_SECONDS: '0',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      PORT: '0',
      ...keys,
    });
    const started = await startProcess(allServices, env);
    const front = started.services.get('gateway');
    if (!front) throw new Error('no gateway');
    const listener = await listen(front.app, '127.0.0.1', 0);
    const product = {
      url: `http://127.0.0.1:${listener.port}`,
      async stop() {
        running.splice(running.indexOf(product), 1);
        await listener.drain(1);
        await started.stop();
      },
    };
    running.push(product);
    return product;
  };
  const sql = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const rotation = { services: allServices, log, batch: 2, secrets: new SecretBox(NEW, { previous: OLD }) };
  const rotate = () => rotateSecrets({ ...rotation, url: database.url });
  const leftOver = async (): Promise<number> =>
    (await countSealed({ ...rotation, url: database.url })).reduce((sum, { left }) => sum + left, 0);
  const rootAt = ({ url }: Product, cookie = site.root.cookie): Person =>
    Object.assign(new Person(url), { cookie, id: site.root.id });
  const answerAt = async ({ url }: Product, key: string, headers: Record<string, string> = {}) => {
    const reply = await ask(url, { dialect: 'openai', key, prompt: 'hello', headers });
    return { status: reply.status, id: reply.headers.get('x-oneapi-request-id'), text: await reply.text() };
  };
  const selfBy = async ({ url }: Product, token: string): Promise<number> =>
    (
      await fetch(`${url}/api/user/self`, {
        headers: { authorization: `Bearer ${token}`, 'new-api-user': String(site.root.id) },
      })
    ).status;

  /** All of these credentials must work in this product. */
  async function expectWhole(product: Product, cookie?: string): Promise<void> {
    expect((await answerAt(product, held.token)).status).toBe(200);
    expect(await selfBy(product, held.access)).toBe(200);
    expect(await rootAt(product, cookie).data('GET', '/api/user/self')).toMatchObject({ username: 'root' });
    const path = '/api/channel/search?keyword=upstream-key-17';
    const found = await rootAt(product, cookie).data<{ name: string }[]>('GET', path);
    expect(found.map(({ name }) => name)).toEqual(['sealed']);
    const code = held.codes.pop() ?? '';
    expect(await rootAt(product, cookie).data('POST', '/api/user/topup', { key: code })).toBe(1000);
  }

  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    database = await createDatabase();
    announced = await start({ TOLLGATE_SECRET_KEY: OLD, TOLLGATE_SECRET_KEY_NEXT: NEW });
    site = await setUpSite(announced.url);
    await site.channel({ name: 'sealed', base_url: upstream.url, models: 'gpt-4o', key: 'upstream-key-17' });
    held.token = await site.token(site.root, { name: 'held', unlimited_quota: true });
    for (let nth = 0; nth < 6; nth += 1) await site.token(site.root, { name: `more-${nth}`, unlimited_quota: true });
    held.access = await site.root.data<string>('GET', '/api/user/token');
    held.codes = await site.root.data<string[]>('POST', '/api/redemption/', { name: 'codes', quota: 1000, count: 7 });
    await site.root.data('PUT', '/api/option/', { key: 'SMTPToken', value: 'a secret option' });
    held.cookie = site.root.cookie;
    swapped = await start({ TOLLGATE_SECRET_KEY: NEW, TOLLGATE_SECRET_KEY_PREVIOUS: OLD });
  }, 180_000);
  afterAll(async () => {
    for (const product of [...running]) await product.stop();
    await upstream?.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  it('covers every column with encrypted values in a rotation', async () => {
    const columns = await sql<{ name: string }>(
      `select table_schema || '.' || table_name || '.' || column_name as name from information_schema.columns
       where column_name ~ '(^|_)sealed(_|$)' and data_type = 'text' order by 1`,
    );
    const known = (await countSealed({ ...rotation, url: database.url })).map(({ place }) => place);
    expect(known.filter((place) => place !== 'identity.option.value').sort()).toEqual(columns.map(({ name }) => name));
  });

  it('works with replicas that use the other key', async () => {
    await expectWhole(announced);
    await expectWhole(swapped);
    const there = rootAt(swapped, '');
    await there.signIn('root', 'correct horse battery');
    expect(await rootAt(announced, there.cookie).data('GET', '/api/user/self')).toMatchObject({ username: 'root' });
    const made = await site.token(there, { name: 'made there', unlimited_quota: true });
    expect((await answerAt(announced, made)).status).toBe(200);
  }, 60_000);

  it('charges a call once that is repeated at a replica with the other key', async () => {
    const once = { 'idempotency-key': 'a key of this test' };
    const [first, again] = [await answerAt(announced, held.token, once), await answerAt(swapped, held.token, once)];
    expect(again).toEqual(first);
    expect(first.status).toBe(200);
  }, 60_000);

  it('continues a rotation that was killed', async () => {
    const all = await leftOver();
    expect(all).toBeGreaterThan(10);
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin');
    // The rotation processes tokens in the order of their ids, so it has to wait here.
    const locked = await holder.query<{ id: number }>(
      'select "id" from "billing"."token" order by "id" offset 4 limit 1 for update',
    );
    expect(locked.rowCount).toBe(1);
    const died = rotate().then(
      () => 'done',
      () => 'killed',
    );
    const waiting = `from pg_stat_activity where wait_event_type = 'Lock' and query like '%key_sealed%'`;
    await readUntil(
      () => sql<{ pid: number }>(`select pid ${waiting} and datname = current_database()`),
      (rows) => rows.length === 1,
      20_000,
    );
    await sql(`select pg_terminate_backend(pid) ${waiting} and datname = current_database()`);
    expect(await died).toBe('killed');
    await holder.query('rollback');
    await holder.end();
    const left = await leftOver();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(all);
    await expectWhole(announced);
    await expectWhole(swapped);

    const [one, other] = await Promise.all([rotate(), rotate()]);
    expect(one.resealed + other.resealed).toBeGreaterThanOrEqual(left);
    expect(await leftOver()).toBe(0);
    expect(await rotate()).toMatchObject({ resealed: 0, unreadable: [] });
    await expectWhole(announced);
    await expectWhole(swapped);
  }, 120_000);

  it('is refused with a key that running processes do not accept, and changes nothing', async () => {
    const secrets = new SecretBox('a third secret, which nobody was told of', { previous: NEW });
    await expect(rotateSecrets({ ...rotation, url: database.url, secrets })).rejects.toMatchObject({
      code: 'secret-key-unknown',
      message: expect.stringContaining('running processes of billing, channel, identity, logging do not accept'),
    });
    expect(await leftOver()).toBe(0);
  }, 60_000);

  it('is not complete while a replica encrypts with the other key', async () => {
    await site.token(rootAt(announced), { name: 'late', unlimited_quota: true });
    expect(await leftOver()).toBe(1);
    await announced.stop();
    expect((await rotate()).resealed).toBe(1);
    expect(await leftOver()).toBe(0);
  }, 60_000);

  it('names values that no key decrypts, and is not complete', async () => {
    const [row] = await sql<{ id: number; key_sealed: string; key_hash: string }>(
      `select "id", "key_sealed", "key_hash" from "billing"."token" where "name" = 'late'`,
    );
    const lost = new SecretBox('a secret that nobody has kept, long enough').encrypt('token-key-seal', 'x');
    await sql('update "billing"."token" set "key_sealed" = $1 where "id" = $2', [lost, row?.id]);
    expect(await rotate()).toMatchObject({ unreadable: [`billing.token.key_sealed ${row?.id}`], resealed: 0 });
    expect(await leftOver()).toBe(1);
    await sql('update "billing"."token" set "key_sealed" = $1 where "id" = $2', [row?.key_sealed, row?.id]);
  }, 60_000);

  it('can be removed: everything but sessions from before keeps working', async () => {
    const person = rootAt(swapped, '');
    await person.signIn('root', 'correct horse battery');
    await swapped.stop();
    const after = await start({ TOLLGATE_SECRET_KEY: NEW });
    await expectWhole(after, person.cookie);
    expect((await rootAt(after, held.cookie).call('GET', '/api/user/self')).status).toBe(401);
    const options = await rootAt(after, person.cookie).data<{ key: string; is_set?: boolean }[]>('GET', '/api/option/');
    expect(options.find(({ key }) => key === 'SMTPToken')).toMatchObject({ is_set: true });
  }, 120_000);
});
