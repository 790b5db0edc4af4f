import { allEvents } from '@tollgate/contracts';
import type { Env, Logger } from '@tollgate/chassis';
import { KafkaEventLog } from './kafka-event-log.js';
import { kafkaSecurity } from './kafka-security.js';

export const kafkaEventLog = (env: Env & { KAFKA_BROKERS: string }, log: Logger): KafkaEventLog =>
  new KafkaEventLog({
    brokers: env.KAFKA_BROKERS.split(','),
    log,
    prefix: env.TOLLGATE_TOPIC_PREFIX,
    replication: env.TOLLGATE_TOPIC_REPLICATION,
    retentionHours: env.TOLLGATE_TOPIC_RETENTION_HOURS,
    security: kafkaSecurity(env),
  });

/** The number of unread events by group and topic. Groups that never committed an offset of a topic do not consume it and are left out. */
export async function unreadOnKafka(
  env: Env & { KAFKA_BROKERS: string },
  groups: readonly string[],
  log: Logger,
): Promise<{ group: string; topic: string; events: number }[]> {
  const eventLog = kafkaEventLog(env, log);
  await eventLog.start(allEvents.map(({ name, partitions }) => ({ name, partitions })));
  try {
    const topics = allEvents.map(({ name }) => name);
    const ends = await eventLog.ends(topics);
    const backlog: { group: string; topic: string; events: number }[] = [];
    for (const group of groups) {
      const committed = await eventLog.committed(group, topics);
      const counts = topics.map((topic) => ({
        group,
        topic,
        events: unread(ends[topic] ?? {}, committed[topic] ?? {}),
      }));
      backlog.push(...counts.filter(({ events }) => events > 0));
    }
    return backlog;
  } finally {
    await eventLog.stop();
  }
}

/** The number of unread events of one topic by group, without side effects: creates no topic and commits nothing. */
export async function lateOnKafka(
  env: Env & { KAFKA_BROKERS: string },
  { topic, groups, log }: { topic: string; groups: readonly string[]; log: Logger },
): Promise<{ reader: string; events: number }[]> {
  const eventLog = kafkaEventLog(env, log);
  try {
    // Fetches the ends first: records that arrive in between may then be read already, but are not counted as unread.
    const ends = (await eventLog.ends([topic]))[topic] ?? {};
    const readers: { reader: string; events: number }[] = [];
    for (const reader of groups) {
      const events = unread(ends, (await eventLog.committed(reader, [topic]))[topic] ?? {});
      if (events > 0) readers.push({ reader, events });
    }
    return readers;
  } finally {
    await eventLog.stop();
  }
}

function unread(ends: Readonly<Record<number, bigint>>, committed: Readonly<Record<number, bigint>>): number {
  const read = Object.entries(committed);
  if (read.every(([, offset]) => offset === 0n)) return 0;
  const left = read.map(([partition, offset]) => Number((ends[Number(partition)] ?? 0n) - offset));
  return left.reduce((sum, events) => sum + Math.max(0, events), 0);
}
