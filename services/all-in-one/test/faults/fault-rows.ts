import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@tollgate/testing';
import { Client } from 'pg';
import { Redis } from 'ioredis';
import { untilReplaced } from '../cluster/cluster.js';
import { replayFromStart, repeatShuffled } from './fault-events.js';
import { lastCallRows } from './fault-last-calls.js';
import type { Load } from './fault-load.js';
import { relayRows } from './fault-relays.js';
import { early, type FaultRow, FULL, killReplica } from './fault-row.js';
import { serverRows } from './fault-servers.js';
import { abortRows } from './fault-aborts.js';
import { billingRows } from './fault-billing.js';
import { paymentRows } from './fault-payments.js';
import { clockRows } from './fault-clocks.js';
import { failoverRows } from './fault-failover.js';
import { memoryRows } from './fault-memory.js';
import { outboxRows } from './fault-outbox.js';
import type { FaultStage } from './fault-stage.js';
import { changeConsumers } from './spare-consumers.js';

/** SIGKILL under full load; the supervisor restarts the process. */
const killed = (name: string, row: Pick<FaultRow, 'mayFail'>): FaultRow => ({
  name: `${name} killed`,
  ...row,
  inject: (stage) => killReplica(stage, name),
});

const killedWhen = (moment: string, holds: (load: Load) => boolean): FaultRow => ({
  name: `relay-2 killed ${moment}`,
  mayFail: true,
  when: (load) => load.isInFullSwing(0.1) && holds(load),
  inject: (stage) => killReplica(stage, 'relay-2'),
});

async function stopKafka({ kafka }: FaultStage, seconds: number): Promise<void> {
  await kafka.stop();
  await pause(seconds * 1000);
  await kafka.start();
}

/** Kills a server of the cluster, which is missing until the supervisor has restarted it. */
async function endServer(stage: FaultStage, name: string, signal: NodeJS.Signals): Promise<void> {
  const pid = stage.pidOf(name);
  process.kill(pid, signal);
  const isBack = (): boolean => {
    const now = stage.cluster.run().servers.find((server) => server.name === name)?.pid;
    return now !== undefined && now !== pid;
  };
  await eventually(`${name} is back`, isBack, 60_000);
}

async function onRedis(stage: FaultStage, work: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(stage.addressOf('Redis'), { maxRetriesPerRequest: 20 });
  redis.on('error', () => undefined);
  await work(redis);
  redis.disconnect();
}

async function terminateBackends({ cluster }: FaultStage): Promise<void> {
  const client = new Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tollgate%' and pid <> pg_backend_pid()`,
  );
  await client.end();
}

const rows: FaultRow[] = [
  { name: 'nothing', mayFail: false, inject: () => Promise.resolve() },
  killed('gateway-1', { mayFail: true }),
  killed('identity', { mayFail: false }),
  killed('billing-1', { mayFail: true }),
  killed('channel-1', { mayFail: false }),
  killed('relay-1', { mayFail: true }),
  killed('logging-1', { mayFail: false }),
  killedWhen('before the first byte', (load) => load.waiting >= 4),
  killedWhen('between two chunks', (load) => load.flowing >= 8),
  killedWhen('after a last byte', (load) => load.finished >= 12),
  {
    name: 'relays replaced one by one',
    seconds: 16,
    mayFail: false,
    when: early,
    async inject(stage) {
      for (const name of ['relay-1', 'relay-2']) {
        const pid = stage.pidOf(name);
        process.kill(pid, 'SIGTERM');
        await untilReplaced(stage.cluster, name, pid);
        // Gateways check readiness once a second.
        await pause(1_500);
      }
    },
  },
  {
    name: 'Kafka stopped for 30 s',
    seconds: 34,
    mayFail: false,
    when: early,
    inject: (stage) => stopKafka(stage, 30),
  },
  {
    name: 'Kafka killed',
    mayFail: false,
    async inject({ kafka }) {
      await kafka.kill();
      await kafka.start();
    },
  },
  {
    name: 'a relay and a billing killed while Kafka is away',
    isShort: true,
    mayFail: true,
    when: early,
    async inject(stage) {
      const back = stopKafka(stage, 3);
      await Promise.all([back, killReplica(stage, 'relay-1'), killReplica(stage, 'billing-1')]);
    },
  },
  {
    name: 'Redis emptied',
    isShort: true,
    mayFail: false,
    endsSessions: true,
    async inject(stage) {
      await onRedis(stage, (redis) => redis.flushall());
    },
  },
  {
    name: 'Redis killed',
    mayFail: false,
    async inject(stage) {
      await endServer(stage, 'Redis', 'SIGKILL');
    },
  },
  {
    name: 'Redis silent for 2 s',
    mayFail: false,
    async inject(stage) {
      const pid = stage.pidOf('Redis');
      process.kill(pid, 'SIGSTOP');
      await pause(2_000);
      process.kill(pid, 'SIGCONT');
    },
  },
  {
    name: 'PostgreSQL ended at once',
    isShort: true,
    mayFail: true,
    async inject(stage) {
      await endServer(stage, 'PostgreSQL', 'SIGQUIT');
    },
  },
  {
    name: 'sessions of PostgreSQL ended',
    mayFail: true,
    async inject(stage) {
      for (let round = 0; round < 5; round += 1) {
        await terminateBackends(stage);
        await pause(700);
      }
    },
  },
  { name: 'consumers come and go', seconds: 24, mayFail: false, when: early, inject: changeConsumers },
  { name: 'every event twice, shuffled', isShort: true, mayFail: false, inject: repeatShuffled },
  { name: 'all events again from offset 0', mayFail: true, inject: replayFromStart },
  ...relayRows,
  ...billingRows,
  ...paymentRows,
  ...serverRows,
  ...lastCallRows,
  ...outboxRows,
  ...clockRows,
  ...memoryRows,
  ...failoverRows,
  // Last, because every later row would have to examine its requests, too.
  ...abortRows,
];

/** All rows, or those of the short form. */
export const faultRows = rows.filter(({ isShort }) => FULL || isShort);
export const isFull = FULL;
