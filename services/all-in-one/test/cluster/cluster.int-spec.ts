import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { ratingFault } from '@tollgate/billing';
import { Logger } from '@tollgate/chassis';
import { isAlive } from '@tollgate/embedded';
import { reconcile } from '@tollgate/operations';
import {
  eventually,
  type FakeUpstream,
  type ForeignRecord,
  makeCertificates,
  type Person,
  readByConsole,
  readUntil,
  setUpSite,
  type Site,
  startFakeUpstream,
  type TestCertificates,
} from '@tollgate/testing';
import { Client } from 'pg';
import { faultsOf } from '../support/cloud-event.js';
import { type Cluster, startCluster, untilReplaced } from './cluster.js';
import { describeAccounts } from './cluster-accounts.js';
import { describeSignIn } from './cluster-sign-in.js';
import { describeTasks } from './cluster-tasks.js';
import { describeJourney } from '../support/journey.js';
import { describeLiveUpdates } from '../support/live-updates.js';
import { describeReplicaSessions } from './replica-sessions.js';
import { ask, type LogRow, logRows, quotaOf } from '../support/relay-site.js';

/** One cluster for all tests, because starting eleven processes and three servers takes most of the time. */
const TOPIC_PREFIX = `test-${randomUUID().slice(0, 8)}.`;
let cluster: Cluster;
let site: Site;
let certificates: TestCertificates;
const folder = mkdtempSync(join(tmpdir(), 'tollgate-certificates-'));
beforeAll(async () => {
  certificates = makeCertificates(folder, 'DNS:localhost');
  cluster = await startCluster({
    TOLLGATE_TOPIC_PREFIX: TOPIC_PREFIX,
    TOLLGATE_OUTBOUND_ALLOW: 'localhost',
    NODE_EXTRA_CA_CERTS: certificates.ca,
  });
  site = await setUpSite(cluster.url);
}, 240_000);
afterAll(async () => {
  const code = await cluster?.stop();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
  // No process had to be killed, and no work was left unfinished.
  expect(code).toBe(0);
}, 120_000);

describeJourney('in a cluster of processes', () => Promise.resolve({ testBed: site, close: () => Promise.resolve() }));

describeLiveUpdates('in a cluster of processes', () => Promise.resolve(site), false);

describe('the supervisor', () => {
  it('names the public port, on which only the gateways listen', async () => {
    const { data } = (await site.visitor().call<{ server_address: string }>('GET', '/api/status')).body;
    expect(data.server_address).toBe(cluster.url.replace('127.0.0.1', 'localhost'));
  });

  it('serves the metrics of each process, also of replicas that share a port', async () => {
    const { processes } = cluster.run();
    const pages = await Promise.all(
      processes.map(async ({ service, probePort }) => {
        const page = await (await fetch(`http://127.0.0.1:${probePort}/metrics`)).text();
        expect(page).toContain(`service="${service}"`);
        const facts = ['process_start_time_seconds', 'process_cpu_user_seconds_total', 'process_resident_memory_bytes'];
        return facts.map((name) => new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]).join();
      }),
    );
    // Distinct values show that each page is of another process.
    expect(new Set(pages).size).toBe(processes.length);
  });
});

describe('the record of a request', () => {
  it('is a valid CloudEvent for another Kafka client', async () => {
    const row = await readUntil(
      async () => (await logRows(site)).find(({ other }) => other.outcome === 'completed'),
      (found) => found !== undefined,
      10_000,
    );
    expect(row).toBeDefined();
    const brokers = cluster.run().servers.find(({ name }) => name === 'Kafka')?.address ?? '';
    const records = await readByConsole(brokers, `${TOPIC_PREFIX}request-consumed`, 1);
    expect(records.map(faultsOf)).toEqual([[]]);
    const [record] = records as [ForeignRecord];
    const event = JSON.parse(record.value) as { id: string; source: string; subject: string; data: { userId: number } };
    expect([record.key, event.source, event.subject]).toEqual([String(event.data.userId), 'relay', record.key]);
    const ids = (await logRows(site)).map(({ other }) => other.request_id);
    expect(ids).toContain(event.id);
    // Shows that the check does find faults.
    const foreign = (change: object): ForeignRecord => ({ ...record, value: JSON.stringify({ ...event, ...change }) });
    expect(faultsOf({ ...record, headers: {} })).not.toEqual([]);
    expect(faultsOf(foreign({ specversion: '0.3' }))).not.toEqual([]);
    expect(faultsOf(foreign({ Bad_Name: 1 }))).not.toEqual([]);
    expect(faultsOf(foreign({ data: { ...event.data, quota: -1 } }))).not.toEqual([]);
  }, 120_000);
});

describe('replicas of the relay', () => {
  let upstream: FakeUpstream;
  let user: Person;
  let key: string;
  const CREDIT = 100_000_000;
  const PROMPT = 'three plain words';

  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    await site.channel({ name: 'drained', base_url: upstream.url, models: 'gpt-4o' });
    user = await site.user('drained', CREDIT);
    key = await site.token(user);
  }, 60_000);
  afterAll(() => upstream?.close());

  const relay = (index: number): { name: string; pid: number } => {
    const found = cluster.run().processes.filter(({ service }) => service === 'relay')[index];
    if (found?.pid === undefined) throw new Error(`relay ${index} does not run`);
    return { name: found.name, pid: found.pid };
  };
  const read = async (settings: string, isStream: boolean, body = {}): Promise<string> => {
    const prompt = `${PROMPT} [[${settings}]]`;
    const reply = await ask(cluster.url, { dialect: 'openai', key, isStream, prompt, body });
    return `${reply.status} ${await reply.text()}`;
  };
  const untilGone = (pid: number, ms: number): Promise<boolean> =>
    eventually('the relay ended', () => !isAlive(pid), ms);
  /** Resolves when words of this many streams have left the upstream. */
  const underWay = (count: number): Promise<number> =>
    readUntil(
      () =>
        upstream.journal().filter(({ isStream, isFinished, wordsSent }) => isStream && !isFinished && wordsSent > 0)
          .length,
      (begun) => begun === count,
    );
  /** The charge for the reported usage, at the price of the model. */
  const priceOf = (completionTokens: number): number => Math.round((3 + completionTokens * 4) * 1.25);
  /** Units of wallets and budgets that relays hold. */
  const outstanding = async (): Promise<number> => {
    const client = new Client({ connectionString: cluster.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ sum: string | null }>(
        'select sum(greatest(0, granted - returned - booked)) as sum from billing.lease',
      );
      return Number(rows[0]?.sum ?? 0);
    } finally {
      await client.end();
    }
  };

  it('serve 50 of 200 simultaneous calls on a wallet worth 50 calls, over all replicas', async () => {
    const poor = await site.user('fifty', 50 * priceOf(10));
    const poorKey = await site.token(poor);
    const call = (): Promise<number> =>
      ask(cluster.url, { dialect: 'openai', key: poorKey, prompt: PROMPT, body: { max_tokens: 10 } }).then(
        async (reply) => {
          await reply.text();
          return reply.status;
        },
      );
    const statuses = await Promise.all(Array.from({ length: 200 }, call));
    const counts = Object.groupBy(statuses, String);
    expect(Object.entries(counts).map(([status, all]) => [status, all?.length])).toEqual([
      ['200', 50],
      ['403', 150],
    ]);
    expect(
      await readUntil(
        () => quotaOf(site, poor.id),
        (quota) => quota === 0,
        10_000,
      ),
    ).toBe(0);
  }, 60_000);

  it('serve each call of a user whose wallet is worth less than the longest answer', async () => {
    const modest = await site.user('modest', 10_000);
    const modestKey = await site.token(modest);
    const statuses: number[] = [];
    for (let calls = 0; calls < 8; calls += 1) {
      const body = { max_tokens: undefined };
      const reply = await ask(cluster.url, { dialect: 'openai', key: modestKey, prompt: PROMPT, body });
      await reply.text();
      statuses.push(reply.status);
    }
    expect(statuses).toEqual(statuses.map(() => 200));
  }, 60_000);

  it('leave books whose reconciliation says so when it does not know where the events are', async () => {
    const { notices } = await reconcile({
      ...{ services: allServices, url: cluster.databaseUrl, log: Logger.root('silent'), rate: ratingFault },
      patienceMs: 0,
    });
    expect(notices).toContainEqual(expect.stringContaining('KAFKA_BROKERS'));
  }, 60_000);

  it('finish their streams when they are stopped, while others serve, and return every lease', async () => {
    const { name, pid } = relay(0);
    const before = await quotaOf(site, user.id);
    const streams = Array.from({ length: 6 }, () => read('tokens=60 tps=20', true));
    await underWay(6);
    process.kill(pid, 'SIGTERM');
    const meanwhile: string[] = [];
    while (isAlive(pid) && meanwhile.length < 200) meanwhile.push((await read('tokens=10', false)).slice(0, 3));
    await untilGone(pid, 20_000);
    for (const text of await Promise.all(streams)) expect(text).toMatch(/^200 [\s\S]*\[DONE\]\s*$/);
    expect(new Set(meanwhile)).toEqual(new Set(['200']));
    const charged = 6 * priceOf(60) + meanwhile.length * priceOf(10);
    expect(
      await readUntil(
        () => quotaOf(site, user.id),
        (quota) => quota === before - charged,
        10_000,
      ),
    ).toBe(before - charged);
    // Idle blocks of the other relay are returned after five seconds; those of a dead relay would stay for a minute.
    expect(await readUntil(outstanding, (sum) => sum === 0, 15_000)).toBe(0);
    await untilReplaced(cluster, name, pid);
  }, 90_000);

  it('end at once on a second signal, and their successor books the interrupted requests', async () => {
    const { name, pid } = relay(1);
    const before = await quotaOf(site, user.id);
    const whole = await read('tokens=10', false);
    expect(whole.slice(0, 3)).toBe('200');
    // Streams of 15 seconds, so that only the second signal can end the relay as soon as this.
    const lasting = (): Promise<string> => read('tokens=600 tps=20', true, { max_tokens: 300 });
    const streams = Array.from({ length: 4 }, () => lasting().catch(() => 'cut'));
    await underWay(4);
    process.kill(pid, 'SIGTERM');
    // Signals within a second count as one.
    await pause(2_500);
    process.kill(pid, 'SIGTERM');
    await untilGone(pid, 6_000);
    await untilReplaced(cluster, name, pid);
    const outcomes = await Promise.all(streams);
    const cut = outcomes.filter((outcome) => !outcome.trimEnd().endsWith('[DONE]')).length;
    expect(cut).toBeGreaterThan(0);
    // Streams of the other relay ended normally. Each stream that was cut must be booked exactly once.
    const interrupted = async (): Promise<LogRow[]> =>
      (await logRows(site)).filter((row) => row.user_id === user.id && row.other.outcome === 'interrupted');
    const rows = await readUntil(interrupted, ({ length }) => length >= cut, 20_000);
    expect(rows).toHaveLength(cut);
    for (const row of rows) expect(row.quota).toBeGreaterThan(0);
    const sum = rows.reduce((total, row) => total + row.quota, priceOf(10) + (4 - cut) * priceOf(300));
    const left = await readUntil(
      () => quotaOf(site, user.id),
      (quota) => quota === before - sum,
      30_000,
    );
    expect(left).toBe(before - sum);
  }, 120_000);
});

describeAccounts(() => ({ cluster, site }));

describeSignIn(() => ({ cluster, site, certificates }));

describeTasks(() => ({ cluster, site }));

// Runs last, because consumers need some seconds to reconnect, and spent quota is known only after the booking.
describeReplicaSessions(() => ({ cluster, site }));

describe('the supervisor, when its servers die', () => {
  it('restarts its servers on the same ports', async () => {
    const own = cluster.run().servers.filter(({ pid }) => pid !== undefined);
    for (const { pid } of own) process.kill(pid as number, 'SIGKILL');
    const running = await readUntil(
      () => Promise.resolve(cluster.run().servers),
      (servers) => own.every(({ name, pid }) => servers.some((one) => one.name === name && one.pid && one.pid !== pid)),
      40_000,
    );
    expect(running.map(({ name, address }) => [name, address])).toEqual(
      cluster.run().servers.map(({ name, address }) => [name, address]),
    );
    for (const { name, pid } of own) expect(running.find((one) => one.name === name)?.pid).not.toBe(pid);
    const answers = (): Promise<boolean> =>
      quotaOf(site, site.root.id).then(
        () => true,
        () => false,
      );
    expect(await readUntil(answers, Boolean, 30_000)).toBe(true);
    const user = await site.user('revived', 1_000);
    expect(await quotaOf(site, user.id)).toBe(1_000);
  }, 90_000);
});
