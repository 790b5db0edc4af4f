import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, readEnv } from '@tollgate/platform';
import { Client } from 'pg';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the library's root also loads test suites, which only jest can
import { setUpSite } from '../../libs/testing/src/stand.js';
import { openServers, type Servers } from '../cluster/servers.js';
import { MEASURED_CORE, OTHER_CORE, pin } from './cpu.js';
import { BURST_MODEL, MODEL } from './payload.js';
import { type Program, startOwn, startService } from './programs.js';

const QUOTA = 4_000_000_000_000;
const BUDGET = 1_000_000_000_000;
const MODELS = `${MODEL},${BURST_MODEL}`;
const OWNERS = ['identity', 'billing', 'channel', 'logging', 'gateway'];

/** Something that answers chat completions, and the key it wants. */
export interface Target {
  name: string;
  pid: number;
  port: number;
  key: string;
}

export interface Stage {
  bare: Target;
  relay: Target;
  embedded: Target;
  upstream: Target;
  isPinned: boolean;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** A folder for CPU profiles of the relay and of the embedded process. */
  profile?: string;
  say(line: string): void;
}

/** Channel, user, wallet, and a token with a budget and limits of its own, all by the API. */
async function furnish(url: string, upstreamPort: number): Promise<string> {
  const site = await setUpSite(url);
  await site.channel({ name: 'bench', base_url: `http://127.0.0.1:${upstreamPort}`, models: MODELS });
  const user = await site.user('bench', QUOTA);
  return site.token(user, {
    unlimited_quota: false,
    remain_quota: BUDGET,
    model_limits_enabled: true,
    model_limits: MODELS,
  });
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

/** Everything of one run, each part stopped in the reverse order of its start. */
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
    this.stops.push(servers.stop);
    return servers;
  }

  async own(name: string, args: string[] = []): Promise<Program> {
    const program = await startOwn(name, args);
    this.stops.push(program.stop);
    return program;
  }

  service(service: string, port: number, environment: Record<string, string>): ReturnType<typeof startService> {
    const { profile } = this.options;
    const isMeasured = service === 'relay' || service === 'all-in-one';
    const nodeFlags = profile !== undefined && isMeasured ? ['--cpu-prof', `--cpu-prof-dir=${profile}/${service}`] : [];
    const program = startService({ service, port, environment, logFolder: join(this.folder, 'log'), nodeFlags });
    this.stops.push(program.stop);
    return program;
  }

  async stop(): Promise<void> {
    for (const stop of this.stops.splice(0).reverse()) await stop();
  }
}

async function startCluster(cast: Cast, environment: Record<string, string>, upstreamPort: number): Promise<Target> {
  const ports = new Map<string, number>();
  for (const service of [...OWNERS, 'relay']) ports.set(service, await freePort());
  const addresses = [...ports].filter(([service]) => service !== 'gateway');
  const shared = {
    ...environment,
    TOLLGATE_SERVICES: addresses.map(([service, port]) => `${service}=http://127.0.0.1:${port}`).join(','),
  };
  const programs = [...ports].map(([service, port]) => cast.service(service, port, shared));
  await Promise.all(programs.map((program) => program.ready()));
  const key = await furnish(`http://127.0.0.1:${ports.get('gateway')}`, upstreamPort);
  const relay = programs.at(-1) as Program;
  return { name: 'relay of the cluster', pid: relay.pid, port: relay.port, key };
}

async function startEmbedded(cast: Cast, environment: Record<string, string>, upstreamPort: number): Promise<Target> {
  const program = cast.service('all-in-one', await freePort(), environment);
  await program.ready();
  const key = await furnish(`http://127.0.0.1:${program.port}`, upstreamPort);
  return { name: 'one process', pid: program.pid, port: program.port, key };
}

export async function openStage(options: StageOptions): Promise<Stage> {
  // Whatever is started from here on inherits the core.
  const isPinned = pin(process.pid, OTHER_CORE);
  const cast = new Cast(options);
  try {
    const upstream = await cast.own('upstream');
    const bare = await cast.own('pass-through', [`http://127.0.0.1:${upstream.port}`]);
    options.say('starting PostgreSQL, Redis and Kafka');
    const { environment } = await cast.servers();
    const common = {
      TOLLGATE_SECRET_KEY: randomBytes(32).toString('hex'),
      TOLLGATE_RATE_LIMITS: 'off',
      TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1',
    };
    const place = (name: string): Record<string, string> => ({ TOLLGATE_DATA_DIR: join(cast.folder, name) });
    options.say('starting six services, and all of them once more in one process');
    const clusterDatabase = { DATABASE_URL: await databaseFor('bench_cluster', environment.DATABASE_URL) };
    const relay = await startCluster(
      cast,
      { ...environment, ...clusterDatabase, TOLLGATE_TOPIC_PREFIX: 'bench-', ...common, ...place('cluster') },
      upstream.port,
    );
    const embeddedDatabase = { DATABASE_URL: await databaseFor('bench_embedded', environment.DATABASE_URL) };
    const alone = { KAFKA_BROKERS: '', REDIS_URL: '', ...embeddedDatabase, ...common, ...place('embedded') };
    const embedded = await startEmbedded(cast, alone, upstream.port);
    if (isPinned) for (const { pid } of [bare, relay, embedded]) pin(pid, MEASURED_CORE);
    return {
      bare: { name: 'bare pass-through', key: 'none', ...bare },
      upstream: { name: 'upstream alone', key: 'none', ...upstream },
      relay,
      embedded,
      isPinned,
      stop: () => cast.stop(),
    };
  } catch (error) {
    await cast.stop();
    throw error;
  }
}
