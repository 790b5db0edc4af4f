import { randomUUID } from 'node:crypto';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Env, Logger, StoredRecord } from '@tollgate/chassis';
import { KafkaAdmin, kafkaClient } from './kafka-connection.js';
import { kafkaSecurity } from './kafka-security.js';

/** Without a record for so long although some are left, the broker is gone. */
const SILENCE_MS = 60_000;

/**
 * Hands every record that the topic has now to `handle`, in batches, each partition in its order, as a reader that nobody else shares and
 * that commits nothing. Rejects with what `handle` throws, and after a minute of silence.
 */
export async function readKafkaTopic(
  env: Env & { KAFKA_BROKERS: string },
  topic: string,
  log: Logger,
  handle: (records: readonly StoredRecord[]) => Promise<void>,
): Promise<void> {
  const brokers = env.KAFKA_BROKERS.split(',');
  const kafka = kafkaClient(brokers, log, kafkaSecurity(env));
  const admin = new KafkaAdmin(kafka, brokers, log);
  const name = `${env.TOLLGATE_TOPIC_PREFIX}${topic}`;
  const groupId = `${env.TOLLGATE_TOPIC_PREFIX}reader-${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 500 });
  try {
    await admin.connectPatiently();
    const left = new Map<number, bigint>();
    for (const { partition, low, high } of await admin.use((open) => open.fetchTopicOffsets(name)))
      if (BigInt(high) > BigInt(low)) left.set(partition, BigInt(high));
    if (left.size > 0) await drain(consumer, { name, left, handle });
  } finally {
    await consumer.disconnect().catch(() => undefined);
    await admin.use((open) => open.deleteGroups([groupId])).catch(() => undefined);
    await admin.close();
  }
}

interface Drain {
  name: string;
  /** The end of each partition that is not read up to it. */
  left: Map<number, bigint>;
  handle(records: readonly StoredRecord[]): Promise<void>;
}

async function drain(consumer: Consumer, { name, left, handle }: Drain): Promise<void> {
  const done = Promise.withResolvers<void>();
  const silence = (): NodeJS.Timeout =>
    setTimeout(() => done.reject(new Error(`Kafka hands out nothing of ${name} for a minute.`)), SILENCE_MS);
  let timer = silence();
  const take = async ({ batch }: EachBatchPayload): Promise<void> => {
    const { partition } = batch;
    const end = left.get(partition);
    // Live topics go on behind the end; that says nothing about the partitions that are left.
    if (end === undefined) return;
    clearTimeout(timer);
    const records = batch.messages
      .filter(({ offset, value }) => BigInt(offset) < end && value !== null)
      .map(({ offset, key, value, timestamp }) => ({
        ...{ partition, offset: BigInt(offset), appendedAt: Number(timestamp) },
        ...{ key: key?.toString() ?? '', value: value?.toString() ?? '' },
      }));
    await handle(records);
    if (BigInt(batch.lastOffset()) + 1n >= end) left.delete(partition);
    if (left.size === 0) done.resolve();
    else timer = silence();
  };
  await consumer.connect();
  await consumer.subscribe({ topics: [name], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    // A fault of the reader's own ends the reading; kafkajs would try again for ever.
    eachBatch: (payload) => take(payload).catch((error: unknown) => done.reject(error as Error)),
  });
  try {
    await done.promise;
  } finally {
    clearTimeout(timer);
    await consumer.stop();
  }
}

/** Every group reads the topic from its beginning when it reads again. Rejects while a member of a group is there. */
export async function rewindKafka(
  env: Env & { KAFKA_BROKERS: string },
  { topic, groups, log }: { topic: string; groups: readonly string[]; log: Logger },
): Promise<void> {
  const brokers = env.KAFKA_BROKERS.split(',');
  const admin = new KafkaAdmin(kafkaClient(brokers, log, kafkaSecurity(env)), brokers, log);
  const name = `${env.TOLLGATE_TOPIC_PREFIX}${topic}`;
  try {
    await admin.connectPatiently();
    for (const group of groups) {
      const groupId = `${env.TOLLGATE_TOPIC_PREFIX}${group}`;
      const [found] = await admin.use((open) => open.fetchOffsets({ groupId, topics: [name] }));
      // A group that never read the topic does not begin to.
      if (found?.partitions.some(({ offset }) => Number(offset) >= 0))
        await admin.use((open) => open.resetOffsets({ groupId, topic: name, earliest: true }));
    }
  } finally {
    await admin.close();
  }
}
