import { setTimeout as pause } from 'node:timers/promises';
import kafkajs, { type Admin, type Kafka, type logCreator } from 'kafkajs';
import { AppError, type Logger } from '@tollgate/chassis';
import type { KafkaSecurity } from './kafka-security.js';
import { checkPlainly } from './plain-checksum.js';
import { decodePlainly } from './plain-message.js';
import { encodePlainly } from './plain-record.js';
import { quietIdleConnections } from './quiet-queue.js';

const PATIENCE_MS = 30_000;
const RETRY_PAUSE_MS = 500;
/**
 * Errors of a broker that does not know a new leader, topic or coordinator of a group yet. Nothing was changed, so the
 * call may be repeated.
 */
const MOVED = new Set([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
]);
const MOVED_ATTEMPTS = 10;

/** All lines of kafkajs are logged as debug: it reports ordinary moments, such as a coordinator that is still loading, as errors. */
const quiet =
  (log: Logger): logCreator =>
  () =>
  ({ namespace, log: { message, ...details } }) =>
    log.debug(`kafka ${namespace}: ${message}`, { ...details, timestamp: undefined, logger: undefined });

/** A kafkajs client with our patches and patience; it connects when it is first used. */
export function kafkaClient(brokers: readonly string[], log: Logger, security: KafkaSecurity): Kafka {
  quietIdleConnections();
  encodePlainly();
  checkPlainly();
  decodePlainly();
  return new kafkajs.Kafka({
    clientId: 'tollgate',
    brokers: [...brokers],
    ...security,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    logLevel: kafkajs.logLevel.INFO,
    logCreator: quiet(log),
    // Our own loops retry forever; these retries only bridge a moved leader or a lost connection.
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_500 },
  });
}

/** The administrative client; a connection that failed is thrown away, and the next call makes a new one. */
export class KafkaAdmin {
  private admin: Promise<Admin> | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly brokers: readonly string[],
    private readonly log: Logger,
  ) {}

  /** Brokers that are just starting are waited for. */
  async connectPatiently(patienceMs = PATIENCE_MS): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.use((admin) => admin.listTopics());
        return;
      } catch (error) {
        if (performance.now() > deadline) throw unreachable(this.brokers, error as Error);
        if (attempt === 0)
          this.log.warn(`no Kafka broker answers yet at ${this.brokers.join(', ')}, waiting`, { error });
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  /** Repeats the call while a leader or coordinator is being chosen, as in the first moments of a topic or a Kafka. */
  async use<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.useOnce(work);
      } catch (error) {
        if (!MOVED.has((error as { type?: string }).type ?? '') || attempt === MOVED_ATTEMPTS) throw error;
        await pause(RETRY_PAUSE_MS);
      }
    }
  }

  private async useOnce<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    this.admin ??= this.open();
    const current = this.admin;
    try {
      return await work(await current);
    } catch (error) {
      if (this.admin === current) this.admin = undefined;
      void current.then((admin) => admin.disconnect()).catch(() => undefined);
      throw error;
    }
  }

  private async open(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }

  async close(): Promise<void> {
    const { admin } = this;
    this.admin = undefined;
    await admin?.then((open) => open.disconnect()).catch(() => undefined);
  }
}

const unreachable = (brokers: readonly string[], error: Error): AppError =>
  new AppError(
    'unavailable',
    'kafka-unreachable',
    `No Kafka broker answers at ${brokers.join(', ')}: ${error.message}. Check KAFKA_BROKERS (comma-separated host:port), KAFKA_TLS and KAFKA_SASL_MECHANISM, and that the brokers run and advertise an address that is reachable from here.`,
    { cause: error },
  );
