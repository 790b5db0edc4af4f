import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDatabase,
  type FakeUpstream,
  LocalKafka,
  type Person,
  setUpSite,
  type Site,
  type SlowProxy,
  startFakeUpstream,
  startRedis,
  startSlowProxy,
} from '@tollgate/testing';
import { type Cluster, startCluster } from '../cluster/cluster.js';
import { type Books, readBooks } from '../support/books.js';
import { MODELS } from '../support/relay-site.js';

export const SERVERS = ['PostgreSQL', 'Redis', 'Kafka'] as const;
export type ServerName = (typeof SERVERS)[number];

/** The cluster with each of its servers behind a proxy, and a user with a key. */
export interface SlowStage {
  cluster: Cluster;
  upstream: FakeUpstream;
  proxies: Readonly<Record<ServerName, SlowProxy>>;
  site: Site;
  user: Person;
  key: string;
  /** Variables by which a command finds the servers, without a proxy except for Kafka. */
  environment: Record<string, string>;
  /** The addresses of the relays themselves. */
  relays(): string[];
  /** Reads from the database without its proxy. */
  books(): Promise<Books>;
  close(): Promise<void>;
}

const withPort = (address: string, port: number): string => {
  const url = new URL(address);
  url.port = String(port);
  return url.toString();
};

/** Starts the servers; resolves to their proxies, and to the variables by which the cluster and a command find them. */
async function startServers(folder: string, closing: (() => Promise<unknown>)[]) {
  const database = await createDatabase();
  closing.push(() => database.drop());
  const redis = await startRedis();
  if (!redis) throw new Error('The suite needs a Redis server.');
  closing.push(() => redis.stop());
  let brokers = '';
  const proxies = {
    PostgreSQL: await startSlowProxy(() => Number(new URL(database.url).port)),
    Redis: await startSlowProxy(() => Number(new URL(redis.url).port)),
    Kafka: await startSlowProxy(() => Number(brokers.split(':').at(-1))),
  };
  for (const proxy of Object.values(proxies)) closing.push(() => proxy.close());
  const atProxy = `127.0.0.1:${proxies.Kafka.port}`;
  // Clients connect to the address that a broker advertises, no matter by which one they know it.
  const properties = (): string => `advertised.listeners=PLAINTEXT://${atProxy}\n`;
  const kafka = await LocalKafka.open(join(folder, 'kafka'), { properties });
  brokers = kafka.brokers;
  closing.push(() => kafka.stop());
  await kafka.start();
  const direct = { DATABASE_URL: database.url, REDIS_URL: redis.url, KAFKA_BROKERS: atProxy };
  const slow = {
    DATABASE_URL: withPort(database.url, proxies.PostgreSQL.port),
    REDIS_URL: withPort(redis.url, proxies.Redis.port),
    KAFKA_BROKERS: atProxy,
  };
  return { proxies, direct, slow };
}

export async function openSlowStage(credit: number): Promise<SlowStage> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-slow-'));
  const closing: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const { proxies, direct, slow } = await startServers(folder, closing);
    const upstream = await startFakeUpstream({ journalSize: 1_000 });
    closing.push(() => upstream.close());
    const shared = { TOLLGATE_TOPIC_PREFIX: 'slow.', LOG_LEVEL: 'warn' };
    // As installed, with all limits.
    const cluster = await startCluster({ ...slow, ...shared, TOLLGATE_RATE_LIMITS: 'on' });
    closing.push(() => cluster.close());
    const site = await setUpSite(cluster.url);
    const models = `${MODELS.openai},text-embedding-3-small`;
    await site.channel({ name: 'openai', type: 1, base_url: upstream.url, models });
    await site.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    const user = await site.user('patient', credit);
    return {
      ...{ cluster, upstream, proxies, site, user },
      key: await site.token(user),
      environment: { ...direct, ...shared, TOLLGATE_DATA_DIR: cluster.dataDir },
      relays: () =>
        cluster
          .run()
          .processes.flatMap(({ service, port }) => (service === 'relay' ? [`http://127.0.0.1:${port}`] : [])),
      books: () => readBooks(direct.DATABASE_URL, user.id),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
