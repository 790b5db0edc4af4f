import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '@tollgate/embedded';
import { eventually } from '@tollgate/testing';
import { Kafka, logLevel } from 'kafkajs';
import { untilReplaced } from '../cluster/cluster.js';
import type { FaultStage } from './fault-stage.js';
import { randomFrom } from '../support/witness.js';

const TOPIC = 'request-consumed';
/** The consumers of the topic. */
const READERS = {
  billing: ['billing-1', 'billing-2'],
  logging: ['logging-1', 'logging-2'],
  channel: ['channel-1', 'channel-2'],
};
const ROUNDS = 5;

const clientOf = ({ kafka }: FaultStage): Kafka =>
  new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING, clientId: 'foreign' });

/**
 * Deletes the offsets of the consumer groups, so that they begin at the start of the topic. This is possible only while
 * a group has no members: for a moment after all its members were stopped and before their successors join.
 */
export async function replayFromStart(stage: FaultStage): Promise<void> {
  const admin = clientOf(stage).admin();
  await admin.connect();
  try {
    await Promise.all(
      Object.entries(READERS).map(async ([service, names]) => {
        const groupId = `${stage.topicPrefix}${service}`;
        for (let round = 1; ; round += 1) {
          const pids = names.map((name) => stage.pidOf(name));
          for (const pid of pids) process.kill(pid, 'SIGTERM');
          const forgotten = await whileTheyStop(pids, () => admin.deleteGroups([groupId]));
          for (const [index, name] of names.entries()) await untilReplaced(stage.cluster, name, pids[index] ?? 0);
          if (forgotten) return;
          if (round === ROUNDS) throw new Error(`the offsets of ${groupId} could not be set back`);
        }
      }),
    );
  } finally {
    await admin.disconnect();
  }
}

/** Retries until it works, or until the successors have certainly joined. */
async function whileTheyStop(pids: readonly number[], work: () => Promise<unknown>): Promise<boolean> {
  let until = Infinity;
  while (performance.now() < until) {
    const done = await work().then(
      () => true,
      () => false,
    );
    if (done) return true;
    if (until === Infinity && !pids.some(isAlive)) until = performance.now() + 4_000;
    await pause(50);
  }
  return false;
}

/** Reads the whole topic and appends all its records again, in random order and to random partitions. */
export async function repeatShuffled(stage: FaultStage): Promise<void> {
  const kafka = clientOf(stage);
  const topic = `${stage.topicPrefix}${TOPIC}`;
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const records: { key: Buffer | null; value: Buffer | null; partition: number }[] = [];
  const expected = ends.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  const random = randomFrom(expected);
  const consumer = kafka.consumer({ groupId: `${stage.topicPrefix}foreign-${Date.now()}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: ({ message: { key, value } }) => {
      records.push({ key, value, partition: Math.floor(random() * ends.length) });
      return Promise.resolve();
    },
  });
  await eventually('every record of the topic is read', () => records.length >= expected);
  await consumer.disconnect();
  const producer = kafka.producer();
  await producer.connect();
  const messages = records.map((record) => ({ record, place: random() })).sort((a, b) => a.place - b.place);
  await producer.send({ topic, messages: messages.map(({ record }) => record) });
  await producer.disconnect();
}
