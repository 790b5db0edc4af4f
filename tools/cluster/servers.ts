import { join } from 'node:path';
import { type Env, Logger, startEmbeddedPostgres } from '@tollgate/platform';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the library's root also loads test suites, which only jest can
import { startKafka } from '../../libs/testing/src/start-kafka.js';
// eslint-disable-next-line @nx/enforce-module-boundaries -- as above
import { startRedis } from '../../libs/testing/src/start-redis.js';

/** What the processes share, with whose it is: a server of the environment is left as it was found. */
export interface Servers {
  environment: { DATABASE_URL: string; REDIS_URL: string; KAFKA_BROKERS: string };
  /** For people; without passwords. */
  places: { name: string; address: string; origin: 'environment' | 'started here' }[];
  stop(): Promise<void>;
}

interface Server {
  variable: keyof Servers['environment'];
  name: string;
  start(): Promise<{ address: string; stop(): Promise<void> } | undefined>;
  help: string;
}

/** In the order they start; the last one stops first. Data stay in the data folder, the database where `npm start` has it. */
const servers = (dataDir: string): Server[] => [
  {
    variable: 'DATABASE_URL',
    name: 'PostgreSQL',
    async start() {
      const { url, stop } = await startEmbeddedPostgres({ dataDir, log: Logger.root('warn') });
      return { address: url, stop };
    },
    help: 'the embedded server is missing from node_modules',
  },
  {
    variable: 'REDIS_URL',
    name: 'Redis',
    async start() {
      const redis = await startRedis(join(dataDir, 'redis'));
      return redis && { address: redis.url, stop: redis.stop };
    },
    help: 'install redis-server or Docker',
  },
  {
    variable: 'KAFKA_BROKERS',
    name: 'Kafka',
    async start() {
      const kafka = await startKafka(join(dataDir, 'kafka'));
      return kafka && { address: kafka.brokers, stop: kafka.stop };
    },
    help: 'install Java 17 and Maven, or Docker',
  },
];

export async function openServers(env: Env, dataDir: string): Promise<Servers> {
  const environment: Partial<Servers['environment']> = {};
  const places: Servers['places'] = [];
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    for (const { variable, name, start, help } of servers(dataDir)) {
      const given = env[variable];
      const started = given === undefined ? await start() : undefined;
      const address = given ?? started?.address;
      if (address === undefined) throw new Error(`The cluster needs ${name}: set ${variable}, or ${help}.`);
      if (started) stops.push(started.stop);
      environment[variable] = address;
      places.push({
        name,
        address: withoutUser(address),
        origin: given === undefined ? 'started here' : 'environment',
      });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { environment: environment as Servers['environment'], places, stop };
}

function withoutUser(address: string): string {
  if (!URL.canParse(address) || !address.includes('//')) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.toString();
}
