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
/** All that the longest run asks for. */
const JOURNAL = 80_000;
/** Loaded into every process, so that its wall clock can be moved. */
const MOVING_CLOCK = join(import.meta.dirname, 'moving-clock.mjs');
/** The same, so that it tells what it keeps in memory. */
const COLLECTED_HEAP = join(import.meta.dirname, 'collected-heap.mjs');
const HEAP_WITHIN_MS = 20_000;
const PREFIX = 'faults.';
const SECRET = randomBytes(32).toString('hex');

/** The cluster with everything around it that a fault may hit, and one user whose books are watched. */
export interface FaultStage {
  cluster: Cluster;
  /** Ours and not the supervisor's, so that it stays away as long as we want. PostgreSQL and Redis are the supervisor's. */
  kafka: LocalKafka;
  upstream: FakeUpstream;
  site: Site;
  /** Whose books are watched, and a key. */
  user: Person;
  key: string;
  topicPrefix: string;
  environment: Record<string, string>;
  /** A file that says by how many milliseconds the clock of each process is off, by pid. */
  clocks: string;
  /** When relays were killed, by the clock of what clients see. */
  relayDeaths: number[];
  /** Of a process or server by its name. */
  pidOf(name: string): number;
  addressOf(server: string): string;
  books(): Promise<Books>;
  /** One figure of a process, by the name of its metric. */
  metric(name: string, metric: string): Promise<number>;
  /** What a process keeps in memory, in bytes, after a collection of its garbage that this asks for. */
  heapOf(name: string): Promise<number>;
  /** Requests that relays keep on disk because they are not booked yet. */
  spooled(): Promise<number>;
  segments(): string[];
  /** Whether the administrator is still signed in. */
  isSignedIn(): Promise<boolean>;
  /** Both the administrator and the owner of the key. */
  signIn(): Promise<void>;
  /** The exit code of the cluster after a full drain. */
  stop(): Promise<number | null>;
  close(): Promise<void>;
}

/** By default the newest requests are kept in the upstream's journal, as many as all rows ask for. */
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
    // On a busy machine a stream of ten seconds takes longer; who stops waits no longer than there are streams.
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
  // Every call asks Redis for its place in a window that is never full.
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
