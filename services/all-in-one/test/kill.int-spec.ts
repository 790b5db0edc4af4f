import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  createDatabase,
  type FakeUpstream,
  Person,
  ROOT,
  setUpSite,
  type Site,
  startFakeUpstream,
  type TestDatabase,
} from '@tollgate/testing';
import { Client } from 'pg';
import { type ChildProduct, startChild } from './child-product.js';
import { ask, type ClientDialect, eventually, type LogRow, logRows, MODELS, quotaOf } from './relay-site.js';

const REQUESTS = 200;
const CREDIT = 50_000_000;
const BUDGET = 20_000_000;
/** Three words in and forty out. */
const PRICE = { openai: Math.round((3 + 40 * 4) * 1.25), anthropic: Math.round((3 + 40 * 5) * 1.5) };

/** What one client saw before everything went dark. */
interface Seen {
  dialect: ClientDialect;
  isStream: boolean;
  requestId: string;
  received: string;
  isWhole: boolean;
}

/** A small generator, so that a failure can be repeated by its seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Errand {
  url: string;
  key: string;
  random: () => number;
  onChange: () => void;
}

/** Fills `seen` as the answer arrives, and tells of every change. */
async function observe(seen: Seen, { url, key, random, onChange }: Errand): Promise<void> {
  const { dialect, isStream } = seen;
  const prompt = `three plain words [[tokens=40 latency=${Math.floor(random() * 80)} tps=${isStream ? 100 : 0}]]`;
  try {
    const reply = await ask(url, { dialect, key, isStream, prompt });
    seen.requestId = reply.headers.get('x-oneapi-request-id') ?? '';
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      seen.received += part.value;
      onChange();
    }
    seen.isWhole = true;
  } catch {
    // The connection broke with the process.
  }
}

describe('a product killed in the middle of its work', () => {
  let upstream: FakeUpstream;
  let database: TestDatabase;
  let dataDir: string;
  let product: ChildProduct;
  let site: Site;
  let owner: Person;
  let key: string;
  let sql: Client;
  const seen: Seen[] = [];

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    database = await createDatabase(
      allServices.flatMap(({ name, database: schema }) => (schema ? [{ name, ...schema }] : [])),
    );
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-kill-'));
    sql = new Client({ connectionString: database.url });
    await sql.connect();
    product = await startChild(database.url, dataDir);
    site = await setUpSite(product.url);
    await site.channel({ name: 'openai', type: 1, base_url: upstream.url, models: MODELS.openai });
    await site.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    owner = await site.user('owner', CREDIT);
    key = await site.token(owner, { name: 'budgeted', unlimited_quota: false, remain_quota: BUDGET });
  }, 180_000);
  afterAll(async () => {
    await product?.stop();
    await sql?.end();
    await upstream?.close();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  /** Starts again after a kill, with the same data, and signs in again. */
  async function restart(): Promise<void> {
    product = await startChild(database.url, dataDir);
    const root = new Person(product.url);
    await root.signIn(ROOT.username, ROOT.password);
    site = { ...site, url: product.url, root };
  }

  const query = async <Row extends object>(text: string): Promise<Row[]> => (await sql.query<Row>(text)).rows;
  const segments = (): string[] =>
    readdirSync(join(dataDir, 'spool'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.seg'));
  const bookings = (): Promise<{ id: string; amount: number; reason: string }[]> =>
    query(`select "id", "amount"::int as "amount", "reason" from "billing"."posting" where "code" = 'consumption'`);

  /** Everything the clients got is in the rows; rows and bookings stop changing. */
  async function settledRows(): Promise<LogRow[]> {
    const needed = seen.filter(({ received }) => received !== '').length;
    let before = -1;
    return eventually(
      async () => {
        await pause(300);
        return logRows(site);
      },
      (rows) => {
        const isStill = rows.length === before && rows.length >= needed;
        before = rows.length;
        return isStill;
      },
      20_000,
    );
  }

  function expectBill({ dialect, isStream, isWhole, received, requestId }: Seen, rows: readonly LogRow[]): void {
    const own = rows.filter(({ other }) => other.request_id === requestId);
    const [row] = own;
    if (received === '') return expect(own.length).toBeLessThanOrEqual(1);
    expect(own).toHaveLength(1);
    if (isWhole) {
      expect([row?.type, row?.other.outcome, row?.quota, row?.is_stream]).toEqual([
        2,
        'completed',
        PRICE[dialect],
        isStream,
      ]);
      return;
    }
    expect(row?.type).toBe(2);
    expect(['interrupted', 'completed']).toContain(row?.other.outcome);
    expect(row?.quota).toBeGreaterThan(0);
    // What the last look at the stream knew, and never more than the upstream would have charged in the end.
    expect(row?.quota).toBeLessThanOrEqual(1.5 * PRICE[dialect]);
  }

  it.each([1, 2, 3])(
    'bills what the clients got, once, and nothing else (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const killAfter = Math.floor(20 + random() * 120);
      const mine: Seen[] = [];
      const running = new Set<Seen>();
      let killed: Promise<void> | undefined;
      const flowing = (): number => [...running].filter(({ isStream, received }) => isStream && received !== '').length;
      const killInTime = (): void => {
        if (mine.length - running.size >= killAfter && flowing() >= 3) killed ??= product.kill();
      };
      const worker = async (): Promise<void> => {
        while (mine.length < REQUESTS && !killed) {
          const dialect = random() < 0.5 ? 'openai' : 'anthropic';
          const one: Seen = { dialect, isStream: random() < 0.6, requestId: '', received: '', isWhole: false };
          mine.push(one);
          running.add(one);
          await observe(one, { url: product.url, key, random, onChange: killInTime });
          running.delete(one);
          killInTime();
        }
      };
      await Promise.all(Array.from({ length: 40 }, worker));
      await killed;
      expect(killed).toBeDefined();
      seen.push(...mine);
      const streamsBroken = mine.filter(({ received, isWhole }) => received !== '' && !isWhole);
      expect(streamsBroken.length).toBeGreaterThan(0);

      await restart();
      const rows = await settledRows();
      for (const one of mine) expectBill(one, rows);
      const interrupted = rows.filter(({ other }) => other.outcome === 'interrupted');
      expect(interrupted.length).toBeGreaterThan(0);
      expect(new Set(rows.map(({ other }) => other.request_id)).size).toBe(rows.length);
    },
    90_000,
  );

  it('agrees with itself: upstream, rows, postings, wallet and token', async () => {
    const rows = await settledRows();
    const charged = rows.reduce((sum, { quota }) => sum + quota, 0);
    const posted = await bookings();
    expect(posted.reduce((sum, { amount }) => sum + amount, 0)).toBe(charged);
    expect(posted.map(({ id }) => id).sort()).toEqual(rows.map(({ other }) => other.request_id).sort());
    expect(await quotaOf(site, owner.id)).toBe(CREDIT - charged);
    const [token] = await query<{ spent: number }>(
      `select "spent"::int as "spent" from "billing"."token" where "name" = 'budgeted'`,
    );
    expect(token?.spent).toBe(charged);
    const served = upstream.journal().filter(({ status }) => status === 200);
    expect(rows.length).toBeLessThanOrEqual(served.length);
    expect(rows.filter(({ other }) => other.outcome === 'completed').length).toBeGreaterThanOrEqual(
      seen.filter(({ isWhole }) => isWhole).length,
    );
  }, 60_000);

  it('gets back what the dead had leased', async () => {
    const [replicas] = await query<{ count: number }>(`select count(*)::int as "count" from "billing"."replica"`);
    expect(replicas?.count).toBeGreaterThan(0);
    const held = await eventually(
      () =>
        query<{ held: number }>(`select "held"::int as "held" from "billing"."account" where "user_id" = ${owner.id}`),
      ([account]) => account?.held === 0,
      30_000,
    );
    expect(held).toEqual([{ held: 0 }]);
  }, 60_000);

  it('leaves an empty spool behind when it is stopped', async () => {
    expect(await product.stop()).toBe(0);
    expect(segments()).toEqual([]);
  }, 60_000);
});
