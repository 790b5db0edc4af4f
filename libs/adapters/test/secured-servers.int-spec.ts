import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, readEnv } from '@tollgate/chassis';
import {
  contractTopics,
  eventually,
  freePort,
  LocalClickhouse,
  LocalKafka,
  LocalRedis,
  makeCertificates,
  missingForKafka,
  type TestCertificates,
} from '@tollgate/testing';
import { openClickhouse } from '../src/clickhouse/clickhouse-columns.js';
import { KafkaEventLog } from '../src/kafka/kafka-event-log.js';
import { kafkaSecurity } from '../src/kafka/kafka-security.js';
import { readKafkaTopic, rewindKafka } from '../src/kafka/kafka-topic-reader.js';
import { RedisKeyValue } from '../src/redis/redis-key-value.js';

const log = Logger.root('silent');
const PASSWORD = 'correct-horse';

const missing = process.env.CI === 'true' ? undefined : await missingForKafka();
if (missing !== undefined) process.stderr.write(`SKIPPED: Kafka with TLS: ${missing}\n`);

describe('servers that demand TLS and a sign-in', () => {
  let folder: string;
  let files: TestCertificates;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'secured-'));
    chmodSync(folder, 0o755);
    files = makeCertificates(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('Redis', () => {
    let server: LocalRedis;
    beforeAll(async () => {
      server = await LocalRedis.open({ security: { files, password: PASSWORD } });
      await server.start();
    });
    afterAll(() => server?.stop());

    const open = (caFile?: string): RedisKeyValue => new RedisKeyValue({ url: server.url, log, caFile });

    it('takes who knows its authority, and is refused by who does not', async () => {
      const store = open(files.ca);
      await store.start();
      await store.set('a', 'b', 1000);
      expect(await store.get('a')).toBe('b');
      await store.stop();
      const stranger = open(files.other);
      await expect(stranger.get('a')).rejects.toThrow();
      await stranger.stop();
    });

    it('may be disconnected at any moment of a handshake without ending the process', async () => {
      const faults: Error[] = [];
      const note = (error: Error): void => void faults.push(error);
      process.on('uncaughtException', note);
      const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
      const before = sockets();
      try {
        for (let round = 0; round < 60; round += 1) {
          const store = open(round % 2 === 0 ? files.ca : files.other);
          store.get('a').catch(() => undefined);
          await pause(round % 12);
          // Blocks the event loop as on a busy machine, so that unread data has arrived when the store stops.
          for (const end = performance.now() + 4; performance.now() < end;);
          await store.stop();
        }
        // A connection emits nothing more once it is gone.
        await eventually('all connections are gone', () => sockets() <= before);
      } finally {
        process.off('uncaughtException', note);
      }
      expect(faults).toEqual([]);
    });
  });

  describe('ClickHouse', () => {
    let server: LocalClickhouse;
    beforeAll(async () => {
      server = await LocalClickhouse.open(files);
    }, 90_000);
    afterAll(() => server?.stop());

    const open = (variables: Record<string, string> = {}) =>
      openClickhouse(readEnv({ ...server.environment, ...variables }));

    it('takes who signs in and knows its authority', async () => {
      const columns = await open();
      expect(await columns.query('select 1 as one')).toEqual([{ one: 1 }]);
      await columns.stop();
    });

    it.each([
      [
        'a wrong password',
        { CLICKHOUSE_PASSWORD: 'wrong-horse' },
        /Wrong password.*Check CLICKHOUSE_URL, CLICKHOUSE_USER/i,
      ],
      ['nobody who says who they are', { CLICKHOUSE_USER: '', CLICKHOUSE_PASSWORD: '' }, /default/],
    ])(
      'refuses %s',
      async (_what, variables, reason) => {
        await expect(open(variables)).rejects.toThrow(reason);
      },
      30_000,
    );

    it('creates no database when migrations are left to a job', async () => {
      const others = { TOLLGATE_MIGRATE: 'never', CLICKHOUSE_DATABASE: 'absent' };
      await expect(open(others)).rejects.toThrow(/has no database "absent". Run `migrate` first/);
      await (await open({ CLICKHOUSE_DATABASE: 'absent' })).stop();
      await (await open(others)).stop();
    });

    it('is refused by who does not know its authority, and nothing of it is sent', async () => {
      await expect(open({ CLICKHOUSE_CA_FILE: files.other })).rejects.toThrow(/cannot be used: .*certificate/);
    });

    it('streams rows one by one, and reports when the result breaks off', async () => {
      const columns = await open();
      try {
        let sum = 0;
        for await (const { n } of columns.stream<{ n: string }>('select number as n from system.numbers limit 200000'))
          sum += Number(n);
        expect(sum).toBe((200_000 * 199_999) / 2);
        const read = async (): Promise<void> => {
          for await (const row of columns.stream(
            'select throwIf(number = 150000) as n from system.numbers limit 200000',
          ))
            expect(row).toEqual({ n: 0 });
        };
        await expect(read()).rejects.toThrow(/ClickHouse answered/);
        for await (const row of columns.stream('select number from system.numbers')) {
          expect(row).toEqual({ number: '0' });
          break;
        }
      } finally {
        await columns.stop();
      }
    });
  });

  (missing === undefined ? describe : describe.skip)('Kafka', () => {
    let broker: LocalKafka;
    let brokers: string;
    beforeAll(async () => {
      const secured = await freePort();
      brokers = `127.0.0.1:${secured}`;
      const store = join(folder, 'server.pem');
      writeFileSync(store, readFileSync(files.key, 'utf8') + readFileSync(files.certificate, 'utf8'));
      const listener = 'listener.name.secured';
      const modules = 'org.apache.kafka.common.security';
      broker = await LocalKafka.open(join(folder, 'kafka'), {
        properties: ({ broker: plain, controller }) => `
listeners=PLAINTEXT://127.0.0.1:${plain},SECURED://127.0.0.1:${secured},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${plain},SECURED://127.0.0.1:${secured}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL
${listener}.ssl.keystore.type=PEM
${listener}.ssl.keystore.location=${store}
${listener}.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
${listener}.plain.sasl.jaas.config=${modules}.plain.PlainLoginModule required user_tollgate="${PASSWORD}";
${listener}.scram-sha-512.sasl.jaas.config=${modules}.scram.ScramLoginModule required;
`,
        format: ['--add-scram', `SCRAM-SHA-512=[name=tollgate,password=${PASSWORD}]`],
      });
      await broker.start();
    }, 120_000);
    afterAll(() => broker?.stop());

    const envWith = (variables: Record<string, string> = {}) => ({
      ...readEnv({
        KAFKA_BROKERS: brokers,
        KAFKA_TLS: 'on',
        KAFKA_CA_FILE: files.ca,
        KAFKA_SASL_MECHANISM: 'scram-sha-512',
        KAFKA_SASL_USERNAME: 'tollgate',
        KAFKA_SASL_PASSWORD: PASSWORD,
        ...variables,
      }),
      KAFKA_BROKERS: brokers,
    });
    const connect = async (variables: Record<string, string>): Promise<bigint> => {
      const env = envWith(variables);
      const eventLog = new KafkaEventLog({ brokers: [brokers], log, security: kafkaSecurity(env), patienceMs: 2_000 });
      try {
        await eventLog.start(contractTopics);
        const [topic] = contractTopics;
        await eventLog.append(topic?.name ?? '', [{ key: 'k', value: '{}' }]);
        const ends = (await eventLog.ends([topic?.name ?? '']))[topic?.name ?? ''] ?? {};
        return Object.values(ends).reduce((sum, end) => sum + end, 0n);
      } finally {
        await eventLog.stop();
      }
    };

    it.each(['scram-sha-512', 'plain'])(
      'takes events of who signs in by %s',
      async (mechanism) => {
        expect(await connect({ KAFKA_SASL_MECHANISM: mechanism })).toBeGreaterThan(0n);
      },
      60_000,
    );

    it('hands a topic to the commands that read it whole or rewind it', async () => {
      const topic = contractTopics[0]?.name ?? '';
      await connect({});
      const values: string[] = [];
      await readKafkaTopic(envWith(), topic, log, async (records) => {
        values.push(...records.map(({ value }) => value));
      });
      expect(values).toContain('{}');
      await rewindKafka(envWith(), { topic, groups: ['nobody'], log });
    }, 60_000);

    it.each([
      ['a wrong password', { KAFKA_SASL_PASSWORD: 'wrong-horse' }],
      ['no TLS', { KAFKA_TLS: 'off', KAFKA_CA_FILE: '' }],
    ])(
      'refuses %s',
      async (_what, variables) => {
        await expect(connect(variables)).rejects.toThrow(/KAFKA_TLS and KAFKA_SASL_MECHANISM/);
      },
      60_000,
    );

    it('is refused by who does not know its authority', async () => {
      await expect(connect({ KAFKA_CA_FILE: files.other })).rejects.toThrow(/No Kafka broker answers/);
    }, 60_000);
  });
});
