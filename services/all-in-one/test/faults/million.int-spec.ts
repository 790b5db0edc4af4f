import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readKafkaTopic } from '@tollgate/adapters';
import { allServices } from '@tollgate/all-in-one';
import { ratingFault } from '@tollgate/billing';
import { Logger, readEnv } from '@tollgate/chassis';
import { reconcile } from '@tollgate/operations';
import { Client } from 'pg';
import { readUntil } from '@tollgate/testing';
import { untilEnded } from '../cluster/cluster.js';
import { killReplica } from './fault-row.js';
import { type FaultStage, openFaultStage } from './fault-stage.js';
import { type Customer, MillionLoad } from './million-load.js';
import { MillionWitness, promptsOfTheDead, verdictOf } from './million-witness.js';
import { randomFrom } from '../support/witness.js';

/** Set by `npm run test:faults -- million 1000000`; without it the suite does not run. */
const COUNT = Number(process.env.TOLLGATE_MILLION ?? 0);
const MINUTES = Number(process.env.TOLLGATE_MILLION_MINUTES ?? 240);
const SEED = Number(process.env.TOLLGATE_MILLION_SEED ?? 7);
/** Number of concurrent clients. */
const WIDTH = Number(process.env.TOLLGATE_MILLION_WIDTH ?? 64);
/**
 * Maximum of seconds between two kills; the average is three fifths of it. Each restart uses a processor for some
 * seconds.
 */
const APART = Number(process.env.TOLLGATE_MILLION_APART ?? 30);
/** The share of slow streams. */
const SLOW = Number(process.env.TOLLGATE_MILLION_SLOW ?? 0.05);
const RICH = 6;
const SCARCE = 12;
const WEALTH = 2_000_000_000;
/** Worth some hundred calls. */
const LITTLE = 40_000;
const SETTLED_MS = 600_000;
const SAY_EVERY_MS = 30_000;
const log = Logger.root('silent');
const suite = COUNT > 0 ? describe : describe.skip;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const PROCESSES = [
  ...['relay-1', 'relay-2', 'relay-1', 'relay-2', 'billing-1', 'billing-2', 'billing-1', 'billing-2'],
  ...['logging-1', 'logging-2', 'channel-1', 'gateway-1', 'gateway-2', 'identity'],
];
/** Kills a process or a server by its name. */
async function strike(stage: FaultStage, name: string): Promise<void> {
  if (name === 'Kafka') {
    await stage.kafka.kill();
    await stage.kafka.start();
    return;
  }
  if (name !== 'PostgreSQL' && name !== 'Redis') return killReplica(stage, name);
  const pid = stage.pidOf(name);
  // PostgreSQL is stopped immediately and without a checkpoint, as in a power failure.
  process.kill(pid, name === 'PostgreSQL' ? 'SIGQUIT' : 'SIGKILL');
  await untilEnded(pid);
  await readUntil(
    () => Promise.resolve(stage.cluster.run().servers.find((one) => one.name === name)?.pid ?? pid),
    (now) => now !== pid,
    60_000,
  );
}

/** The longest steps with their milliseconds; a step ends where the next one begins. */
function slowest(steps: readonly { step: string; at: number }[]): [string, number][] {
  const spent = new Map<string, number>();
  for (const [index, { step, at }] of steps.entries())
    spent.set(step, (spent.get(step) ?? 0) + (steps[index + 1]?.at ?? performance.now()) - at);
  return [...spent].sort(([, a], [, b]) => b - a).slice(0, 5);
}

/**
 * Many mixed requests through a cluster whose processes and servers are killed at seeded moments; afterwards every
 * request is accounted for.
 */
suite(`${COUNT} requests with kills (seed ${SEED})`, () => {
  let stage: FaultStage;
  let witness: MillionWitness;
  const customers: Customer[] = [];
  const strikes = new Map<string, number>();
  const random = randomFrom(SEED);

  beforeAll(async () => {
    witness = new MillionWitness(COUNT);
    stage = await openFaultStage({ journalSize: 0, onEnd: (entry) => witness.noteServed(entry) }, { hasClocks: false });
    witness.relayDeaths = stage.relayDeaths;
    for (let index = 0; index < RICH + SCARCE; index += 1) {
      const isScarce = index >= RICH;
      const hasBudget = isScarce && index % 2 === 0;
      const user = await stage.site.user(`customer${index}`, isScarce && !hasBudget ? LITTLE : WEALTH);
      const budget = { unlimited_quota: false, remain_quota: LITTLE };
      customers.push({ userId: user.id, isScarce, key: await stage.site.token(user, hasBudget ? budget : {}) });
    }
  }, 300_000);
  afterAll(() => stage?.close(), 120_000);

  /** Waits until the time is over or the load has ended. */
  async function waitWhileAsked(load: MillionLoad, ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (!load.isOver && performance.now() < end) await pause(Math.min(500, ms));
  }

  async function strikeAtRandom(load: MillionLoad): Promise<void> {
    for (let nth = 1; !load.isOver; nth += 1) {
      await waitWhileAsked(load, (0.2 + random() * 0.8) * APART * 1000);
      if (load.isOver) return;
      const servers = ['Kafka', 'PostgreSQL', 'Redis'];
      const name = nth % 8 === 0 ? servers[(nth / 8) % 3] : PROCESSES[Math.floor(random() * PROCESSES.length)];
      strikes.set(name ?? '', (strikes.get(name ?? '') ?? 0) + 1);
      await strike(stage, name ?? 'relay-1');
    }
  }

  async function tellProgress(load: MillionLoad): Promise<void> {
    while (!load.isOver) {
      await waitWhileAsked(load, SAY_EVERY_MS);
      say(
        `  ${load.ended} of ${COUNT}: ${JSON.stringify(witness.counts)}, kills ${[...strikes.values()].reduce((sum, n) => sum + n, 0)}`,
      );
    }
  }

  const steps: { step: string; at: number }[] = [];
  const look = () =>
    reconcile({
      ...{ services: allServices, url: stage.cluster.databaseUrl, log, rate: ratingFault },
      reportStep: (step) => void steps.push({ step: step.replace(/,.*/, ''), at: performance.now() }),
      period: { to: Date.now() },
      read: (topic, handle) =>
        readKafkaTopic({ ...readEnv(stage.environment), KAFKA_BROKERS: stage.kafka.brokers }, topic, log, handle),
    });

  it(
    'loses no request, books none twice, overdraws no wallet, and leaves balanced books',
    async () => {
      const begun = performance.now();
      const until = begun + MINUTES * 60_000;
      const { url } = stage.cluster;
      const load = new MillionLoad({
        ...{ url, count: COUNT, width: WIDTH, seed: SEED, slow: SLOW, customers, witness, until },
      });
      const asked = load.run().then(() => (performance.now() - begun) / 1000);
      const [seconds] = await Promise.all([asked, strikeAtRandom(load), tellProgress(load)]);
      await readUntil(
        () => stage.spooled().catch(() => Number.NaN),
        (count) => count === 0,
        SETTLED_MS,
      );
      const client = new Client({ connectionString: stage.cluster.databaseUrl });
      await client.connect();
      await witness.write(client);
      const users = customers.map(({ userId }) => userId);
      const verdict = await readUntil(
        () => verdictOf(client, users),
        (found) => Object.values(found).every((n) => n === 0),
        SETTLED_MS,
      );
      const prompts = await promptsOfTheDead(client);
      const report = await readUntil(look, ({ balanced }) => balanced, SETTLED_MS);
      await client.query('drop schema "witness" cascade');
      await client.end();
      say(
        `\n${load.ended} requests in ${seconds.toFixed(0)} s, ${(load.ended / seconds).toFixed(0)} a second; seed ${SEED}`,
      );
      say(`  clients: ${JSON.stringify(witness.counts)}; the upstream served ${witness.servedByUpstream}`);
      const failures = [...witness.failures].sort(([, a], [, b]) => b - a).slice(0, 8);
      for (const [text, times] of failures) say(`    ${times}× ${text}`);
      say(`  killed: ${[...strikes].map(([name, times]) => `${name} ${times}×`).join(', ')}`);
      say(
        `  ${Object.entries(verdict)
          .map(([name, n]) => `${name}: ${n}`)
          .join(', ')}`,
      );
      say(`  charged for their prompts, by relays killed as the first byte was on its way: ${prompts}`);
      for (const { store, requests, units } of report.sums) say(`  ${store}: ${requests} requests, ${units} units`);
      say(`  reconcile: ${report.faults.length + report.unlisted} faults in ${report.seconds.toFixed(1)} s`);
      for (const [step, ms] of slowest(steps)) say(`    ${(ms / 1000).toFixed(1)} s ${step}`);
      say('');
      expect(report.faults.slice(0, 10)).toEqual([]);
      expect(Object.entries(verdict).filter(([, n]) => n > 0)).toEqual([]);
      expect(witness.counts.whole).toBeGreaterThan(load.ended / 2);
    },
    MINUTES * 60_000 + 4 * SETTLED_MS,
  );
});
