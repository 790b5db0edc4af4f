/**
 * `npm run cluster`: the product as separate processes behind one port, using PostgreSQL, Redis and Kafka from the environment or started
 * here. Ctrl-C drains everything in the order in which requests flow; a second Ctrl-C ends it at once.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ServiceName } from '@tollgate/contracts';
import { type Env, readEnv, requirePort, secretKeyFor } from '@tollgate/chassis';
import { freePort } from '@tollgate/embedded';
import { ReplicaProcess, type ReplicaPlan } from './cluster/replica-process.js';
import { endEarlierRun, removeRunFile, writeRunFile } from './cluster/run-file.js';
import { openServers, type Servers } from './cluster/servers.js';

const REPLICAS: readonly (readonly [ServiceName, number])[] = [
  ['identity', 1],
  ['billing', 2],
  ['channel', 2],
  ['logging', 2],
  ['relay', 2],
  ['gateway', 2],
];
/** Services that forward requests to others stop before those; the last group has only events left to finish. */
const STOP_ORDER: readonly (readonly ServiceName[])[] = [
  ['gateway'],
  ['relay'],
  ['identity', 'billing', 'channel', 'logging'],
];
const READY_MS = 120_000;
const SAME_WISH_MS = 1_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function planReplicas(env: Env, dataDir: string, servers: Servers): Promise<ReplicaPlan[]> {
  const places: { service: ServiceName; name: string; port: number; probePort: number }[] = [];
  const front = env.PORT === 0 ? await freePort() : env.PORT;
  for (const [service, count] of REPLICAS) {
    for (let number = 1; number <= count; number += 1) {
      const name = count === 1 ? service : `${service}-${number}`;
      const own = await freePort();
      places.push({ service, name, port: service === 'gateway' ? front : own, probePort: own });
    }
  }
  const addresses = REPLICAS.filter(([service]) => service !== 'gateway').map(([service]) => {
    const ports = places.filter((place) => place.service === service).map(({ port }) => port);
    return `${service}=${ports.map((port) => `http://127.0.0.1:${port}`).join('|')}`;
  });
  const shared = {
    ...servers.environment,
    TOLLGATE_DATA_DIR: dataDir,
    // The public address: only the gateways listen on the port that people use.
    TOLLGATE_ADDRESS: env.TOLLGATE_ADDRESS ?? `http://localhost:${front}`,
    TOLLGATE_SECRET_KEY: secretKeyFor(env.TOLLGATE_SECRET_KEY, dataDir).secret,
    TOLLGATE_SERVICES: addresses.join(','),
  };
  mkdirSync(join(dataDir, 'log'), { recursive: true });
  return places.map(({ service, name, port, probePort }) => ({
    name,
    service,
    port,
    probePort,
    log: join(dataDir, 'log', `${name}.log`),
    main: resolve(import.meta.dirname, `../bundle/${service}/main.js`),
    environment: {
      ...shared,
      PORT: String(port),
      HOST: service === 'gateway' ? env.HOST : '127.0.0.1',
      // A metrics port from the environment would be the same for all processes.
      TOLLGATE_METRICS_PORT: probePort === port ? '' : String(probePort),
      // The other services listen on the loopback address only, so their metrics need no protection.
      ...(probePort === port && { TOLLGATE_PUBLIC_METRICS: 'on' }),
    },
  }));
}

function table(replicas: readonly ReplicaProcess[], servers: Servers): string {
  const rows = [
    ['process', 'port', 'metrics', 'pid', 'log'],
    ...replicas.map(({ plan: { name, port, probePort, log }, pid }) => [
      name,
      String(port),
      String(probePort),
      String(pid ?? '-'),
      log,
    ]),
    ...servers
      .places()
      .map(({ name, address, origin, pid }) => [name, '', '', String(pid ?? ''), `${address} (${origin})`]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}

async function stopAll(replicas: readonly ReplicaProcess[], servers: Servers): Promise<void> {
  for (const group of STOP_ORDER) {
    const leaving = replicas.filter(({ plan }) => group.includes(plan.service));
    await Promise.all(leaving.map((replica) => replica.stop()));
  }
  await servers.stop();
}

async function run(): Promise<void> {
  const env = readEnv();
  const dataDir = resolve(env.TOLLGATE_DATA_DIR);
  mkdirSync(dataDir, { recursive: true });
  const runFile = join(dataDir, 'run.json');
  const ended = await endEarlierRun(runFile);
  if (ended > 0) say(`ended ${ended} processes of an earlier run`);
  await requirePort(env.HOST, 'PORT', env.PORT);
  let remember = (): void => undefined;
  const servers = await openServers(env, dataDir, () => remember());
  const plans = await planReplicas(env, dataDir, servers);
  const lost = plans.find(({ main }) => !existsSync(main));
  if (lost) throw new Error(`${lost.main} was not built; start the cluster by \`npm run cluster\`.`);

  const url = `http://localhost:${plans.at(-1)?.port}`;
  let ready = false;
  const replicas: ReplicaProcess[] = [];
  remember = (): void =>
    writeRunFile(runFile, {
      url,
      supervisor: process.pid,
      ready,
      servers: servers.places(),
      processes: replicas.map(({ plan: { name, service, port, probePort, log, main }, pid }) => ({
        name,
        service,
        port,
        probePort,
        pid,
        log,
        main,
      })),
    });
  for (const plan of plans) replicas.push(new ReplicaProcess(plan, () => remember()));
  remember();
  const drained = drainOnSignal(replicas, servers, runFile);
  for (const replica of replicas) replica.start();
  const deadline = performance.now() + READY_MS;
  const outcomes = await Promise.all(replicas.map((replica) => replica.untilReady(deadline)));
  if (outcomes.every(Boolean)) {
    ready = true;
    remember();
    say(`\nTollgate is ready at ${url}\n\n${table(replicas, servers)}\n\nCtrl-C drains and stops everything.`);
  } else {
    const late = replicas.filter((_, index) => outcomes[index] !== true);
    for (const { plan } of late) process.stderr.write(`${plan.name} is not ready; its log is ${plan.log}\n`);
  }
  await drained;
}

/** Resolves when everything has stopped after the first signal. A second signal kills the replicas. */
function drainOnSignal(replicas: readonly ReplicaProcess[], servers: Servers, runFile: string): Promise<void> {
  return new Promise((resolvePromise, reject) => {
    let first: number | undefined;
    const onSignal = (): void => {
      const now = performance.now();
      if (first === undefined) {
        first = now;
        say('draining …');
        stopAll(replicas, servers)
          .then(() => removeRunFile(runFile))
          .then(resolvePromise, reject);
      } else if (now - first > SAME_WISH_MS) {
        // Killing loses nothing: records that were not sent yet are in the spool, and the next start sends them.
        for (const replica of replicas) replica.signal('SIGKILL');
      }
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // The parent process died without sending a signal.
    process.once('disconnect', () => first === undefined && onSignal());
  });
}

try {
  await run();
  process.exit(0);
} catch (error) {
  process.stderr.write(`The cluster could not go on: ${(error as Error).message}\n`);
  process.exit(1);
}
