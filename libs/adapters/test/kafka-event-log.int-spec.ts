import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { contractTopics, describeEventLog, startKafka } from '@tollgate/testing';
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';
import { KafkaEventLog } from '../src/kafka/kafka-event-log.js';
import { Logger } from '@tollgate/chassis';

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
    const seen: number[] = [];
    const handle = async (batch: readonly { value: string }[]): Promise<void> =>
      void seen.push(...batch.map(({ value }) => Number.parseInt(value)));
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
    for (let attempt = 0; new Set(seen).size < 38 && attempt < 200; attempt += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    // What was sent beside a refused record may be there twice; nothing is missing or out of order.
    const inOrder = [...new Set(seen)];
    expect(inOrder).toEqual([...records.keys()].filter((index) => !guilty.includes(index)).concat(99));
    await eventLog.stop();
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
      for (let attempt = 0; seen.size < 400 && attempt < 600; attempt += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect(seen.size).toBe(400);
      await eventLog.stop();
    },
    180_000,
  );
});
