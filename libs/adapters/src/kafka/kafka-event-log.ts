import { setTimeout as pause } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { type Logger, EventLog, type LogRecord, type Offsets, type Subscription } from '@tollgate/chassis';
import { KafkaAppender } from './kafka-appender.js';
import { KafkaAdmin, kafkaClient } from './kafka-connection.js';
import { KafkaMember } from './kafka-member.js';
import type { KafkaSecurity } from './kafka-security.js';

interface KafkaEventLogOptions {
  /** `host:port` each. */
  brokers: readonly string[];
  log: Logger;
  /** Before the name of every topic and group, so that installations can share brokers. */
  prefix?: string;
  /** Replicas of each partition; 0 for three, or as many as there are brokers if fewer. */
  replication?: number;
  retentionHours?: number;
  security?: KafkaSecurity;
  patienceMs?: number;
}

interface Topic {
  name: string;
  partitions: number;
}

const WEEK_HOURS = 168;
const USUAL_REPLICATION = 3;
const WIDENING_TURNS = 100;
const WIDENING_PAUSE_MS = 100;

/** The event log on Kafka. Topics are created as declared; an existing one keeps its settings and may only gain partitions. */
export class KafkaEventLog extends EventLog {
  private readonly kafka: Kafka;
  private readonly admin: KafkaAdmin;
  private readonly appender: KafkaAppender;
  private readonly declared = new Map<string, Topic>();
  private readonly members: KafkaMember[] = [];

  constructor(private readonly options: KafkaEventLogOptions) {
    super();
    const { brokers, log, security = {} } = options;
    this.kafka = kafkaClient(brokers, log, security);
    this.admin = new KafkaAdmin(this.kafka, brokers, log);
    this.appender = new KafkaAppender(this.kafka, log, () => this.createDeleted());
  }

  async start(topics: readonly Topic[]): Promise<void> {
    try {
      await this.admin.connectPatiently(this.options.patienceMs);
      await this.createTopics(topics);
      for (const topic of topics) this.declared.set(topic.name, topic);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private async createTopics(topics: readonly Topic[]): Promise<void> {
    const missing = await this.missing(topics);
    if (missing.length > 0) await this.create(missing);
    const tooFew = await this.narrow(topics);
    if (tooFew.length === 0) return;
    const topicPartitions = tooFew.map(({ name, partitions }) => ({ topic: this.nameOf(name), count: partitions }));
    await this.admin.use((admin) => admin.createPartitions({ topicPartitions }));
    await this.untilWide(tooFew);
  }

  private async missing(topics: readonly Topic[]): Promise<Topic[]> {
    const existing = new Set(await this.admin.use((admin) => admin.listTopics()));
    return topics.filter(({ name }) => !existing.has(this.nameOf(name)));
  }

  /**
   * Somebody who deletes a topic of a running installation would otherwise stop everything: Kafka lets no member join
   * its group while one of its topics is missing, so that the others would not be read either.
   */
  private async createDeleted(): Promise<void> {
    const missing = await this.missing([...this.declared.values()]);
    if (missing.length === 0) return;
    const topics = missing.map(({ name }) => this.nameOf(name));
    this.options.log.error('topics were deleted in Kafka and are created again; events that were unread are lost', {
      topics,
    });
    await this.create(missing);
  }

  /** Those of the topics that have fewer partitions than declared. */
  private async narrow(topics: readonly Topic[]): Promise<Topic[]> {
    const { topics: found } = await this.admin.use((admin) =>
      admin.fetchTopicMetadata({ topics: topics.map(({ name }) => this.nameOf(name)) }),
    );
    const counts = new Map(found.map(({ name, partitions }) => [name, partitions.length]));
    return topics.filter(({ name, partitions }) => (counts.get(this.nameOf(name)) ?? partitions) < partitions);
  }

  /** Brokers report the old number of partitions for a moment, and a producer that used it would write one key to two partitions. */
  private async untilWide(topics: readonly Topic[]): Promise<void> {
    for (let turn = 0; turn < WIDENING_TURNS && (await this.narrow(topics)).length > 0; turn += 1)
      await pause(WIDENING_PAUSE_MS);
  }

  /** Another process may be faster with some of them; those are then left as they are. */
  private async create(topics: readonly Topic[]): Promise<void> {
    const { replication = 0, retentionHours = WEEK_HOURS } = this.options;
    const { brokers } = await this.admin.use((admin) => admin.describeCluster());
    const replicationFactor = replication || Math.min(USUAL_REPLICATION, brokers.length);
    const configEntries = [
      { name: 'retention.ms', value: String(retentionHours * 3_600_000) },
      { name: 'cleanup.policy', value: 'delete' },
      // With three replicas an acknowledged record is on at least two brokers.
      { name: 'min.insync.replicas', value: replicationFactor > 2 ? '2' : '1' },
    ];
    const wanted = topics.map(({ name, partitions: numPartitions }) => ({
      topic: this.nameOf(name),
      numPartitions,
      replicationFactor,
      configEntries,
    }));
    await this.admin.use((admin) => admin.createTopics({ topics: wanted, waitForLeaders: true }));
  }

  private nameOf(topic: string): string {
    return `${this.options.prefix ?? ''}${topic}`;
  }

  private requireDeclared(topic: string): void {
    if (!this.declared.has(topic)) throw new Error(`event log: topic "${topic}" was not declared at start`);
  }

  async append(topic: string, records: readonly LogRecord[]): Promise<void> {
    this.requireDeclared(topic);
    if (records.length > 0) await this.appender.append(this.nameOf(topic), records);
  }

  async subscribe({ group, topics, handle }: Subscription): Promise<void> {
    for (const topic of topics) this.requireDeclared(topic);
    const prefix = this.options.prefix ?? '';
    const member = new KafkaMember({
      kafka: this.kafka,
      log: this.options.log,
      groupId: this.nameOf(group),
      topics: topics.map((topic) => this.nameOf(topic)),
      topicName: (name) => name.slice(prefix.length),
      beforeRejoining: () => this.createDeleted(),
      handle,
    });
    this.members.push(member);
    await member.start();
  }

  async identity(): Promise<string> {
    const { clusterId } = await this.admin.use((admin) => admin.describeCluster());
    return `kafka ${clusterId} ${this.options.prefix ?? ''}`.trimEnd();
  }

  async ends(topics: readonly string[]): Promise<Offsets> {
    const entries = await Promise.all(
      topics.map(async (topic) => {
        const offsets = await this.admin.use((admin) => admin.fetchTopicOffsets(this.nameOf(topic)));
        return [topic, byPartition(offsets)] as const;
      }),
    );
    return Object.fromEntries(entries);
  }

  async committed(group: string, topics: readonly string[]): Promise<Offsets> {
    const names = topics.map((topic) => this.nameOf(topic));
    const found = await this.admin.use((admin) => admin.fetchOffsets({ groupId: this.nameOf(group), topics: names }));
    return Object.fromEntries(
      topics.map((topic) => [
        topic,
        byPartition(found.find((entry) => entry.topic === this.nameOf(topic))?.partitions ?? []),
      ]),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.splice(0).map((member) => member.stop()));
    await this.appender.stop();
    await this.admin.close();
  }
}

/** Kafka returns -1 if nothing was committed yet. */
const byPartition = (rows: readonly { partition: number; offset: string }[]): Record<number, bigint> =>
  Object.fromEntries(
    rows
      .map(({ partition, offset }) => [partition, BigInt(offset) < 0n ? 0n : BigInt(offset)] as const)
      .sort(([a], [b]) => a - b),
  );
