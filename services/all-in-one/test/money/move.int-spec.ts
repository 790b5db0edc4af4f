import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { unreadOnKafka, KafkaEventLog } from '@tollgate/adapters';
import { listen, Logger, readEnv } from '@tollgate/chassis';
import { exportData, importData } from '@tollgate/operations';
import { startProcess } from '@tollgate/process';
import {
  createDatabase,
  type FakeUpstream,
  Person,
  readUntil,
  setUpSite,
  startFakeUpstream,
  startKafka,
  type TestDatabase,
} from '@tollgate/testing';
import { Client } from 'pg';
import { v7 } from 'uuid';
import { events } from '../../src/commands/events.js';
import { allServices } from '../../src/index.js';
import { ask } from '../support/relay-site.js';

interface Product {
  url: string;
  stop(): Promise<void>;
}
interface Self {
  quota: number;
  used_quota: number;
  request_count: number;
}

const log = Logger.root('silent');
const KEY_CHECK = 'of the key that all of these have';
const kafka = await startKafka();
afterAll(() => kafka?.stop());

describe('an installation that is moved to another database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-move-'));
  const file = join(folder, 'whole.tollgate');
  const databases: TestDatabase[] = [];
  let source: TestDatabase;
  let upstream: FakeUpstream;
  /** A session of the source installation. */
  let cookie = '';
  let apiKey = '';
  let before: Self;
  let eventQuota = 0;

  const newDatabase = async (): Promise<TestDatabase> => {
    const database = await createDatabase();
    databases.push(database);
    return database;
  };
  const start = async (database: TestDatabase, more: Record<string, string> = {}): Promise<Product> => {
    const env = readEnv({
      DATABASE_URL: database.url,
      TOLLGATE_DATA_DIR: mkdtempSync(join(folder, 'data-')),
      TOLLGATE_SECRET_KEY: 'one secret for source and targets, long enough',
      TOLLGATE_RATE_LIMITS: 'off',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      PORT: '0',
      ...more,
    });
    const running = await startProcess(allServices, env);
    const front = running.services.get('gateway');
    if (!front) throw new Error('no gateway');
    const listener = await listen(front.app, '127.0.0.1', 0);
    return {
      url: `http://127.0.0.1:${listener.port}`,
      async stop() {
        await listener.drain(1);
        await running.stop();
      },
    };
  };
  const sql = async <Row extends object>(
    { url }: TestDatabase,
    text: string,
    values: unknown[] = [],
  ): Promise<Row[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const transfer = (database: TestDatabase, name = file, keyCheck = KEY_CHECK) => ({
    services: allServices,
    url: database.url,
    log,
    file: name,
    keyCheck,
    keyChecks: ['of a key that is being replaced', keyCheck],
    say: () => undefined,
  });
  const rootOf = (url: string): Person => Object.assign(new Person(url), { cookie, id: 1 });
  const selfAt = (url: string): Promise<Self> => rootOf(url).data<Self>('GET', '/api/user/self');
  const rowsAt = async (url: string): Promise<number> =>
    (await rootOf(url).data<{ total: number }>('GET', '/api/log/?type=2&page_size=100')).total;

  /** Produces the state after services were stopped between the relay's last event and its booking. */
  async function leaveOneUnread(): Promise<void> {
    const [record] = await sql<{ partition: number; key: string; value: string }>(
      source,
      `select partition, key, value from event_log.record where topic = 'request-consumed' limit 1`,
    );
    if (!record) throw new Error('nothing was consumed');
    const event = { ...(JSON.parse(record.value) as { data: { quota: number } }), id: v7() };
    eventQuota = event.data.quota;
    await sql(
      source,
      `with path as (select set_config('search_path', 'event_log', false))
       select a.* from path, event_log.append_records('request-consumed', array[$1::int], array[$2::text], array[$3::text]) a`,
      [record.partition, record.key, JSON.stringify(event)],
    );
  }

  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    source = await newDatabase();
    const product = await start(source);
    const site = await setUpSite(product.url);
    await site.channel({ name: 'moved', base_url: upstream.url, models: 'gpt-4o' });
    apiKey = await site.token(site.root, { name: 'moved', unlimited_quota: false, remain_quota: 5_000_000 });
    for (let index = 0; index < 3; index += 1)
      expect((await ask(product.url, { dialect: 'openai', key: apiKey, prompt: `ask ${index}` })).status).toBe(200);
    cookie = site.root.cookie;
    await readUntil(
      () => selfAt(product.url),
      ({ request_count: count }) => count === 3,
      10_000,
    );
    before = await selfAt(product.url);
    await expect(exportData(transfer(source, join(folder, 'early')))).rejects.toThrow(/still runs on .*Stop it first/);
    await product.stop();
    await leaveOneUnread();
  }, 120_000);
  afterAll(async () => {
    for (const database of databases) await database.drop();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The unread event must be booked exactly once. */
  async function expectWhole(product: Product): Promise<void> {
    const after = await readUntil(
      () => selfAt(product.url),
      ({ request_count: count }) => count === 4,
      15_000,
    );
    expect(after).toMatchObject({
      quota: before.quota - eventQuota,
      used_quota: before.used_quota + eventQuota,
      request_count: 4,
    });
    expect(
      await readUntil(
        () => rowsAt(product.url),
        (total) => total === 4,
        10_000,
      ),
    ).toBe(4);
    const reply = await ask(product.url, { dialect: 'openai', key: apiKey, prompt: 'and on' });
    expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
    expect(
      await readUntil(
        () => rowsAt(product.url),
        (total) => total === 5,
        10_000,
      ),
    ).toBe(5);
  }

  it('writes an archive that only its owner can read, and overwrites no file', async () => {
    const report = await exportData(transfer(source));
    expect(report.proofs).toMatchObject({
      'billing: booked consumption': String(before.used_quota),
      'billing: funds whose held quota is not that of their leases': '0',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(exportData(transfer(source))).rejects.toThrow(/exists already/);
  }, 60_000);

  it('keeps sessions, keys and balances, and books pending requests once', async () => {
    const target = await newDatabase();
    const report = await importData(transfer(target));
    expect(report.proofs['billing: booked consumption']).toBe(String(before.used_quota));
    const shape = (database: TestDatabase) =>
      sql(
        database,
        `select n.nspname, c.relname, c.relkind, pg_get_userbyid(c.relowner) as owner, pg_get_expr(c.relpartbound, c.oid) as bound
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname in ('identity', 'billing', 'channel', 'logging', 'event_log', 'platform') and c.relkind in ('r', 'p', 'S')
         order by 1, 2`,
      );
    expect(await shape(target)).toEqual(await shape(source));
    for (let run = 0; run < 2; run += 1) {
      const product = await start(target);
      try {
        if (run === 0) await expectWhole(product);
        // Sequences continue where they were, so new ids do not collide with old ones.
        else expect((await selfAt(product.url)).request_count).toBe(5);
      } finally {
        await product.stop();
      }
    }
  }, 120_000);

  (kafka ? it : it.skip)(
    'goes over to Kafka at its first start there without losing or repeating an event',
    async () => {
      const target = await newDatabase();
      await importData(transfer(target));
      const onKafka = {
        KAFKA_BROKERS: kafka?.brokers ?? '',
        TOLLGATE_TOPIC_PREFIX: `test-${randomUUID().slice(0, 8)}.`,
        TOLLGATE_NOTICE_SECONDS: '0',
      };
      const product = await start(target, onKafka);
      try {
        await expectWhole(product);
      } finally {
        await product.stop();
      }
      const env = readEnv({ ...onKafka });
      const groups = allServices.map(({ name }) => name);
      expect(await unreadOnKafka({ ...env, KAFKA_BROKERS: onKafka.KAFKA_BROKERS }, groups, log)).toEqual([]);
      const eventLog = new KafkaEventLog({
        brokers: onKafka.KAFKA_BROKERS.split(','),
        log,
        prefix: onKafka.TOLLGATE_TOPIC_PREFIX,
      });
      await eventLog.start([{ name: 'request-consumed', partitions: 12 }]);
      await eventLog.append('request-consumed', [{ key: '1', value: '{}' }]);
      await eventLog.stop();
      const unread = await unreadOnKafka({ ...env, KAFKA_BROKERS: onKafka.KAFKA_BROKERS }, groups, log);
      expect(unread.map(({ group, events }) => [group, events])).toEqual([
        ['billing', 1],
        ['channel', 1],
        ['logging', 1],
      ]);
      const command = async (...args: string[]): Promise<void> => {
        const before = process.env;
        process.env = { DATABASE_URL: target.url, TOLLGATE_DATA_DIR: join(folder, 'of the command'), ...onKafka };
        await events(args).finally(() => (process.env = before));
      };
      const leaveKafka = (): Promise<void> => command('leave-kafka');
      const archive = join(folder, 'events of Kafka.gz');
      await expect(leaveKafka()).rejects.toThrow(/not read yet/);
      const ends = async (): Promise<unknown> => {
        const reader = new KafkaEventLog({
          ...{ brokers: onKafka.KAFKA_BROKERS.split(','), prefix: onKafka.TOLLGATE_TOPIC_PREFIX, log },
        });
        return reader.ends(['request-consumed']).finally(() => reader.stop());
      };
      const again = await start(target, onKafka);
      try {
        expect((await selfAt(again.url)).request_count).toBe(5);
        expect(await rowsAt(again.url)).toBe(5);
        const left = () => unreadOnKafka({ ...env, KAFKA_BROKERS: onKafka.KAFKA_BROKERS }, groups, log);
        expect(await readUntil(left, (groupsLeft) => groupsLeft.length === 0, 20_000)).toEqual([]);
        await command('archive', archive);
        // Nothing of the archive may be sent to the processes that run.
        const before = await ends();
        await expect(command('replay', '--archive', archive)).rejects.toMatchObject({ code: 'event-log-in-use' });
        expect(await ends()).toEqual(before);
      } finally {
        await again.stop();
      }
      const [copy, back] = [await newDatabase(), join(folder, 'back from Kafka')];
      await exportData(transfer(target, back));
      await importData(transfer(copy, back));
      await (await start(copy)).stop();
      await leaveKafka();
      await (await start(target)).stop();
    },
    120_000,
  );

  it('refuses a target that is not empty, without changing it', async () => {
    await expect(importData(transfer(source))).rejects.toThrow(/has the schemas billing, .*create a new one/);
    const [users] = await sql<{ count: string }>(source, 'select count(*) from identity.users');
    expect(users).toEqual({ count: '1' });
  });

  it('refuses another secret key', async () => {
    const target = await newDatabase();
    await expect(importData(transfer(target, file, 'of another key'))).rejects.toThrow(/another secret key/);
  });

  it.each([
    ['cut off', (whole: Buffer) => whole.subarray(0, whole.length - 200)],
    [
      'without its end',
      (whole: Buffer) =>
        gzipSync(
          gunzipSync(whole)
            .toString()
            .replace(/\{"end":true\}\n$/, ''),
        ),
    ],
    [
      'changed in one figure',
      (whole: Buffer) =>
        gzipSync(
          gunzipSync(whole)
            .toString()
            .replace(/\tmoved\t/, '\tmoveD\t'),
        ),
    ],
    ['something else', () => gzipSync('{"hello":"world"}\n')],
  ])(
    'imports nothing from a file that is %s, and can be repeated',
    async (name, spoil) => {
      const target = await newDatabase();
      const spoilt = join(folder, `${name}.spoilt`);
      writeFileSync(spoilt, spoil(readFileSync(file)));
      await expect(importData(transfer(target, spoilt))).rejects.toThrow(/cannot be imported/);
      expect((await importData(transfer(target))).rows).toBeGreaterThan(10);
    },
    60_000,
  );

  it('imports nothing when a schema cannot be created, and can be repeated', async () => {
    const target = await newDatabase();
    class Impossible extends Migration {
      override up(): void {
        this.addSql('select 1 / 0');
      }
    }
    const services = allServices.map((service) => {
      const { name, database } = service;
      if (name !== 'channel' || !database) return service;
      return { ...service, database: { ...database, migrations: [...database.migrations, Impossible] } };
    });
    await expect(importData({ ...transfer(target), services })).rejects.toThrow(/division by zero/);
    expect((await importData(transfer(target))).rows).toBeGreaterThan(10);
  }, 60_000);
});
