import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { readUntil } from '@tollgate/testing';
import { untilEnded, untilReplaced } from '../cluster/cluster.js';
import type { Load } from './fault-load.js';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

/**
 * Longer than every wait for Kafka: the session of a consumer (10 s), its rebalance (30 s), the start of a process (30
 * s), and the relay, which sends requests again that are not booked after 60 s.
 */
const KAFKA_AWAY_MS = 75_000;
/** A relay uses leased quota for 20 s after its last heartbeat; the rest is for calls in progress. */
const LEASES_END_MS = 26_000;
const DATABASE_AWAY_MS = 34_000;
const CONSUMERS = ['billing', 'logging', 'channel'];
const DISK_FULL_MS = 15_000;
const TOPIC = 'request-consumed';
const PARTITIONS = 12;

async function withoutKafkaForLong(stage: FaultStage): Promise<void> {
  await stage.kafka.stop();
  const pid = stage.pidOf('logging-1');
  process.kill(pid, 'SIGKILL');
  await pause(KAFKA_AWAY_MS);
  await stage.kafka.start();
  await untilReplaced(stage.cluster, 'logging-1', pid);
}

/** Deletes the topic once everything in it has been read, and creates it again while clients continue. */
async function makeTopicAnew(stage: FaultStage, load: Load): Promise<string[]> {
  const admin = new Kafka({ brokers: [stage.kafka.brokers], logLevel: logLevel.NOTHING }).admin();
  const topic = `${stage.topicPrefix}${TOPIC}`;
  await admin.connect();
  try {
    await load.rest();
    const unread = await readUntil(
      () => unreadOf(stage, topic, admin),
      (count) => count === 0,
      20_000,
    );
    await admin.deleteTopics({ topics: [topic] });
    load.goOn();
    await pause(3_000);
    await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS, replicationFactor: 1 }] });
    return unless(unread === 0, `${unread} events were unread when the topic was deleted`);
  } finally {
    load.goOn();
    await admin.disconnect();
  }
}

async function unreadOf(stage: FaultStage, topic: string, admin: ReturnType<Kafka['admin']>): Promise<number> {
  if ((await stage.spooled()) > 0) return Infinity;
  const ends = await admin.fetchTopicOffsets(topic);
  const end = ends.reduce((sum, { high }) => sum + Number(high), 0);
  const counts = await Promise.all(
    CONSUMERS.map(async (group) => {
      const [read] = await admin.fetchOffsets({ groupId: `${stage.topicPrefix}${group}`, topics: [topic] });
      return end - (read?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
    }),
  );
  return Math.max(...counts);
}

/** Like a volume that is set back to an earlier snapshot. */
async function restoreRedis(stage: FaultStage): Promise<string[]> {
  const folder = join(stage.cluster.dataDir, 'redis');
  const copy = `${folder}.old`;
  const address = stage.addressOf('Redis');
  await onRedis(address, (redis) => redis.set('stranger:before', '1'));
  cpSync(folder, copy, { recursive: true });
  await pause(3_000);
  await onRedis(address, (redis) => redis.set('stranger:after', '1'));
  const pid = stage.pidOf('Redis');
  process.kill(pid, 'SIGKILL');
  await untilEnded(pid);
  // The supervisor waits half a second before it restarts the server.
  rmSync(folder, { recursive: true });
  renameSync(copy, folder);
  await readUntil(
    () => Promise.resolve(stage.cluster.run().servers.find(({ name }) => name === 'Redis')?.pid),
    (now) => now !== undefined && now !== pid,
    20_000,
  );
  const kept = await onRedis(address, (redis) => redis.mget('stranger:before', 'stranger:after'));
  return unless(kept[0] === '1' && kept[1] === null, 'Redis did not come back with its old data');
}

async function onRedis<T>(address: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(address, { maxRetriesPerRequest: 20 });
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** Without its configuration file the server does not start, however often the supervisor tries. */
async function withoutDatabaseForLong(stage: FaultStage, load: Load): Promise<string[]> {
  const state = readFileSync(join(stage.cluster.dataDir, 'postgres.json'), 'utf8');
  const settings = join((JSON.parse(state) as { cluster: string }).cluster, 'postgresql.conf');
  const pid = stage.pidOf('PostgreSQL');
  renameSync(settings, `${settings}.away`);
  process.kill(pid, 'SIGQUIT');
  const awayFrom = performance.now();
  await pause(DATABASE_AWAY_MS);
  renameSync(`${settings}.away`, settings);
  const backFrom = performance.now();
  await readUntil(
    () => Promise.resolve(stage.pidOf('PostgreSQL')),
    (now) => now !== pid,
    30_000,
  );
  const asked = load.seen.filter(({ askedAt, hasLeft }) => askedAt > awayFrom && askedAt < backFrom && !hasLeft);
  const early = asked.filter(({ askedAt }) => askedAt < awayFrom + LEASES_END_MS);
  const late = asked.filter(({ askedAt, endedAt }) => askedAt > awayFrom + LEASES_END_MS && endedAt < backFrom);
  const wrong = late.filter(({ status }) => status !== 503);
  return [
    ...unless(
      early.some(({ isWhole }) => isWhole),
      'nobody was served on quota that was lent before',
    ),
    ...unless(late.length > 0, 'nobody got an answer after the leases had ended'),
    ...wrong.map(({ kind, mark, status, failure }) => `${kind} ${mark} got ${status} and not 503: ${failure}`),
  ];
}

/**
 * PostgreSQL refuses every insert into the usage log, as it does when its volume is full; some time later there is
 * space again.
 */
async function fillLogDisk({ cluster }: FaultStage): Promise<string[]> {
  const client = new Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  try {
    await client.query(`
      create function logging.disk_is_full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
      create trigger disk_is_full before insert on logging.log for each statement execute function logging.disk_is_full();`);
    await pause(DISK_FULL_MS);
    await client.query('drop trigger disk_is_full on logging.log; drop function logging.disk_is_full()');
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from logging.quarantined_event',
    );
    return unless(rows[0]?.count === 0, `${rows[0]?.count} events were put aside while the disk was full`);
  } finally {
    await client.end();
  }
}

export const serverRows: readonly FaultRow[] = [
  {
    name: 'Kafka away for 75 s, and a process that starts meanwhile',
    seconds: 80,
    mayFail: false,
    when: early,
    inject: withoutKafkaForLong,
  },
  { name: "logging's disk full for 15 s", seconds: 20, mayFail: false, when: early, inject: fillLogDisk },
  { name: 'the topic made anew', seconds: 16, mayFail: false, inject: makeTopicAnew },
  { name: 'Redis put back to an earlier state', seconds: 12, mayFail: false, when: early, inject: restoreRedis },
  { name: 'PostgreSQL away for 34 s', seconds: 42, mayFail: true, when: early, inject: withoutDatabaseForLong },
];
