import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contractTopics, describeEventLog, eventually, startKafka } from '@tollgate/testing';
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';
import { lateOnKafka } from '../src/kafka/kafka-backlog.js';
import { KafkaEventLog } from '../src/kafka/kafka-event-log.js';
import { readKafkaSpan, readKafkaTopic, requireNoReaders } from '../src/kafka/kafka-topic-reader.js';
import { Logger, readEnv } from '@tollgate/chassis';

const log = Logger.root(process.env.TEST_LOG_LEVEL ?? 'silent');
const kafka = await startKafka();
afterAll(() => kafka?.stop());
const brokers = kafka?.brokers.split(',') ?? [];
const newPrefix = (): string => `test-${randomUUID().slice(0, 8)}.`;

async function startOn(prefix: string): Promise<KafkaEventLog> {
  const eventLog = new KafkaEventLog({ brokers, log, prefix });
  await eventLog.start(contractTopics);
  return eventLog;
}

if (kafka) {
  describeEventLog('Kafka', async () => {
    const prefix = newPrefix();
    const logs = [await startOn(prefix)];
    return {
      log: logs[0] as KafkaEventLog,
      async reopen() {
        const next = await startOn(prefix);
        logs.push(next);
        return next;
      },
      async close() {
        await Promise.all(logs.map((eventLog) => eventLog.stop()));
      },
    };
  });
}

(kafka ? describe : describe.skip)('Kafka as the event log of many processes', () => {
  const client = (): Kafka => new Kafka({ brokers, logLevel: logLevel.NOTHING });

  it('creates topics as declared, once, whichever process is first, and adds partitions to one that has too few', async () => {
    const prefix = newPrefix();
    const logs = await Promise.all([startOn(prefix), startOn(prefix), startOn(prefix)]);
    const wider = new KafkaEventLog({ brokers, log, prefix });
    await wider.start([{ name: 'contract-many', partitions: 6 }]);
    const admin = client().admin();
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({
      topics: [`${prefix}contract-single`, `${prefix}contract-many`],
    });
    const counts = Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]));
    expect(counts).toEqual({ [`${prefix}contract-single`]: 1, [`${prefix}contract-many`]: 6 });
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: `${prefix}contract-single`, configNames: ['retention.ms'] }],
    });
    expect(resources[0]?.configEntries[0]?.configValue).toBe(String(7 * 24 * 3_600_000));
    await admin.disconnect();
    await Promise.all([...logs, wider].map((eventLog) => eventLog.stop()));
  }, 60_000);

  it('marks every record as a CloudEvent for foreign consumers', async () => {
    const prefix = newPrefix();
    const eventLog = await startOn(prefix);
    await eventLog.append('contract-single', [{ key: 'k', value: '{}' }]);
    const consumer = client().consumer({ groupId: `${prefix}foreign` });
    await consumer.connect();
    await consumer.subscribe({ topics: [`${prefix}contract-single`], fromBeginning: true });
    const message = await new Promise<KafkaMessage>((resolve, reject) => {
      consumer.run({ eachMessage: async (payload) => resolve(payload.message) }).catch(reject);
    });
    expect(message.headers?.['content-type']?.toString()).toBe('application/cloudevents+json');
    await consumer.disconnect();
    await eventLog.stop();
  }, 60_000);

  it('finds the records that a broker refuses, and sends the others', async () => {
    const prefix = newPrefix();
    const eventLog = await startOn(prefix);
    const admin = client().admin();
    await admin.connect();
    const configEntries = [{ name: 'max.message.bytes', value: '20000' }];
    const name = `${prefix}contract-single`;
    await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name, configEntries }] });
    await admin.disconnect();
    // The reply to the change arrives before every log of the broker has applied it.
    const probe = [{ key: 'k', value: `-1 ${'x'.repeat(100_000)}` }];
    const isKnown = (): Promise<boolean> =>
      eventLog.append('contract-single', probe).then(
        () => false,
        () => true,
      );
    await eventually('the broker applies the limit', isKnown);
    const seen: number[] = [];
    const handle = async (batch: readonly { value: string }[]): Promise<void> =>
      void seen.push(...batch.map(({ value }) => Number.parseInt(value)).filter((number) => number >= 0));
    await eventLog.subscribe({ group: 'g', topics: ['contract-single'], handle });
    const guilty = [5, 20, 21];
    const records = Array.from({ length: 40 }, (_, index) => ({
      key: 'k',
      value: `${index} ${guilty.includes(index) ? 'x'.repeat(100_000) : ''}`,
    }));
    const [refused, beside] = await Promise.allSettled([
      eventLog.append('contract-single', records),
      eventLog.append('contract-single', [{ key: 'k', value: '99' }]),
    ]);
    expect(refused).toMatchObject({ reason: { name: 'RecordsRefused', refusals: guilty.map((index) => ({ index })) } });
    expect(beside.status).toBe('fulfilled');
    await eventually('38 records arrive', () => new Set(seen).size >= 38);
    // Records sent together with a refused one may be duplicated, but none is missing or out of order.
    const inOrder = [...new Set(seen)];
    expect(inOrder).toEqual([...records.keys()].filter((index) => !guilty.includes(index)).concat(99));
    await eventLog.stop();
  }, 60_000);

  /** Appends the value until the topic, which was deleted, takes it. */
  const untilTaken = (eventLog: KafkaEventLog, topic: string, value: string): Promise<unknown> => {
    const isTaken = (): Promise<boolean> =>
      eventLog.append(topic, [{ key: 'k', value }]).then(
        () => true,
        () => false,
      );
    return eventually('the topic takes records again', isTaken, 60_000);
  };

  it('creates a deleted topic again, and goes on reading the others meanwhile', async () => {
    const prefix = newPrefix();
    const eventLog = await startOn(prefix);
    const seen: string[] = [];
    const handle = async (batch: readonly { value: string }[]): Promise<void> =>
      void seen.push(...batch.map(({ value }) => value));
    await eventLog.subscribe({ group: 'g', topics: ['contract-single', 'contract-many'], handle });
    const append = (topic: string, value: string): Promise<void> => eventLog.append(topic, [{ key: 'k', value }]);
    const admin = client().admin();
    await admin.connect();
    for (const deleted of ['contract-many', 'contract-single']) {
      await admin.deleteTopics({ topics: [`${prefix}${deleted}`] });
      const other = deleted === 'contract-many' ? 'contract-single' : 'contract-many';
      await append(other, `beside ${deleted}`);
      await eventually('the other topic is read', () => seen.includes(`beside ${deleted}`), 30_000);
      await untilTaken(eventLog, deleted, `to ${deleted}`);
      await eventually('they are read', () => seen.includes(`to ${deleted}`), 30_000);
    }
    const { topics } = await admin.fetchTopicMetadata({ topics: [`${prefix}contract-many`] });
    expect(topics[0]?.partitions).toHaveLength(4);
    await admin.disconnect();
    await eventLog.stop();
  }, 150_000);

  it('creates a deleted topic again to which it only appends', async () => {
    const prefix = newPrefix();
    const eventLog = await startOn(prefix);
    await eventLog.append('contract-single', [{ key: 'k', value: 'before' }]);
    const admin = client().admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [`${prefix}contract-single`] });
    await untilTaken(eventLog, 'contract-single', 'after');
    await admin.disconnect();
    await eventLog.stop();
  }, 90_000);

  describe('read beside the groups', () => {
    const MINUTE = 60_000;
    const start = Date.now() - 60 * MINUTE;
    const topics = ['contract-many', 'contract-single', 'not-there'];
    const prefix = newPrefix();
    const name = (topic: string): string => `${prefix}${topic}`;
    const env = () => ({
      ...readEnv({ KAFKA_BROKERS: brokers.join(','), TOLLGATE_TOPIC_PREFIX: prefix }),
      KAFKA_BROKERS: brokers.join(','),
    });
    const spanOf = async (from: number, to: number): Promise<string[]> => {
      const seen: string[] = [];
      await readKafkaSpan(env(), { topics, from, to, log }, async (topic, records) => {
        seen.push(...records.map(({ value, appendedAt }) => `${topic} ${value} ${(appendedAt - start) / MINUTE}`));
      });
      return seen.sort();
    };

    /** One topic gets a record each minute, its partitions in turn; the other gets one in minute 3. */
    beforeAll(async () => {
      const eventLog = await startOn(prefix);
      await eventLog.stop();
      const producer = client().producer();
      await producer.connect();
      // Sent one by one: if one partition of a request has no leader yet, kafkajs repeats the records for all partitions.
      for (let minute = 0; minute < 9; minute += 1) {
        const message = { key: 'k', value: String(minute), timestamp: String(start + minute * MINUTE) };
        await producer.send({ topic: name('contract-many'), messages: [{ ...message, partition: minute % 3 }] });
      }
      const other = { key: 'k', value: 'other', timestamp: String(start + 3 * MINUTE) };
      await producer.send({ topic: name('contract-single'), messages: [other] });
      await producer.disconnect();
    }, 60_000);

    it('hands out what was sent within a span of time, and leaves no group behind', async () => {
      expect(await spanOf(start + 2 * MINUTE, start + 5 * MINUTE)).toEqual([
        ...['contract-many 2 2', 'contract-many 3 3', 'contract-many 4 4', 'contract-single other 3'],
      ]);
      expect(await spanOf(start + 7 * MINUTE, Infinity)).toEqual(['contract-many 7 7', 'contract-many 8 8']);
      expect(await spanOf(0, start)).toEqual([]);
      const admin = client().admin();
      await admin.connect();
      const { groups } = await admin.listGroups();
      await admin.disconnect();
      expect(groups.filter(({ groupId }) => groupId.startsWith(prefix))).toEqual([]);
    }, 60_000);

    it('hands out all that a topic has, each partition in its order', async () => {
      const seen: string[] = [];
      await readKafkaTopic(env(), 'contract-many', log, async (records) => {
        seen.push(...records.map(({ partition, value }) => `${partition}: ${value}`));
      });
      const of = (partition: number): string[] => seen.filter((text) => text.startsWith(String(partition)));
      expect([of(0), of(1), of(2)]).toEqual([
        ...[
          ['0: 0', '0: 3', '0: 6'],
          ['1: 1', '1: 4', '1: 7'],
          ['2: 2', '2: 5', '2: 8'],
        ],
      ]);
    }, 60_000);

    it('tells which groups have how much unread, but for those that never read', async () => {
      const admin = client().admin();
      await admin.connect();
      const partitions = [0, 1, 2].map((partition) => ({ partition, offset: partition === 1 ? '1' : '3' }));
      await admin.setOffsets({ groupId: name('late'), topic: name('contract-many'), partitions });
      await admin.disconnect();
      const groups = ['late', 'never'];
      expect(await lateOnKafka(env(), { topic: 'contract-many', groups, log })).toEqual([
        { reader: 'late', events: 2 },
      ]);
    }, 60_000);
  });

  it('is rewound only when nobody reads it', async () => {
    const prefix = newPrefix();
    const env = { ...readEnv({ TOLLGATE_TOPIC_PREFIX: prefix }), KAFKA_BROKERS: brokers.join(',') };
    const eventLog = await startOn(prefix);
    try {
      await requireNoReaders(env, { groups: ['reader', 'other'], log });
      await eventLog.subscribe({ group: 'reader', topics: ['contract-single'], handle: async () => undefined });
      const refused = (): Promise<unknown> =>
        requireNoReaders(env, { groups: ['reader', 'other'], log }).then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(await eventually('the group has a member', refused)).toMatchObject({
        code: 'event-log-in-use',
        message: expect.stringContaining('Processes still read the events: reader. Stop all processes'),
      });
    } finally {
      await eventLog.stop();
    }
    await requireNoReaders(env, { groups: ['reader', 'other'], log });
  }, 60_000);

  it('names KAFKA_BROKERS and the address when nobody answers', async () => {
    const eventLog = new KafkaEventLog({ brokers: ['127.0.0.1:1'], log, patienceMs: 100 });
    await expect(eventLog.start(contractTopics)).rejects.toThrow(/127\.0\.0\.1:1.*KAFKA_BROKERS/s);
  }, 60_000);

  (kafka?.local ? it : it.skip)(
    'loses nothing when the broker is killed under load and comes back',
    async () => {
      const broker = kafka?.local;
      const eventLog = await startOn(newPrefix());
      const seen = new Set<number>();
      await eventLog.subscribe({
        group: 'g',
        topics: ['contract-many'],
        handle: async (batch) => batch.forEach(({ value }) => seen.add(Number(value))),
      });
      let killed: Promise<void> | undefined;
      for (let index = 0; index < 400; index += 1) {
        const append = (): Promise<void> =>
          eventLog.append('contract-many', [{ key: `k${index}`, value: String(index) }]);
        if (index === 150) killed = broker?.kill().then(() => broker.start());
        while (
          !(await append().then(
            () => true,
            () => false,
          ))
        );
      }
      await killed;
      await eventually('400 records arrive', () => seen.size === 400, 60_000);
      await eventLog.stop();
    },
    180_000,
  );
});
