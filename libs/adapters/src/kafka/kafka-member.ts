import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { gather, type Logger, type ReadRecord, inFreshContext, turns } from '@tollgate/chassis';
import { subscriptionAssigner } from './kafka-assigner.js';

interface KafkaMemberOptions {
  kafka: Kafka;
  log: Logger;
  groupId: string;
  /** Names of topics on Kafka, prefix included. */
  topics: readonly string[];
  /** Turns a topic's name on Kafka into ours. */
  topicName(name: string): string;
  handle(records: readonly ReadRecord[]): Promise<void>;
  /** Called before each attempt to take part in the group again. */
  beforeRejoining?(): Promise<void>;
  /** How long a stop waits for the group to let it go. */
  stopMs?: number;
}

/** Time after which the partitions of a killed member are reassigned. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 2_000;
/** Longest time the broker waits before it answers a fetch without records. */
const WAIT_MS = 1_000;
/** Partitions of one member that are handled at once; each takes a connection of the service's pool. */
const WIDTH = 4;
/** High enough that partitions waiting for their next fetch never block the handling of others. */
const MOST_PARTITIONS = 64;
const MAX_RECORDS = 1_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const STOP_MS = 10_000;

/**
 * One member of a group. A batch's offset is committed after its handler resolved; after a rejection only its partition
 * pauses and gets the same records again. kafkajs gives up on some errors for ever, so that a consumer which crashed is
 * replaced by a new one until the member is stopped.
 */
export class KafkaMember {
  private consumer: Consumer | undefined;
  private stopped = false;
  private readonly stopping = new AbortController();
  private replacing: Promise<void> | undefined;
  private readonly running = new Set<Promise<void>>();
  private readonly turn = turns(WIDTH);
  private readonly pauses = new Map<string, { ms: number; timer: NodeJS.Timeout }>();

  constructor(private readonly options: KafkaMemberOptions) {}

  /** Resolves once the group has taken the member in. */
  async start(): Promise<void> {
    const { kafka, groupId, topics } = this.options;
    const consumer = kafka.consumer({
      groupId,
      sessionTimeout: SESSION_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: 30_000,
      maxWaitTimeInMs: WAIT_MS,
      allowAutoTopicCreation: false,
      partitionAssigners: [subscriptionAssigner],
      retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_500, restartOnFailure: () => Promise.resolve(false) },
    });
    this.consumer = consumer;
    consumer.on('consumer.crash', ({ payload }) => this.replace(consumer, payload.error));
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await inFreshContext(() =>
      consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: MOST_PARTITIONS,
        eachBatch: (payload) => this.track(this.take(payload)),
      }),
    );
  }

  private replace(crashed: Consumer, error: Error): void {
    if (this.stopped || this.consumer !== crashed) return;
    const { log, groupId } = this.options;
    log.warn(`${groupId} lost its place in the consumer group, joining again`, { error });
    this.consumer = undefined;
    this.replacing = this.startAgain(crashed).finally(() => (this.replacing = undefined));
  }

  private async startAgain(crashed: Consumer): Promise<void> {
    let waitMs = FIRST_PAUSE_MS;
    let broken: Consumer | undefined = crashed;
    while (!this.stopped) {
      await broken?.disconnect().catch(() => undefined);
      await pause(waitMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopped) return;
      try {
        await this.options.beforeRejoining?.();
        await this.start();
        return;
      } catch (error) {
        this.options.log.debug('the consumer could not start again', { error });
        broken = this.consumer;
        this.consumer = undefined;
        waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  private track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.running.delete(tracked));
    this.running.add(tracked);
    return tracked;
  }

  /** The next fetch begins when all batches of this one are through. */
  private async take(payload: EachBatchPayload): Promise<void> {
    const startedAt = performance.now();
    await this.turn(() => this.handleBatch(payload));
    await gather({ startedAt, size: payload.batch.messages.length, full: MAX_RECORDS }, this.stopping.signal);
  }

  private async handleBatch(payload: EachBatchPayload): Promise<void> {
    const { batch, isRunning, isStale } = payload;
    const topic = this.options.topicName(batch.topic);
    for (let from = 0; from < batch.messages.length; from += MAX_RECORDS) {
      if (this.stopped || !isRunning() || isStale()) return;
      const records = batch.messages
        .slice(from, from + MAX_RECORDS)
        .map((message) => readRecord(topic, batch.partition, message));
      if (!(await this.handled(payload, records))) return;
      await this.commit(payload, records);
    }
  }

  /** False if the handler rejected: the partition is paused and its position unchanged, so that the same records are delivered again. */
  private async handled(
    { batch, heartbeat, pause: pausePartition }: EachBatchPayload,
    records: readonly ReadRecord[],
  ): Promise<boolean> {
    const place = `${batch.topic}/${batch.partition}`;
    // A long-running handler must not cost the member its membership. A rebalance that a heartbeat reports is noticed by the next fetch
    // anyway.
    const beat = setInterval(() => void heartbeat().catch(() => undefined), HEARTBEAT_MS);
    try {
      await this.options.handle(records);
      if (this.pauses.delete(place)) this.options.log.info(`${this.options.groupId} takes records of ${place} again`);
      return true;
    } catch (error) {
      this.holdBack(place, pausePartition(), error);
      return false;
    } finally {
      clearInterval(beat);
    }
  }

  private holdBack(place: string, resume: () => void, error: unknown): void {
    const before = this.pauses.get(place);
    if (!before && !this.stopped)
      this.options.log.warn(`${this.options.groupId} cannot take records of ${place}, will go on trying`, { error });
    const ms = before ? Math.min(before.ms * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
    this.pauses.set(place, { ms, timer: setTimeout(resume, ms) });
  }

  private async commit(
    { batch, resolveOffset, commitOffsetsIfNecessary }: EachBatchPayload,
    records: readonly ReadRecord[],
  ): Promise<void> {
    const last = records.at(-1)?.offset ?? 0n;
    // Without this the same records would be fetched again although their offset is committed.
    resolveOffset(String(last));
    const offset = String(last + 1n);
    await commitOffsetsIfNecessary({
      topics: [{ topic: batch.topic, partitions: [{ partition: batch.partition, offset }] }],
    });
  }

  /**
   * Waits for running handlers and commits their offsets, then leaves the group, so that the others need not wait for the session time-out.
   * During a rebalance a coordinator may keep the client waiting for minutes or forever, and the client cannot be cancelled. In that case
   * the member gives up, and the group waits for the time-out after all.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.abort();
    for (const { timer } of this.pauses.values()) clearTimeout(timer);
    const over = new AbortController();
    const { stopMs = STOP_MS } = this.options;
    const patience = pause(stopMs, 'late', { signal: over.signal }).catch(() => undefined);
    if ((await Promise.race([this.leave(), patience])) === 'late')
      this.options.log.warn(`${this.options.groupId} could not leave its consumer group in time`);
    over.abort();
  }

  private async leave(): Promise<void> {
    await this.replacing;
    await Promise.allSettled([...this.running]);
    await this.consumer
      ?.disconnect()
      .catch((error: unknown) => this.options.log.debug('a consumer did not stop cleanly', { error }));
    this.consumer = undefined;
  }
}

const readRecord = (topic: string, partition: number, { key, value, offset }: KafkaMessage): ReadRecord => ({
  topic,
  partition,
  offset: BigInt(offset),
  key: key?.toString() ?? '',
  value: value?.toString() ?? '',
});
