import kafkajs, { type Kafka, type Producer } from 'kafkajs';
import {
  AppError,
  type Logger,
  type LogRecord,
  inFreshContext,
  partitionOf,
  type Indexed,
  MAX_RECORD_BYTES,
  RecordsRefused,
  type RefusedRecord,
  sifted,
  sizeOf,
} from '@tollgate/chassis';

const MAX_RECORDS = 2_000;
const HEADERS = { 'content-type': 'application/cloudevents+json' };

interface Append {
  topic: string;
  records: readonly Indexed[];
  /** How many of the records are in the log, or refused. */
  sent: number;
  refusals: RefusedRecord[];
  resolve(): void;
  reject(error: unknown): void;
}

/** One request: of each append, the records up to `until`. */
interface Batch {
  parts: { append: Append; until: number }[];
}

/**
 * Sends waiting records in one request at a time, so that appends keep their order and small ones share a round trip. The producer is
 * idempotent only while it lives. After a failure its sequence number is in doubt: the broker would drop the next records under the same
 * number as duplicates. The producer is therefore replaced, and duplicates are detected by event id. A request that Kafka refuses for its
 * content is halved until the refused record is found; that one is left out.
 */
export class KafkaAppender {
  private readonly waiting: Append[] = [];
  private running: Promise<void> | undefined;
  private producer: Producer | undefined;
  private failing = false;
  /** Number of records per request: few after a refusal, doubled after each success. */
  private width = MAX_RECORDS;

  constructor(
    private readonly kafka: Kafka,
    private readonly log: Logger,
    /** Called when a topic of a request does not exist. */
    private readonly createTopics: () => Promise<void>,
  ) {}

  append(topic: string, records: readonly LogRecord[]): Promise<void> {
    const { fit, refusals } = sifted(records);
    if (fit.length === 0 && refusals.length > 0) return Promise.reject(new RecordsRefused(topic, refusals));
    return new Promise((resolve, reject) => {
      this.waiting.push({ topic, records: fit, sent: 0, refusals, resolve, reject });
      this.running ??= inFreshContext(() => this.run());
    });
  }

  private async run(): Promise<void> {
    // Appends made in the same turn of the event loop join the request.
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
      let until = append.sent;
      for (; until < append.records.length && records < this.width; until += 1, records += 1) {
        bytes += sizeInBatch(append.records[until]);
        if (bytes > MAX_RECORD_BYTES && records > 0) break;
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
        .map(({ record: { key, value } }) => ({ key, value, headers: HEADERS }));
      byTopic.set(append.topic, [...(byTopic.get(append.topic) ?? []), ...messages]);
    }
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
    await this.producer.sendBatch({ topicMessages, acks: -1 });
    if (this.failing) this.log.info('events reach Kafka again');
    this.failing = false;
  }

  private settle({ parts }: Batch): void {
    this.width = Math.min(MAX_RECORDS, this.width * 2);
    for (const { append, until } of parts) this.reach(append, until);
  }

  private reach(append: Append, until: number): void {
    append.sent = until;
    if (until < append.records.length) return;
    this.remove(append);
    if (append.refusals.length === 0) append.resolve();
    else append.reject(new RecordsRefused(append.topic, append.refusals));
  }

  private async fail({ parts }: Batch, error: unknown): Promise<void> {
    await this.close();
    if (isRefusedRecord(error)) return this.narrow(parts, (error as Error).message);
    if (!this.failing) this.log.warn('Kafka takes no events; whoever appends will try again', { error });
    this.failing = true;
    if (isUnknownTopic(error))
      await this.createTopics().catch((reason: unknown) => this.log.debug('no topics were created', { error: reason }));
    for (const { append } of parts) this.remove(append).reject(asAppError(append.topic, error));
  }

  /** Halves what is sent next, because one of these records is the cause; a single one is refused. */
  private narrow(parts: Batch['parts'], reason: string): void {
    const count = parts.reduce((sum, { append, until }) => sum + until - append.sent, 0);
    if (count > 1) {
      this.width = Math.ceil(count / 2);
      return;
    }
    for (const { append, until } of parts) {
      const index = append.records[append.sent]?.index ?? 0;
      append.refusals.push({ index, reason });
      this.reach(append, until);
    }
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

  /** Sends what waits; its appends resolve or reject as usual. */
  async stop(): Promise<void> {
    await this.running;
    await this.close();
  }
}

/** Bytes of a record in a batch, with what Kafka adds to each. */
const sizeInBatch = (item: Indexed | undefined): number => (item ? sizeOf(item.record) + 100 : 0);

/** Whether the broker refused a record for what it is, which no repetition changes. */
function isRefusedRecord(error: unknown): boolean {
  const { type } = (error instanceof kafkajs.KafkaJSError ? error : {}) as { type?: string };
  return type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE' || type === 'INVALID_RECORD';
}

/** kafkajs wraps the error in one that says how often it has tried. */
function isUnknownTopic(error: unknown): boolean {
  const { type, cause } = (error instanceof Error ? error : {}) as { type?: string; cause?: unknown };
  return type === 'UNKNOWN_TOPIC_OR_PARTITION' || (cause !== undefined && isUnknownTopic(cause));
}

const asAppError = (topic: string, cause: unknown): AppError =>
  new AppError(
    'unavailable',
    'event-log-lost',
    `Kafka did not take the events of "${topic}": ${(cause as Error).message}`,
    { cause },
  );
