import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  createDatabase,
  type HostileEndpoint,
  type HostileUpstream,
  type Person,
  readUntil,
  type Scenario,
  scenarios,
  setUpSite,
  type Site,
  startHostileUpstream,
  words,
} from '@tollgate/testing';
import { type Books, readBooks } from '../support/books.js';
import { startChild } from '../support/child-product.js';
import { startCluster } from '../cluster/cluster.js';
import { quotaOf } from '../support/relay-site.js';
import { disagreements, leftovers } from '../support/verdict.js';

/** The environment of attacks: a product in separate processes, an honest user, and a hostile upstream. */
export interface Arena {
  site: Site;
  hostile: HostileUpstream;
  databaseUrl: string;
  /** The pids of all service processes. */
  pids(): number[];
  /** Number of processes that read bodies, each with limits of its own. */
  readers: number;
  /** Creates a channel for a separate model, and a user with a wallet and a key. */
  stage(scenario: Scenario, setting?: StageSetting): Promise<Scene>;
  /** Checks that an honest user is still served and charged correctly. */
  expectService(): Promise<void>;
  /** Checks that the books of every user of a stage agree, and that nothing is held any more. */
  expectTrueBooks(): Promise<void>;
  close(): Promise<void>;
}

interface StageSetting {
  quota?: number;
  /** Type of the channel; 1 is OpenAI, 14 Anthropic. */
  type?: number;
  channel?: Record<string, unknown>;
}

export interface Scene {
  model: string;
  endpoint: HostileEndpoint;
  user: Person;
  key: string;
  quota: number;
  channelId: number;
}

/** In units, at ratio 1 and completion ratio 4; at least one unit for any usage. */
export const priceOf = (promptTokens: number, completionTokens: number): number =>
  Math.max(1, promptTokens + 4 * completionTokens);

export const RICH = 1_000_000_000;
/** One model for each stage of all attacks that share an arena. */
const MODELS = 120;
const HONEST = 'honest';
const HONEST_WORDS = 10;
const modelName = (index: number): string => `attack-${index}`;

interface Ground {
  url: string;
  databaseUrl: string;
  pids(): number[];
  readers: number;
  close(): Promise<void>;
}

/** The whole product as one process. */
export async function embedded(): Promise<Ground> {
  const database = await createDatabase(
    allServices.flatMap(({ name, database: schema }) => (schema ? [{ name, ...schema }] : [])),
  );
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-attacks-'));
  const product = await startChild(database.url, dataDir);
  return {
    url: product.url,
    databaseUrl: database.url,
    pids: () => [product.pid],
    readers: 1,
    async close() {
      // Whatever the attack was, the product must shut down cleanly.
      expect(await product.stop()).toBe(0);
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The same services as separate processes on PostgreSQL, Redis and Kafka. */
export async function distributed(): Promise<Ground> {
  const cluster = await startCluster();
  return {
    url: cluster.url,
    databaseUrl: cluster.databaseUrl,
    pids: () => cluster.run().processes.flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
    readers: cluster.run().processes.filter(({ service }) => service === 'relay').length,
    async close() {
      const code = await cluster.stop();
      await cluster.close();
      expect(code).toBe(0);
    },
  };
}

async function setPrices({ root }: Site): Promise<void> {
  const models = [HONEST, ...Array.from({ length: MODELS }, (_, index) => modelName(index + 1))];
  const all = (value: number): string => JSON.stringify(Object.fromEntries(models.map((model) => [model, value])));
  await root.data('PUT', '/api/option/', { key: 'ModelRatio', value: all(1) });
  await root.data('PUT', '/api/option/', { key: 'CompletionRatio', value: all(4) });
}

const messages = [{ role: 'user', content: 'three plain words' }];

/** Begins a conversation. `body` replaces single fields, or the whole body if it is text or bytes. */
export function chat(
  arena: Arena,
  { key, model }: Pick<Scene, 'key' | 'model'>,
  body: Record<string, unknown> | string | Buffer = {},
  init: { path?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  return fetch(`${arena.site.url}${init.path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
    body: isRaw ? (body as string) : JSON.stringify({ model, messages, ...body }),
    signal: init.signal ?? AbortSignal.timeout(60_000),
  });
}

/** Reads a stream until `text` arrives, then disconnects. */
export async function leaveAt(arena: Arena, scene: Scene, text: string): Promise<void> {
  const leaving = new AbortController();
  const reply = await chat(arena, scene, { stream: true }, { signal: leaving.signal });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let got = ''; !got.includes(text);) {
    const part = await reader?.read();
    if (!part || part.done) throw new Error(`the stream ended without ${text}: ${got.slice(-200)}`);
    got += part.value;
  }
  leaving.abort();
}

/** Opens the arena; on a failure everything started so far is stopped. */
export async function openArena(open: () => Promise<Ground>): Promise<Arena> {
  const ground = await open();
  const hostile = await startHostileUpstream();
  try {
    return await fill(ground, hostile);
  } catch (error) {
    await hostile.close();
    await ground.close();
    throw error;
  }
}

async function fill(ground: Ground, hostile: HostileUpstream): Promise<Arena> {
  const site = await setUpSite(ground.url);
  await setPrices(site);
  const people: Person[] = [];
  let staged = 0;
  const make = async (model: string, scenario: Scenario, setting: StageSetting): Promise<Scene> => {
    const { quota = RICH, type = 1, channel } = setting;
    const endpoint = hostile.endpoint(scenario);
    const channelId = await site.channel({ name: model, type, base_url: endpoint.url, models: model, ...channel });
    const user = await site.user(model, quota);
    people.push(user);
    return { model, endpoint, user, key: await site.token(user), quota, channelId };
  };
  const honest = await make(HONEST, scenarios.claim(3, HONEST_WORDS, words(HONEST_WORDS)), {});
  let calls = 0;
  const arena: Arena = {
    site,
    hostile,
    databaseUrl: ground.databaseUrl,
    pids: ground.pids,
    readers: ground.readers,
    stage: (scenario, setting = {}) => make(modelName((staged += 1)), scenario, setting),
    async expectService() {
      const reply = await chat(arena, honest);
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining(`w${HONEST_WORDS}`)]);
      calls += 1;
      await expectBalance(arena, honest, RICH - calls * priceOf(3, HONEST_WORDS));
    },
    async expectTrueBooks() {
      for (const { id } of people) expect(await faultsAtRest(ground.databaseUrl, id)).toEqual([]);
    },
    async close() {
      await ground.close();
      await hostile.close();
    },
  };
  await untilPriced(arena, honest);
  calls = honest.endpoint.seen().length;
  return arena;
}

/** Waits until every relay has the prices: calls in a row are then served. */
async function untilPriced(arena: Arena, honest: Scene): Promise<void> {
  let inRow = 0;
  await readUntil(
    async () => {
      const { status } = await chat(arena, honest).then(async (reply) => (await reply.text(), reply));
      return (inRow = status === 200 ? inRow + 1 : 0);
    },
    (count) => count >= 6,
    20_000,
  );
  expect(inRow).toBeGreaterThanOrEqual(6);
}

/** Idle quota is returned to billing after five seconds. */
const REST_MS = 20_000;

async function faultsAtRest(databaseUrl: string, userId: number): Promise<string[]> {
  const look = async (): Promise<string[]> => {
    const books: Books = await readBooks(databaseUrl, userId);
    // Channels are shared by several users here, so their sums cannot be compared with one user's bookings.
    const sums = { ...books.sums, channels: books.bookings.reduce((total, { amount }) => total + amount, 0) };
    return [...disagreements({ ...books, sums }), ...leftovers(books)];
  };
  return (await readUntil(look, ({ length }) => length === 0, REST_MS)).map((fault) => `user ${userId}: ${fault}`);
}

/** Waits until the balance is exactly `quota`; a late booking is no error. */
export async function expectBalance(arena: Arena, { user }: Pick<Scene, 'user'>, quota: number): Promise<void> {
  const found = await readUntil(
    () => quotaOf(arena.site, user.id),
    (now) => now === quota,
    15_000,
  );
  expect(found).toBe(quota);
}

/** The bookings of the scene's user, once there are `count`. */
export async function bookingsOf(
  arena: Arena,
  { user }: Pick<Scene, 'user'>,
  count: number,
): Promise<Books['bookings']> {
  const { bookings } = await readUntil(
    () => readBooks(arena.databaseUrl, user.id),
    (books) => books.bookings.length >= count,
    15_000,
  );
  expect(bookings).toHaveLength(count);
  return bookings;
}

const MB = 1024 * 1024;

/** Linux records the peak memory of a process and can reset it. */
export const canMeasure = process.platform === 'linux';

/** The peak growth of all processes together during `work`, in MiB. */
export async function peakOf(arena: Arena, work: () => Promise<void>): Promise<number> {
  const read = (name: string): number =>
    arena
      .pids()
      .map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'))
      .reduce((sum, status) => sum + Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024, 0);
  for (const pid of arena.pids()) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = read('VmRSS');
  await work();
  return (read('VmHWM') - before) / MB;
}
