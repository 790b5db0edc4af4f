import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@tollgate/embedded';
import { DIST } from '../cluster/cluster.js';
import type { Load } from './fault-load.js';
import type { FaultStage } from './fault-stage.js';

const EVERY_MS = 3_000;
const READY_MS = 40_000;

/**
 * Permanently runs an additional replica of billing and of logging: each starts, works for some seconds, and stops or
 * is killed.
 */
export async function changeConsumers(stage: FaultStage, load: Load): Promise<void> {
  let over = false;
  const end = load.until(() => false).then(() => (over = true));
  const change = async (service: string): Promise<void> => {
    for (let round = 0; !over; round += 1) {
      const spare = await startSpare(stage, service);
      await pause(EVERY_MS);
      await spare.end(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    }
  };
  await Promise.all([change('billing'), change('logging'), end]);
}

async function startSpare(
  { cluster, environment }: FaultStage,
  service: string,
): Promise<{ end(signal: NodeJS.Signals): Promise<void> }> {
  const { processes, servers } = cluster.run();
  const services = Object.entries(Object.groupBy(processes, (one) => one.service))
    .filter(([name]) => name !== 'gateway')
    .map(([name, replicas = []]) => `${name}=${replicas.map(({ port }) => `http://127.0.0.1:${port}`).join('|')}`);
  const port = await freePort();
  const env = {
    ...process.env,
    ...environment,
    DATABASE_URL: cluster.databaseUrl,
    REDIS_URL: servers.find(({ name }) => name === 'Redis')?.address,
    TOLLGATE_SERVICES: services.join(','),
    TOLLGATE_DATA_DIR: cluster.dataDir,
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  const log = openSync(join(cluster.dataDir, 'log', `${service}-spare.log`), 'a');
  const child = spawn(process.execPath, [join(DIST, 'bundle', service, 'main.js')], {
    env,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  await untilReady(child, port);
  return {
    async end(signal) {
      child.kill(signal);
      await gone;
    },
  };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (let waited = 0; waited < READY_MS && child.exitCode === null; waited += 100) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await pause(100);
  }
  child.kill('SIGKILL');
  throw new Error(`a spare replica on port ${port} did not get ready`);
}
