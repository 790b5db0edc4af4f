import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readEnv } from '@tollgate/chassis';
import { freePort } from '@tollgate/embedded';
import { Client } from 'pg';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the library's root also loads test suites, which only jest can
import { endWithUs } from '../../libs/testing/src/end-with-us.js';
// eslint-disable-next-line @nx/enforce-module-boundaries -- as above
import { setUpSite, type Site } from '../../libs/testing/src/test-bed.js';
import { openServers, type ServerPlace, type Servers } from '../cluster/servers.js';
import { MEASURED_CORE, OTHER_CORE, pin, stepBack } from './cpu.js';
import { BURST_MODEL, IMAGE_MODEL, MODEL, SLOW_MODEL } from './payload.js';
import { type Program, startOwn, startService } from './programs.js';

type StartedService = ReturnType<typeof startService>;

const QUOTA = 4_000_000_000_000;
const BUDGET = 1_000_000_000_000;
const MODELS = [MODEL, BURST_MODEL, SLOW_MODEL, IMAGE_MODEL].join();
const OWNERS = ['identity', 'billing', 'channel', 'logging', 'gateway'];

/** A server that answers chat completions, and the key that it accepts. */
export interface Target {
  name: string;
  pid: number;
  port: number;
  key: string;
}

/** A process whose CPU time and memory are measured. */
export interface WatchedProcess {
  name: string;
  pid: number;
  /** Whether the server consists of several processes, all of which count. */
  isTree: boolean;
}

/** A relay that reports the size of its heap. */
interface HeapTarget extends Target {
  heapPort: number;
  /** Resolves when billing has booked everything that this relay served. */
  settled(): Promise<void>;
}

export interface Stage {
  bare: Target;
  relay: Target;
  /** A relay without holds, prices and records. */
  unbilled: Target;
  embedded: Target;
  upstream: Target;
  isPinned: boolean;
  /** The cluster, with its administrator signed in. */
  site: Site;
  /** Address of the cluster's database, with the credentials of the database's administrator. */
  databaseUrl: string;
  /** Process ids in the cluster. */
  billing: number;
  logging: number;
  postgresPid: number;
  kafkaPid: number;
  /** All processes of the cluster that take part in a request, including those of PostgreSQL, Redis and Kafka. */
  processes: WatchedProcess[];
  /** Starts one more relay of the cluster, pinned to the measured core. */
  freshRelay(): Promise<Target>;
  heapRelay(): Promise<HeapTarget>;
  /**
   * Starts one more replica of a service of the cluster; it is returned before it is ready, and is not pinned to the
   * measured core.
   */
  replica(service: string): Promise<StartedService>;
  /** Resolves when everything that the cluster's relay served is booked and logged. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

interface StageOptions {
  /** Folder for CPU profiles of the relay and of the embedded process. */
  profile?: string;
  say(line: string): void;
}

/** Creates a channel, a user with a balance, and a token with a budget and a list of allowed models, all by the API. */
async function furnish(url: string, upstreamPort: number): Promise<{ site: Site; key: string }> {
  const site = await setUpSite(url);
  await site.channel({ name: 'bench', base_url: `http://127.0.0.1:${upstreamPort}`, models: MODELS });
  const user = await site.user('bench', QUOTA);
  const key = await site.token(user, {
    unlimited_quota: false,
    remain_quota: BUDGET,
    model_limits_enabled: true,
    model_limits: MODELS,
  });
  return { site, key };
}

async function databaseFor(name: string, databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

/** Everything that one run started; `stop` ends it in reverse order. */
class Cast {
  private readonly stops: (() => Promise<void>)[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));

  constructor(private readonly options: StageOptions) {
    chmodSync(this.folder, 0o755);
    mkdirSync(join(this.folder, 'log'));
    this.stops.push(() => Promise.resolve(rmSync(this.folder, { recursive: true, force: true })));
  }

  async servers(): Promise<Servers> {
    const servers = await openServers(readEnv(), join(this.folder, 'data'));
    // Without this the servers would outlive a killed run: they wait for processes that drain, or for a next start on
    // the same data folder.
    const watches = servers.places().map(({ name }) => endWithUs(pidOf(servers.places(), name), { signal: 'SIGINT' }));
    this.stops.push(() => servers.stop().finally(() => watches.forEach((release) => release())));
    return servers;
  }

  async own(name: string, args: string[] = []): Promise<Program> {
    const program = await startOwn(name, args);
    this.stops.push(program.stop);
    return program;
  }

  service(service: string, port: number, environment: Record<string, string>, main?: string): StartedService {
    const { profile } = this.options;
    const name = main ?? service;
    const nodeFlags = profile !== undefined ? ['--cpu-prof', `--cpu-prof-dir=${profile}/${name}`] : [];
    const logFolder = join(this.folder, 'log');
    const program = startService({ service, port, environment, logFolder, nodeFlags, ...(main && { main }) });
    this.stops.push(program.stop);
    return program;
  }

  async stop(): Promise<void> {
    for (const stop of this.stops.splice(0).reverse()) await stop();
  }
}

function pidOf(places: readonly ServerPlace[], name: string): number {
  const pid = places.find((place) => place.name === name)?.pid;
  if (pid === undefined) throw new Error(`${name} must be started here, so leave its variable out of the environment`);
  return pid;
}

interface Cluster extends Pick<
  Stage,
  'relay' | 'unbilled' | 'site' | 'billing' | 'logging' | 'freshRelay' | 'heapRelay' | 'replica'
> {
  loggingPort: number;
  /** Process ids of the services other than the relay, by name. */
  followers: Map<string, number>;
}

async function startCluster(cast: Cast, environment: Record<string, string>, upstreamPort: number): Promise<Cluster> {
  const ports = new Map<string, number>();
  for (const service of [...OWNERS, 'relay']) ports.set(service, await freePort());
  const addresses = [...ports].filter(([service]) => service !== 'gateway');
  const shared = {
    ...environment,
    TOLLGATE_SERVICES: addresses.map(([service, port]) => `${service}=http://127.0.0.1:${port}`).join(','),
  };
  const programs = new Map([...ports].map(([service, port]) => [service, cast.service(service, port, shared)]));
  await Promise.all([...programs.values()].map((program) => program.ready()));
  const { site, key } = await furnish(`http://127.0.0.1:${ports.get('gateway')}`, upstreamPort);
  const anotherRelay = async (name: string, main?: string, own?: Record<string, string>): Promise<Target> => {
    const program = cast.service('relay', await freePort(), { ...shared, ...own }, main);
    await program.ready();
    return { name, pid: program.pid, port: program.port, key };
  };
  const pidOf = (service: string): number => programs.get(service)?.pid ?? 0;
  return {
    site,
    relay: { name: 'relay of the cluster', pid: pidOf('relay'), port: ports.get('relay') ?? 0, key },
    unbilled: await anotherRelay('the same, unbilled', 'unbilled-relay'),
    billing: pidOf('billing'),
    logging: pidOf('logging'),
    loggingPort: ports.get('logging') ?? 0,
    followers: new Map(OWNERS.map((owner) => [owner, pidOf(owner)])),
    freshRelay: () => anotherRelay('another relay'),
    heapRelay: async () => {
      const heapPort = await freePort();
      const target = await anotherRelay('its heap', 'heap-relay', { BENCH_HEAP_PORT: String(heapPort) });
      return {
        ...target,
        heapPort,
        settled: () => settled({ relay: target.port, logging: ports.get('logging') ?? 0 }),
      };
    },
    replica: async (service) => cast.service(service, await freePort(), shared),
  };
}

async function startEmbedded(cast: Cast, environment: Record<string, string>, upstreamPort: number): Promise<Target> {
  const program = cast.service('all-in-one', await freePort(), environment);
  await program.ready();
  const { key } = await furnish(`http://127.0.0.1:${program.port}`, upstreamPort);
  return { name: 'one process', pid: program.pid, port: program.port, key };
}

const SETTLED_WITHIN_MS = 300_000;
const SETTLED_POLL_MS = 500;

/**
 * Waits until the relay's spool is empty, which means that billing has booked everything, and the consumer group of
 * logging has no lag.
 */
async function settled({ relay, logging }: { relay: number; logging: number }): Promise<void> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  const isSettled = async (): Promise<boolean> =>
    (await metric(relay, /^tollgate_relay_spool_requests\S* (\d+)/gm)) === 0 &&
    (await metric(logging, /^tollgate_consumer_lag_events\S* (\d+)/gm)) === 0;
  while (!(await isSettled())) {
    if (performance.now() > deadline) throw new Error('what was requested is not booked and logged in time');
    await pause(SETTLED_POLL_MS);
  }
}

/** The sum of a metric's values on a process's `/metrics` page. */
async function metric(port: number, line: RegExp): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...page.matchAll(line)].reduce((sum, [, value]) => sum + Number(value), 0);
}

export async function openStage(options: StageOptions): Promise<Stage> {
  // Child processes inherit the core.
  const isPinned = pin(process.pid, OTHER_CORE);
  const cast = new Cast(options);
  try {
    const upstream = await cast.own('upstream');
    const bare = await cast.own('pass-through', [`http://127.0.0.1:${upstream.port}`]);
    options.say('starting PostgreSQL, Redis and Kafka');
    const { environment, places } = await cast.servers();
    const common = {
      TOLLGATE_SECRET_KEY: randomBytes(32).toString('hex'),
      TOLLGATE_RATE_LIMITS: 'off',
      TOLLGATE_PUBLIC_METRICS: 'on',
      TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1',
    };
    const place = (name: string): Record<string, string> => ({ TOLLGATE_DATA_DIR: join(cast.folder, name) });
    options.say('starting six services, and all of them once more in one process');
    const clusterDatabase = { DATABASE_URL: await databaseFor('bench_cluster', environment.DATABASE_URL) };
    const cluster = await startCluster(
      cast,
      { ...environment, ...clusterDatabase, TOLLGATE_TOPIC_PREFIX: 'bench-', ...common, ...place('cluster') },
      upstream.port,
    );
    const embeddedDatabase = { DATABASE_URL: await databaseFor('bench_embedded', environment.DATABASE_URL) };
    const alone = { KAFKA_BROKERS: '', REDIS_URL: '', ...embeddedDatabase, ...common, ...place('embedded') };
    const embedded = await startEmbedded(cast, alone, upstream.port);
    const postgresPid = pidOf(places(), 'PostgreSQL');
    const kafkaPid = pidOf(places(), 'Kafka');
    for (const { pid } of places()) if (pid !== undefined) stepBack(pid);
    for (const pid of cluster.followers.values()) stepBack(pid);
    const measured = (pid: number): boolean => isPinned && pin(pid, MEASURED_CORE);
    for (const { pid } of [bare, cluster.relay, cluster.unbilled, embedded]) measured(pid);
    return {
      ...cluster,
      postgresPid,
      kafkaPid,
      processes: [
        { name: 'relay', pid: cluster.relay.pid, isTree: false },
        ...[...cluster.followers].map(([name, pid]) => ({ name, pid, isTree: false })),
        { name: 'PostgreSQL', pid: postgresPid, isTree: true },
        { name: 'Kafka', pid: kafkaPid, isTree: true },
        { name: 'Redis', pid: pidOf(places(), 'Redis'), isTree: true },
      ],
      databaseUrl: clusterDatabase.DATABASE_URL,
      freshRelay: async () => {
        const target = await cluster.freshRelay();
        measured(target.pid);
        return target;
      },
      settled: () => settled({ relay: cluster.relay.port, logging: cluster.loggingPort }),
      bare: { name: 'bare pass-through', key: 'none', ...bare },
      upstream: { name: 'upstream alone', key: 'none', ...upstream },
      embedded,
      isPinned,
      stop: () => cast.stop(),
    };
  } catch (error) {
    await cast.stop();
    throw error;
  }
}
