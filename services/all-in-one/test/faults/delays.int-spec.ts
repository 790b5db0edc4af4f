import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { missingForKafka, readUntil } from '@tollgate/testing';
import { DIST } from '../cluster/cluster.js';
import { judge, leftovers } from '../support/verdict.js';
import { type Kind, KINDS, nothingSeen, observe, type Seen } from '../support/witness.js';
import { openSlowStage, SERVERS, type SlowStage } from './slow-stage.js';

const DELAY_MS = 300;
const CREDIT = 500_000_000;
const ALL_KINDS = Object.keys(KINDS) as Kind[];
const SETTLED_MS = 60_000;
const COMMAND = join(DIST, 'bundle/all-in-one/command.js');

const missing = process.env.CI === 'true' ? undefined : await missingForKafka();
if (missing !== undefined)
  process.stderr.write(`SKIPPED: slow servers of the cluster, because Kafka cannot run here: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

/** The names of the commands in what clients of Redis have sent. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)].map(([, name = '']) => name.toLowerCase());

/** What failed of each request; nothing if all replies are whole. */
const failuresOf = (asked: readonly Seen[]): string[] =>
  asked.flatMap(({ kind, isWhole, failure }) => (isWhole ? [] : [`${kind}: ${failure}`]));

/**
 * Nothing here measures time: while all replies of a server are kept back, a call that waits for one of them cannot
 * end.
 */
suite('the cluster with slow servers', () => {
  let stage: SlowStage;
  const seen: Seen[] = [];

  beforeAll(async () => {
    stage = await openSlowStage(CREDIT);
  }, 240_000);
  afterEach(() => {
    for (const proxy of Object.values(stage.proxies)) {
      proxy.delay(0);
      proxy.release();
    }
  });
  afterAll(() => stage?.close(), 120_000);

  /** One request of each kind at once; resolves when each has its whole reply or has failed. */
  async function askAll(url: string, key = stage.key): Promise<Seen[]> {
    const asked = ALL_KINDS.map((kind, index) =>
      nothingSeen({ kind, mark: `m1x${seen.length + index}`, latencyMs: 0, wordsPerSecond: 200 }),
    );
    seen.push(...asked);
    await Promise.all(asked.map((one) => observe(one, { url, key, onChange: () => undefined })));
    return asked;
  }

  async function askRelays(): Promise<Seen[]> {
    return (await Promise.all(stage.relays().map((relay) => askAll(relay)))).flat();
  }

  it.each(SERVERS)(
    'answers warm calls while %s answers nothing',
    async (server) => {
      const proxy = stage.proxies[server];
      for (let round = 0; round < 2; round += 1) expect(failuresOf(await askRelays())).toEqual([]);
      proxy.hold();
      proxy.sent();
      expect(failuresOf(await askRelays())).toEqual([]);
      const commands = commandsIn(proxy.sent());
      const held = await readUntil(
        () => Promise.resolve(proxy.heldBytes),
        (bytes) => bytes > 0,
        10_000,
      );
      expect(held).toBeGreaterThan(0);
      // A limit whose store is slow lets calls pass, so their replies do not prove that none was asked. Once a second the
      // services publish their revisions.
      if (server === 'Redis') expect(commands.filter((name) => name !== 'publish')).toEqual([]);
    },
    60_000,
  );

  it('sees when calls do wait for PostgreSQL', async () => {
    const { site, user, proxies } = stage;
    const newKey = await site.token(user, { name: 'cold' });
    expect(failuresOf(await askRelays())).toEqual([]);
    proxies.PostgreSQL.hold();
    let isOver = false;
    const cold = askAll(stage.relays()[0] ?? '', newKey).finally(() => (isOver = true));
    expect(failuresOf(await askRelays())).toEqual([]);
    expect(isOver).toBe(false);
    proxies.PostgreSQL.release();
    expect(failuresOf(await cold)).toEqual([]);
  }, 60_000);

  it('sees when calls do ask Redis', async () => {
    const { site, proxies } = stage;
    const option = (key: string, value: string) => site.root.data('PUT', '/api/option/', { key, value });
    await option('ModelRequestRateLimitSuccessCount', '100000');
    await option('ModelRequestRateLimitEnabled', 'true');
    const counting = async (): Promise<string[]> => {
      proxies.Redis.sent();
      await askRelays();
      return commandsIn(proxies.Redis.sent());
    };
    const commands = await readUntil(counting, (names) => names.includes('evalsha'), 10_000);
    expect(commands).toContain('evalsha');
    await option('ModelRequestRateLimitEnabled', 'false');
  }, 60_000);

  it(`serves calls and the console while every reply is ${DELAY_MS} ms late, and the books balance`, async () => {
    const { site, user, cluster, proxies } = stage;
    for (const proxy of Object.values(proxies)) proxy.delay(DELAY_MS);
    const pages = ['user/self', 'token/?p=1', 'log/self?p=1', 'log/?p=1', 'user/?p=1', 'channel/?p=1', 'option/'];
    const [known, newKey, ...replies] = await Promise.all([
      askRelays(),
      site.token(user, { name: 'late', unlimited_quota: false, remain_quota: 1_000_000 }),
      site.root.call('PUT', '/api/option/', { key: 'PreConsumedQuota', value: '600' }),
      ...pages.map((page) => site.root.call('GET', `/api/${page}`)),
    ]);
    expect(failuresOf(known)).toEqual([]);
    const outcomes = replies.map(({ status, body }) => [status, body.success]);
    expect(outcomes).toEqual(replies.map(() => [200, true]));
    expect(failuresOf(await askAll(cluster.url, newKey))).toEqual([]);
    for (const proxy of Object.values(proxies)) proxy.delay(0);
    expect(await readUntil(faultsOfBooks, (faults) => faults.length === 0, SETTLED_MS)).toEqual([]);
    expect(await reconciled()).toContain('balanced');
  }, 120_000);

  async function faultsOfBooks(): Promise<string[]> {
    const books = await stage.books();
    return [...judge({ seen, books, journal: stage.upstream.journal() }).faults, ...leftovers(books)];
  }

  /** What the command prints; it fails if the books do not balance. */
  async function reconciled(): Promise<string> {
    const env = { ...process.env, ...stage.environment };
    return (await promisify(execFile)(process.execPath, [COMMAND, 'reconcile'], { env })).stdout;
  }
});
