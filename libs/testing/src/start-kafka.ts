import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingForKafka } from './kafka-jars.js';
import { LocalKafka } from './local-kafka.js';

export interface TestKafka {
  /** In the format of `KAFKA_BROKERS`. */
  brokers: string;
  /** Present if the broker is a local process, which a test can stop and start. */
  local?: LocalKafka;
  stop(): Promise<void>;
}

const SUFFIX = 'set TEST_KAFKA_BROKERS, or install Java 17 and Maven';

/**
 * Starts a broker. It tries `TEST_KAFKA_BROKERS`, then Docker, then a local broker on Java; with a folder for the data
 * only the latter two, the local one first. Resolves to undefined, with a message on the terminal, if there is none; in
 * CI suites then fail.
 */
export async function startKafka(folder?: string): Promise<TestKafka | undefined> {
  const given = process.env.TEST_KAFKA_BROKERS;
  if (given && folder === undefined) return { brokers: given, stop: () => Promise.resolve() };
  const attempts = [fromDocker, () => fromJars(folder)];
  if (folder !== undefined) attempts.reverse();
  for (const attempt of attempts) {
    const broker = await attempt();
    if (broker) return broker;
  }
  const missing = `${(await missingForKafka()) ?? 'no broker started'}; ${SUFFIX}`;
  if (process.env.CI === 'true') throw new Error(`No Kafka for the tests: ${missing}.`);
  process.stderr.write(`SKIPPED: what needs Kafka, because there is none: ${missing}\n`);
  return undefined;
}

async function fromDocker(): Promise<TestKafka | undefined> {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 3_000 });
  } catch {
    return undefined;
  }
  const { KafkaContainer } = await import('@testcontainers/kafka');
  const container = await new KafkaContainer('confluentinc/cp-kafka:7.9.0').withKraft().start();
  return {
    brokers: `${container.getHost()}:${container.getMappedPort(9093)}`,
    stop: async () => void (await container.stop()),
  };
}

/** Starts a local broker in the given folder, which is kept, or in a temporary one, which is removed. */
async function fromJars(folder?: string): Promise<TestKafka | undefined> {
  if ((await missingForKafka()) !== undefined) return undefined;
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'tollgate-kafka-')));
  const local = await LocalKafka.open(home, { ownSession: folder !== undefined });
  await local.start();
  return {
    brokers: local.brokers,
    local,
    async stop() {
      await local.stop();
      if (folder === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}
