import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  type FakeUpstream,
  type FakeUpstreamOptions,
  type LocalKafka,
  type Person,
  passwordOf,
  ROOT,
  setUpSite,
  type Site,
  startFakeUpstream,
  startKafka,
} from '@tollgate/testing';
import { type Books, readBooks } from '../support/books.js';
import { type Cluster, startCluster } from '../cluster/cluster.js';
import { MODELS } from '../support/relay-site.js';

const OWNER = 'owner';
const CREDIT = 500_000_000;
const BUDGET = 200_000_000;
/** Enough for the longest run. */
const JOURNAL = 80_000;
/** Loaded into every process, so that its clock can be changed. */
const MOVING_CLOCK = join(import.meta.dirname, 'moving-clock.mjs');
/** Loaded into every process, so that its heap can be measured. */
const COLLECTED_HEAP = join(import.meta.dirname, 'collected-heap.mjs');
const HEAP_WITHIN_MS = 20_000;
const PREFIX = 'faults.';
const SECRET = randomBytes(32).toString('hex');

/** The cluster with all servers that a fault may affect, and one user whose books are checked. */
export interface FaultStage {
  cluster: Cluster;
  /**
   * Started by the test and not by the supervisor, so that it stays stopped for as long as needed. PostgreSQL and Redis
   * belong to the supervisor.
   */
  kafka: LocalKafka;
  upstream: FakeUpstream;
  site: Site;
  /** The user whose books are checked, and the key of a token. */
  user: Person;
  key: string;
  topicPrefix: string;
  environment: Record<string, string>;
  /** A file with the clock offset of each process in milliseconds, by pid. */
  clocks: string;
  /** Times at which relays were killed, by the clock of `seen`. */
  relayDeaths: number[];
  /** The pid of a process or server by its name. */
  pidOf(name: string): number;
  addressOf(server: string): string;
  books(): Promise<Books>;
  /** The value of a metric of a process. */
  metric(name: string, metric: string): Promise<number>;
  /** Heap size of a process in bytes, after a garbage collection that this call triggers. */
  heapOf(name: string): Promise<number>;
  /** Number of requests that relays keep on disk because they are not booked yet. */
  spooled(): Promise<number>;
  segments(): string[];
  /** Whether the administrator is still signed in. */
  isSignedIn(): Promise<boolean>;
  /** Signs in the administrator and the owner of the key. */
  signIn(): Promise<void>;
  /** Resolves to the exit code of the cluster after a full drain. */
  stop(): Promise<number | null>;
  close(): Promise<void>;
}

/** By default the upstream's journal keeps as many of the newest requests as all rows together send. */
export async function openFaultStage(
  witness: FakeUpstreamOptions = { journalSize: JOURNAL },
  { hasClocks = true } = {},
): Promise<FaultStage> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-faults-'));
  const upstream = await startFakeUpstream(witness);
  const { local: kafka } = (await startKafka(join(folder, 'kafka'))) ?? {};
  if (!kafka) throw new Error('The faults need a Kafka broker of their own: install Java 17 and Maven.');
  const clocks = join(folder, 'clocks.json');
  const environment = {
    ...(hasClocks && {
      NODE_OPTIONS: [MOVING_CLOCK, COLLECTED_HEAP].map((file) => `--import=${pathToFileURL(file).href}`).join(' '),
    }),
    TOLLGATE_TEST_CLOCKS: clocks,
    TOLLGATE_TEST_HEAPS: folder,
    DATABASE_URL: '',
    REDIS_URL: '',
    KAFKA_BROKERS: kafka.brokers,
    TOLLGATE_TOPIC_PREFIX: PREFIX,
    TOLLGATE_SECRET_KEY: SECRET,
    // On a slow machine a stream of ten seconds takes longer; a process that stops waits no longer than its streams
    // run.
    TOLLGATE_DRAIN_SECONDS: '60',
    LOG_LEVEL: 'warn',
  };
  const cluster = await startCluster(environment);
  const site = await setUpSite(cluster.url);
  const openaiModels = `${MODELS.openai},text-embedding-3-small`;
  await site.channel({ name: 'openai', type: 1, base_url: upstream.url, models: openaiModels });
  await site.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
  const user = await site.user(OWNER, CREDIT);
  const key = await site.token(user, { name: 'budgeted', unlimited_quota: false, remain_quota: BUDGET });
  // With this limit, which is never reached, every call uses Redis.
  await site.root.data('PUT', '/api/option/', { key: 'ModelRequestRateLimitSuccessCount', value: '100000' });
  await site.root.data('PUT', '/api/option/', { key: 'ModelRequestRateLimitEnabled', value: 'true' });
  const pidOf = (name: string): number => {
    const { processes, servers } = cluster.run();
    const pid = [...processes, ...servers].find((one) => one.name === name)?.pid;
    if (pid === undefined) throw new Error(`${name} does not run`);
    return pid;
  };
  return {
    cluster,
    kafka,
    upstream,
    site,
    user,
    key,
    topicPrefix: PREFIX,
    environment,
    clocks,
    relayDeaths: [],
    pidOf,
    addressOf: (server) => cluster.run().servers.find(({ name }) => name === server)?.address ?? '',
    books: () => readBooks(cluster.databaseUrl, user.id),
    metric: (name, metric) => figure(cluster, name, metric),
    heapOf: (name) => collectedHeap(join(folder, String(pidOf(name))), pidOf(name)),
    spooled: () => spooled(cluster),
    segments: () =>
      readdirSync(join(cluster.dataDir, 'spool'), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.seg')),
    isSignedIn: async () => (await site.root.call('GET', '/api/user/self')).body.success === true,
    signIn: async () => {
      await site.root.signIn(ROOT.username, ROOT.password);
      await user.signIn(OWNER, passwordOf(OWNER));
    },
    stop: () => cluster.stop(),
    async close() {
      await cluster.close();
      await kafka.stop();
      await upstream.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function collectedHeap(file: string, pid: number): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  const deadline = performance.now() + HEAP_WITHIN_MS;
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new Error(`process ${pid} does not tell what it keeps in memory`);
    await pause(50);
  }
  return Number(readFileSync(file, 'utf8'));
}

async function figure({ run }: Cluster, name: string, metric: string): Promise<number> {
  const place = run().processes.find((one) => one.name === name);
  const page = await (await fetch(`http://127.0.0.1:${place?.probePort}/metrics`)).text();
  return Number(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(page)?.[1] ?? Number.NaN);
}

async function spooled(cluster: Cluster): Promise<number> {
  const relays = cluster.run().processes.filter(({ service }) => service === 'relay');
  const counts = await Promise.all(relays.map(({ name }) => figure(cluster, name, 'tollgate_relay_spool_requests')));
  return counts.reduce((total, count) => total + count, 0);
}
