import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readKafkaTopic } from '@tollgate/adapters';
import { allServices } from '@tollgate/all-in-one';
import { ratingFault } from '@tollgate/billing';
import { Logger, readEnv } from '@tollgate/chassis';
import { reconcile, type ReconcileReport } from '@tollgate/operations';
import { readUntil } from '@tollgate/testing';
import { untilEnded } from '../cluster/cluster.js';
import { readBooks } from '../support/books.js';
import { replayFromStart } from './fault-events.js';
import type { Load } from './fault-load.js';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

/** How much the standby lags behind when it takes over. */
const LOST_MS = 6_000;
const BACK_MS = 30_000;
const log = Logger.root('silent');

const folderOf = ({ cluster }: FaultStage): string =>
  (JSON.parse(readFileSync(join(cluster.dataDir, 'postgres.json'), 'utf8')) as { cluster: string }).cluster;

/** Stops the server immediately and keeps the supervisor from restarting it while `work` changes its folder. */
async function whileAway(stage: FaultStage, work: (folder: string) => void): Promise<void> {
  const folder = folderOf(stage);
  const settings = join(folder, 'postgresql.conf');
  const aside = `${folder}.conf`;
  const pid = stage.pidOf('PostgreSQL');
  renameSync(settings, aside);
  process.kill(pid, 'SIGQUIT');
  await untilEnded(pid);
  work(folder);
  renameSync(aside, settings);
  await readUntil(
    () => Promise.resolve(stage.cluster.run().servers.find(({ name }) => name === 'PostgreSQL')?.pid ?? pid),
    (now) => now !== pid,
    BACK_MS,
  );
  await untilRead(stage);
}

const untilRead = (stage: FaultStage): Promise<boolean> =>
  readUntil(
    () =>
      stage.books().then(
        () => true,
        () => false,
      ),
    Boolean,
    BACK_MS,
  );

const look = (stage: FaultStage): Promise<ReconcileReport> => {
  const env = { ...readEnv(stage.environment), KAFKA_BROKERS: stage.kafka.brokers };
  return reconcile({
    ...{ services: allServices, url: stage.cluster.databaseUrl, log, rate: ratingFault, patienceMs: 3_000 },
    period: { to: Date.now() },
    read: (topic, handle) => readKafkaTopic(env, topic, log, handle),
  });
};

const bookedIds = async (stage: FaultStage): Promise<Set<string>> =>
  new Set((await readBooks(stage.cluster.databaseUrl, stage.user.id)).bookings.map(({ id }) => id));

/**
 * The primary is lost, and the standby lacks the last seconds. Billing, logging and channel have committed their
 * offsets for the events of these seconds, so these are not read again by themselves. Reconcile must list each of them;
 * after the offsets are set back to the beginning, everything missing is booked.
 */
async function loseSeconds(stage: FaultStage, load: Load): Promise<string[]> {
  const standby = `${folderOf(stage)}.standby`;
  // Keeps the owner, who is not root.
  await whileAway(stage, (folder) => void execFileSync('cp', ['-a', folder, standby]));
  const before = await bookedIds(stage);
  await pause(LOST_MS);
  await load.rest();
  await readUntil(
    () => stage.spooled(),
    (count) => count === 0,
    BACK_MS,
  );
  const known = await bookedIds(stage);
  await whileAway(stage, (folder) => {
    rmSync(folder, { recursive: true });
    renameSync(standby, folder);
  });
  const left = await bookedIds(stage);
  const lost = [...known].filter((id) => !left.has(id));
  const { faults } = await look(stage);
  const named = new Set(
    faults.filter(({ check }) => check === 'every event is booked as it states').map(({ subject }) => subject),
  );
  // A consumer that had not committed its offset has read some of the events again by itself.
  const missed = await bookedIds(stage);
  const unnamed = lost.filter((id) => !missed.has(id) && !named.has(id));
  await replayFromStart(stage);
  load.goOn();
  const again = await readUntil(
    () => bookedIds(stage),
    (ids) => lost.every((id) => ids.has(id)),
    60_000,
  );
  const clean = await readUntil(
    () => look(stage),
    ({ faults: rest }) => rest.length === 0,
    60_000,
  );
  return [
    ...unless(known.size > before.size, 'nothing was booked in the seconds that were lost'),
    ...unless(
      lost.some((id) => named.has(id)),
      'the standby lacked nothing that reconcile could name',
    ),
    ...unless(unnamed.length === 0, `reconcile does not name ${unnamed.length} of ${lost.length} lost bookings`),
    ...lost.filter((id) => !again.has(id)).map((id) => `${id} was not booked again`),
    ...clean.faults
      .slice(0, 10)
      .map(({ check, subject, expected, found }) => `${check}: ${subject}, ${expected}, ${found}`),
  ];
}

export const failoverRows: readonly FaultRow[] = [
  {
    name: 'PostgreSQL fails over and loses six seconds',
    seconds: 40,
    mayFail: true,
    when: early,
    inject: loseSeconds,
  },
];
