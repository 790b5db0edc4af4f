import { randomUUID } from 'node:crypto';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { AppError, type Env, type Logger, type StoredRecord } from '@tollgate/chassis';
import { KafkaAdmin, kafkaClient } from './kafka-connection.js';
import { kafkaSecurity } from './kafka-security.js';

/** If no record arrives for this long although some are left, the broker counts as unavailable. */
const SILENCE_MS = 60_000;

type KafkaEnv = Env & { KAFKA_BROKERS: string };

/** Records of one partition that are not read yet. */
interface Stretch {
  topic: string;
  partition: number;
  next: bigint;
  end: bigint;
}

type Handle = (topic: string, records: readonly StoredRecord[]) => Promise<void>;

/**
 * Passes all records that the topic has now to `handle`, in batches, each partition in order. Reads with a group of its own that commits
 * nothing. Rejects with what `handle` throws, and after a minute without a record.
 */
export const readKafkaTopic = (
  env: KafkaEnv,
  topic: string,
  log: Logger,
  handle: (records: readonly StoredRecord[]) => Promise<void>,
): Promise<void> =>
  readStretches(env, log, {
    find: async (admin, nameOf) => {
      const offsets = await admin.use((open) => open.fetchTopicOffsets(nameOf(topic)));
      return offsets.map(({ partition, low, high }) => ({ topic, partition, next: BigInt(low), end: BigInt(high) }));
    },
    handle: (_, records) => handle(records),
  });

/**
 * As `readKafkaTopic`, for records of several topics sent between two times in milliseconds (`from` inclusive, `to` exclusive); the broker
 * looks up their offsets. A missing topic counts as empty.
 */
export const readKafkaSpan = (
  env: KafkaEnv,
  { topics, from, to, log }: { topics: readonly string[]; from: number; to: number; log: Logger },
  handle: Handle,
): Promise<void> =>
  readStretches(env, log, {
    find: async (admin, nameOf) => {
      const there = new Set(await admin.use((open) => open.listTopics()));
      const stretches: Stretch[] = [];
      for (const topic of topics.filter((name) => there.has(nameOf(name))))
        stretches.push(...(await stretchesOf(admin, { topic, name: nameOf(topic), from, to })));
      return stretches;
    },
    handle,
  });

async function stretchesOf(
  admin: KafkaAdmin,
  { topic, name, from, to }: { topic: string; name: string; from: number; to: number },
): Promise<Stretch[]> {
  const whole = await admin.use((open) => open.fetchTopicOffsets(name));
  const offsetsAt = async (time: number): Promise<Map<number, bigint>> => {
    const found = await admin.use((open) => open.fetchTopicOffsetsByTimestamp(name, time));
    return new Map(found.map(({ partition, offset }) => [partition, BigInt(offset)]));
  };
  const firsts = await offsetsAt(Math.max(0, Math.floor(from)));
  const ends = Number.isFinite(to) ? await offsetsAt(Math.ceil(to)) : new Map<number, bigint>();
  return whole.map(({ partition, low, high }) => ({
    ...{ topic, partition },
    next: firsts.get(partition) ?? BigInt(low),
    end: ends.get(partition) ?? BigInt(high),
  }));
}

interface Reading {
  find(admin: KafkaAdmin, nameOf: (topic: string) => string): Promise<Stretch[]>;
  handle: Handle;
}

async function readStretches(env: KafkaEnv, log: Logger, { find, handle }: Reading): Promise<void> {
  const brokers = env.KAFKA_BROKERS.split(',');
  const kafka = kafkaClient(brokers, log, kafkaSecurity(env));
  const admin = new KafkaAdmin(kafka, brokers, log);
  const nameOf = (topic: string): string => `${env.TOLLGATE_TOPIC_PREFIX}${topic}`;
  const groupId = `${env.TOLLGATE_TOPIC_PREFIX}reader-${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 500 });
  try {
    await admin.connectPatiently();
    const stretches = (await find(admin, nameOf)).filter(({ next, end }) => end > next);
    if (stretches.length > 0) await drain(consumer, { stretches, nameOf, handle });
  } finally {
    await consumer.disconnect().catch(() => undefined);
    await admin.use((open) => open.deleteGroups([groupId])).catch(() => undefined);
    await admin.close();
  }
}

interface Drain extends Pick<Reading, 'handle'> {
  stretches: readonly Stretch[];
  nameOf(topic: string): string;
}

async function drain(consumer: Consumer, { stretches, nameOf, handle }: Drain): Promise<void> {
  const left = new Map(stretches.map((stretch) => [`${nameOf(stretch.topic)}/${stretch.partition}`, stretch]));
  const done = Promise.withResolvers<void>();
  const silence = (): NodeJS.Timeout =>
    setTimeout(
      () => done.reject(new Error(`Kafka hands out nothing of ${[...left.keys()].join(', ')} for a minute.`)),
      SILENCE_MS,
    );
  let timer = silence();
  const take = async ({ batch, pause }: EachBatchPayload): Promise<void> => {
    const stretch = left.get(`${batch.topic}/${batch.partition}`);
    // Records beyond the end, which live topics get, must not restart the timer of the remaining partitions.
    if (!stretch) return void pause();
    clearTimeout(timer);
    const records = recordsOf(batch, stretch);
    const after = BigInt(batch.lastOffset()) + 1n;
    if (after > stretch.next) stretch.next = after;
    if (records.length > 0) await handle(stretch.topic, records);
    if (stretch.next >= stretch.end) left.delete(`${batch.topic}/${batch.partition}`);
    if (left.size === 0) done.resolve();
    else timer = silence();
  };
  await consumer.connect();
  await consumer.subscribe({ topics: [...new Set(stretches.map(({ topic }) => nameOf(topic)))], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    // A fault of the reader's own ends the reading; kafkajs would try again for ever.
    eachBatch: (payload) => take(payload).catch((error: unknown) => done.reject(error as Error)),
  });
  for (const { topic, partition, next } of [...left.values()])
    consumer.seek({ topic: nameOf(topic), partition, offset: String(next) });
  try {
    await done.promise;
  } finally {
    clearTimeout(timer);
    await consumer.stop();
  }
}

/** The records of the batch within the wanted range. Creates a single object per record, because this runs for every event. */
function recordsOf({ messages, partition }: EachBatchPayload['batch'], { next, end }: Stretch): StoredRecord[] {
  const records: StoredRecord[] = [];
  for (const { offset: place, key, value, timestamp } of messages) {
    const offset = BigInt(place);
    if (value === null || offset < next || offset >= end) continue;
    records.push({
      partition,
      offset,
      key: key?.toString() ?? '',
      value: value.toString(),
      appendedAt: Number(timestamp),
    });
  }
  return records;
}

async function withAdmin<T>(env: KafkaEnv, log: Logger, work: (admin: KafkaAdmin) => Promise<T>): Promise<T> {
  const brokers = env.KAFKA_BROKERS.split(',');
  const admin = new KafkaAdmin(kafkaClient(brokers, log, kafkaSecurity(env)), brokers, log);
  try {
    await admin.connectPatiently();
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** Throws `event-log-in-use` while one of the groups has a live member, which would write its own place over a new one. */
export const requireNoReaders = (
  env: KafkaEnv,
  { groups, log }: { groups: readonly string[]; log: Logger },
): Promise<void> =>
  withAdmin(env, log, async (admin) => {
    const idOf = (group: string): string => `${env.TOLLGATE_TOPIC_PREFIX}${group}`;
    const { groups: found } = await admin.use((open) => open.describeGroups(groups.map(idOf)));
    const inUse = found.filter(({ members }) => members.length > 0).map(({ groupId }) => groupId);
    const reading = groups.filter((group) => inUse.includes(idOf(group)));
    if (reading.length === 0) return;
    throw new AppError(
      'unavailable',
      'event-log-in-use',
      `Processes still read the events: ${reading.join(', ')}. Stop all processes of Tollgate, then run this again; one that was killed counts for half a minute more.`,
    );
  });

/** Makes every group read the topic from its beginning. Rejects while a group has a live member. */
export const rewindKafka = (
  env: KafkaEnv,
  { topic, groups, log }: { topic: string; groups: readonly string[]; log: Logger },
): Promise<void> =>
  withAdmin(env, log, async (admin) => {
    const name = `${env.TOLLGATE_TOPIC_PREFIX}${topic}`;
    for (const group of groups) {
      const groupId = `${env.TOLLGATE_TOPIC_PREFIX}${group}`;
      const [found] = await admin.use((open) => open.fetchOffsets({ groupId, topics: [name] }));
      // A group that never read the topic does not begin to.
      if (found?.partitions.some(({ offset }) => Number(offset) >= 0))
        await admin.use((open) => open.resetOffsets({ groupId, topic: name, earliest: true }));
    }
  });
