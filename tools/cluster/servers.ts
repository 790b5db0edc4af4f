import { join } from 'node:path';
import { type Env, Logger } from '@tollgate/chassis';
import { startEmbeddedPostgres } from '@tollgate/embedded';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the library's root also loads test suites, which only jest can
import { startKafka } from '../../libs/testing/src/start-kafka.js';
// eslint-disable-next-line @nx/enforce-module-boundaries -- as above
import { startRedis } from '../../libs/testing/src/start-redis.js';
import { keepRunning, type OwnServer } from './keep-running.js';

/** A server as the run file shows it, without passwords. */
export interface ServerPlace {
  name: string;
  address: string;
  origin: 'environment' | 'started here';
  /** Only of a server that was started here. */
  pid?: number;
  /** The server's data folder, which is also part of its command line. */
  folder?: string;
}

/** The servers that the processes use. A server that the environment names is never stopped. */
export interface Servers {
  environment: { DATABASE_URL: string; REDIS_URL: string; KAFKA_BROKERS: string };
  /** The current state: a server that ended unexpectedly is restarted with another pid. */
  places(): ServerPlace[];
  stop(): Promise<void>;
}

interface Started {
  address: string;
  pid(): number | undefined;
  /** Absent where a server that outlives a killed supervisor is not ended but taken over by the next start. */
  folder?: string;
  stop(): Promise<void>;
}

interface Server {
  variable: keyof Servers['environment'];
  name: string;
  start(): Promise<Started | undefined>;
  help: string;
}

/**
 * In the order in which they start; they stop in reverse. Data are kept in the data folder, those of PostgreSQL where
 * `npm start` keeps them.
 */
const servers = (dataDir: string, onChange: () => void): Server[] => [
  {
    variable: 'DATABASE_URL',
    name: 'PostgreSQL',
    async start() {
      const server = await startEmbeddedPostgres({ dataDir, log: Logger.root('warn'), onRevived: onChange });
      return { address: server.url, pid: () => server.pid, stop: server.stop };
    },
    help: 'the embedded server is missing from node_modules',
  },
  {
    variable: 'REDIS_URL',
    name: 'Redis',
    async start() {
      const folder = join(dataDir, 'redis');
      const redis = await startRedis(folder);
      return redis && kept('Redis', { ...redis, address: redis.url, folder }, onChange);
    },
    help: 'install redis-server or Docker',
  },
  {
    variable: 'KAFKA_BROKERS',
    name: 'Kafka',
    async start() {
      const folder = join(dataDir, 'kafka');
      const kafka = await startKafka(folder);
      return kafka && kept('Kafka', { ...kafka, address: kafka.brokers, folder }, onChange);
    },
    help: 'install Java 17 and Maven, or Docker',
  },
];

interface Found {
  address: string;
  folder: string;
  /** Absent when the server is a container, which is not restarted from here. */
  local?: OwnServer;
  stop(): Promise<void>;
}

function kept(name: string, { address, folder, local, stop }: Found, onChange: () => void): Started {
  if (!local) return { address, pid: () => undefined, stop };
  return { address, folder, pid: () => local.pid, stop: keepRunning(name, local, onChange) };
}

/** `onChange` is called whenever the pid of a server that was started here changes. */
export async function openServers(env: Env, dataDir: string, onChange: () => void = () => undefined): Promise<Servers> {
  const environment: Partial<Servers['environment']> = {};
  const opened: { name: string; address: string; started: Started | undefined }[] = [];
  const stop = async (): Promise<void> => {
    for (const { started } of opened.splice(0).reverse()) await started?.stop();
  };
  try {
    for (const { variable, name, start, help } of servers(dataDir, onChange)) {
      const given = env[variable];
      const started = given === undefined ? await start() : undefined;
      const address = given ?? started?.address;
      if (address === undefined) throw new Error(`The cluster needs ${name}: set ${variable}, or ${help}.`);
      environment[variable] = address;
      opened.push({ name, address: withoutUser(address), started });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const places = (): ServerPlace[] =>
    opened.map(({ name, address, started }) => {
      if (!started) return { name, address, origin: 'environment' };
      return { name, address, origin: 'started here', pid: started.pid(), folder: started.folder };
    });
  return { environment: environment as Servers['environment'], places, stop };
}

function withoutUser(address: string): string {
  if (!URL.canParse(address) || !address.includes('//')) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.toString();
}
