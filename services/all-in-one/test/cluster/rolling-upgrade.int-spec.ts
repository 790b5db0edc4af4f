import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type FakeUpstream,
  missingForKafka,
  type Person,
  setUpSite,
  type Site,
  startFakeUpstream,
} from '@tollgate/testing';
import { readBooks } from '../support/books.js';
import { type Cluster, startCluster, untilReplaced } from './cluster.js';
import { Load } from '../faults/fault-load.js';
import { MODELS } from '../support/relay-site.js';
import { previousCommit, TwoReleases } from './two-releases.js';
import { type Judgement, judge } from '../support/verdict.js';
import type { Seen } from '../support/witness.js';

const commit = await previousCommit();
const missing =
  commit === undefined
    ? 'there is no commit to come from here'
    : process.env.CI === 'true'
      ? undefined
      : await missingForKafka();
if (missing !== undefined) process.stderr.write(`SKIPPED: the upgrade from another commit: ${missing}\n`);

/**
 * Replaces one replica of each service, then the other; services with a single replica are replaced along with the
 * first ones.
 */
const SECONDS = 20;
const SETTLED_MS = 90_000;

(missing === undefined ? describe : describe.skip)(`a rollout from ${commit?.slice(0, 8)} to this one`, () => {
  let releases: TwoReleases;
  let cluster: Cluster;
  let upstream: FakeUpstream;
  let site: Site;
  let user: Person;
  let key: string;
  const seen: Seen[] = [];

  beforeAll(async () => {
    releases = await TwoReleases.make(commit ?? '');
    upstream = await startFakeUpstream({ journalSize: 10_000 });
    cluster = await startCluster({ TOLLGATE_DRAIN_SECONDS: '60', LOG_LEVEL: 'warn' }, releases.supervisor);
    site = await setUpSite(cluster.url);
    const openaiModels = `${MODELS.openai},text-embedding-3-small`;
    await site.channel({ name: 'openai', type: 1, base_url: upstream.url, models: openaiModels });
    await site.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    user = await site.user('owner', 500_000_000);
    key = await site.token(user, { name: 'key', unlimited_quota: true });
  }, 300_000);
  afterAll(async () => {
    await cluster?.close();
    await upstream?.close();
    releases?.remove();
  }, 120_000);

  /** Replaces every process once, one replica at a time: each drains, and its successor is of the installed release. */
  async function replaceAll(): Promise<void> {
    const all = cluster.run().processes.map(({ name, pid }) => {
      if (pid === undefined) throw new Error(`${name} does not run`);
      return { name, pid };
    });
    const isSecond = ({ name }: { name: string }): boolean => name.endsWith('-2');
    for (const old of [all.filter((one) => !isSecond(one)), all.filter(isSecond)]) {
      for (const { pid } of old) process.kill(pid, 'SIGTERM');
      for (const { name, pid } of old) await untilReplaced(cluster, name, pid);
    }
  }

  async function underLoad(number: number, work: () => Promise<void>): Promise<Seen[]> {
    const load = new Load({ url: cluster.url, key, number, requests: SECONDS * 4, seconds: SECONDS });
    const running = load.run();
    await work();
    await running;
    seen.push(...load.seen);
    return load.seen;
  }

  async function verdict(): Promise<Judgement> {
    const deadline = performance.now() + SETTLED_MS;
    for (;;) {
      const books = await readBooks(cluster.databaseUrl, user.id);
      const judgement = judge({ seen, books, journal: upstream.journal() });
      if (judgement.faults.length === 0 || performance.now() > deadline) return judgement;
      await pause(250);
    }
  }

  const failures = (ended: readonly Seen[]): string[] =>
    ended
      .filter(({ isWhole, hasLeft }) => !isWhole && !hasLeft)
      .map(({ kind, status, failure, received }) => `${kind}: ${status} ${failure ?? received.slice(0, 200)}`);

  it('fails, loses and doubly charges no request', async () => {
    const ended = await underLoad(1, async () => {
      releases.install('next');
      await releases.migrate(cluster.databaseUrl);
      await replaceAll();
    });
    expect(failures(ended)).toEqual([]);
    expect(await verdict()).toMatchObject({ lost: 0, doubled: 0, faults: [] });
  }, 300_000);

  it('can be rolled back on the new schema', async () => {
    const ended = await underLoad(2, async () => {
      releases.install('previous');
      await replaceAll();
    });
    expect(failures(ended)).toEqual([]);
    expect(await verdict()).toMatchObject({ lost: 0, doubled: 0, faults: [] });
  }, 300_000);
});
