import kafkajs, { type Kafka, type Producer } from 'kafkajs';
import { AppError } from '../errors/app-error.js';
import type { Logger } from '../log/logger.js';
import type { LogRecord } from './event-log.js';
import { inFreshContext } from './fresh-context.js';
import { partitionOf } from './partition-of.js';

/** Below the megabyte that a broker takes by default in one batch. */
const MAX_BYTES = 768 * 1024;
const MAX_RECORDS = 2_000;
const HEADERS = { 'content-type': 'application/cloudevents+json' };

interface Append {
  topic: string;
  records: readonly LogRecord[];
  /** How many of the records are in the log. */
  sent: number;
  /** After a refusal it goes by itself, so that it cannot take others with it again. */
  alone: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** What goes out in one request: of each append, the records up to `until`. */
interface Batch {
  parts: { append: Append; until: number }[];
}

/**
 * Sends what is waiting in one request at a time, so that appends keep their order and small ones share a round trip.
 * The producer is idempotent while it lives. After any failure its sequence is in doubt: the next records under the same
 * sequence number would count as a repetition and be dropped, so it is thrown away, and repetitions are left to the
 * event ids.
 */
export class KafkaAppender {
  private readonly waiting: Append[] = [];
  private running: Promise<void> | undefined;
  private producer: Producer | undefined;
  private failing = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly log: Logger,
  ) {}

  append(topic: string, records: readonly LogRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ topic, records, sent: 0, alone: false, resolve, reject });
      this.running ??= inFreshContext(() => this.run());
    });
  }

  private async run(): Promise<void> {
    // Whoever appends in the same turn of the event loop joins the request.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      try {
        await this.send(batch);
        this.settle(batch);
      } catch (error) {
        await this.fail(batch, error);
      }
    }
    this.running = undefined;
  }

  private nextBatch(): Batch {
    const parts: Batch['parts'] = [];
    let bytes = 0;
    let records = 0;
    for (const append of this.waiting) {
      if (parts.length > 0 && (append.alone || parts[0]?.append.alone)) break;
      let until = append.sent;
      for (; until < append.records.length && records < MAX_RECORDS; until += 1, records += 1) {
        bytes += sizeOf(append.records[until]);
        if (bytes > MAX_BYTES && records > 0) break;
      }
      if (until > append.sent) parts.push({ append, until });
      if (until < append.records.length) break;
    }
    return { parts };
  }

  private async send({ parts }: Batch): Promise<void> {
    this.producer ??= await this.open();
    const byTopic = new Map<string, { key: string; value: string; headers: typeof HEADERS }[]>();
    for (const { append, until } of parts) {
      const messages = append.records
        .slice(append.sent, until)
        .map(({ key, value }) => ({ key, value, headers: HEADERS }));
      byTopic.set(append.topic, [...(byTopic.get(append.topic) ?? []), ...messages]);
    }
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
    await this.producer.sendBatch({ topicMessages, acks: -1 });
    if (this.failing) this.log.info('events reach Kafka again');
    this.failing = false;
  }

  private settle({ parts }: Batch): void {
    for (const { append, until } of parts) {
      append.sent = until;
      if (until === append.records.length) this.remove(append).resolve();
    }
  }

  private async fail({ parts }: Batch, error: unknown): Promise<void> {
    await this.close();
    const isRefusal = isRefusedRecord(error);
    if (!isRefusal && !this.failing) this.log.warn('Kafka takes no events; whoever appends will try again', { error });
    this.failing ||= !isRefusal;
    if (isRefusal && parts.length > 1) {
      for (const { append } of parts) append.alone = true;
      return;
    }
    for (const { append } of parts) this.remove(append).reject(asAppError(append.topic, error));
  }

  private remove(append: Append): Append {
    this.waiting.splice(this.waiting.indexOf(append), 1);
    return append;
  }

  private async open(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner:
        () =>
        ({ message, partitionMetadata }) =>
          partitionOf(String(message.key), partitionMetadata.length),
      retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_500 },
    });
    await producer.connect();
    return producer;
  }

  private async close(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    await producer?.disconnect().catch(() => undefined);
  }

  /** What waits is still sent, or fails. */
  async stop(): Promise<void> {
    await this.running;
    await this.close();
  }
}

const sizeOf = (record: LogRecord | undefined): number =>
  record ? Buffer.byteLength(record.value) + record.key.length + 100 : 0;

/** The broker's word about a record, which no repetition changes. */
function isRefusedRecord(error: unknown): boolean {
  const { type } = (error instanceof kafkajs.KafkaJSError ? error : {}) as { type?: string };
  return type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE' || type === 'INVALID_RECORD';
}

const asAppError = (topic: string, cause: unknown): AppError =>
  new AppError(
    'unavailable',
    'event-log-lost',
    `Kafka did not take the events of "${topic}": ${(cause as Error).message}`,
    { cause },
  );
