import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { ratingFault } from '@tollgate/billing';
import { Logger } from '@tollgate/chassis';
import { requestConsumed } from '@tollgate/contracts';
import { reconcile } from '@tollgate/operations';
import {
  type FakeUpstream,
  type Person,
  readUntil,
  type RealtimeUpstream,
  startFakeUpstream,
  startRealtimeUpstream,
} from '@tollgate/testing';
import { Client } from 'pg';
import { type Books, readBooks } from '../support/books.js';
import { LoneProduct } from '../support/lone-product.js';
import { logRows, MODELS, quotaOf } from '../support/relay-site.js';
import { RealtimeClient } from '../support/realtime-client.js';
import { judge, leftovers } from '../support/verdict.js';
import { KINDS, nothingSeen, observe, randomFrom, type Seen } from '../support/witness.js';

const REQUESTS = 200;
const CREDIT = 50_000_000;
const BUDGET = 20_000_000;
const TOKEN = 'budgeted';
const REALTIME = 'gpt-4o-realtime-preview';
const SPOKEN = ['chat', 'chat stream', 'messages', 'messages stream'] as const;

describe('a product that is killed under load', () => {
  let upstream: FakeUpstream;
  let realtime: RealtimeUpstream;
  let speaker: Person;
  let own: string;
  let product: LoneProduct;
  let owner: Person;
  let key: string;
  const seen: Seen[] = [];

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    product = await LoneProduct.open();
    const { site } = product;
    await site.channel({ name: 'openai', type: 1, base_url: upstream.url, models: MODELS.openai });
    await site.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    realtime = await startRealtimeUpstream();
    await site.channel({ name: 'realtime', base_url: realtime.url, models: REALTIME });
    speaker = await site.user('speaker', CREDIT);
    own = await site.token(speaker);
    owner = await site.user('owner', CREDIT);
    key = await site.token(owner, { name: TOKEN, unlimited_quota: false, remain_quota: BUDGET });
  }, 180_000);
  afterAll(async () => {
    await product?.close();
    await upstream?.close();
    await realtime?.close();
  }, 60_000);

  const segments = (): string[] =>
    readdirSync(join(product.dataDir, 'spool'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.seg'));
  const books = (): Promise<Books> => readBooks(product.database.url, owner.id);

  /** Ids of requests that are in the event log more than once. */
  async function repeatedEvents(): Promise<string[]> {
    const client = new Client({ connectionString: product.database.url });
    await client.connect();
    const { rows } = await client.query<{ id: string }>(
      `select "value"::json->>'id' as "id" from "event_log"."record" where "topic" = $1 group by 1 having count(*) > 1`,
      [requestConsumed.name],
    );
    await client.end();
    return rows.map(({ id }) => id);
  }

  /** What is wrong after pending records have arrived. */
  async function faultsAtRest(): Promise<string[]> {
    const look = async (): Promise<string[]> =>
      judge({ seen, books: await books(), journal: upstream.journal() }).faults;
    return readUntil(look, ({ length }) => length === 0, 20_000);
  }

  it.each([1, 2, 3])(
    'bills exactly what the clients received, once (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const killAfter = Math.floor(20 + random() * 120);
      const mine: Seen[] = [];
      const running = new Set<Seen>();
      let killed: Promise<void> | undefined;
      const flowing = (): number =>
        [...running].filter(({ kind, received }) => KINDS[kind].isStream && received !== '').length;
      const killInTime = (): void => {
        if (mine.length - running.size >= killAfter && flowing() >= 3) killed ??= product.kill();
      };
      const worker = async (): Promise<void> => {
        while (mine.length < REQUESTS && !killed) {
          const kind = SPOKEN[Math.floor(random() * SPOKEN.length)] ?? 'chat';
          const latencyMs = Math.floor(random() * 80);
          const one = nothingSeen({ kind, mark: `m${seed}x${mine.length}`, latencyMs, wordsPerSecond: 100 });
          mine.push(one);
          running.add(one);
          await observe(one, { url: product.url, key, onChange: killInTime });
          running.delete(one);
          killInTime();
        }
      };
      // At least this request is booked when the process dies; its record is in the same segment as the others.
      const first = nothingSeen({ kind: 'chat', mark: `m${seed}x0`, latencyMs: 0, wordsPerSecond: 100 });
      mine.push(first);
      await observe(first, { url: product.url, key, onChange: () => undefined });
      const isBooked = async (): Promise<boolean> => (await books()).bookings.some(({ id }) => id === first.requestId);
      expect(await readUntil(isBooked, Boolean, 20_000)).toBe(true);
      await Promise.all(Array.from({ length: 40 }, worker));
      await killed;
      expect(killed).toBeDefined();
      const bookedThen = new Set((await books()).bookings.map(({ id }) => id));
      // Earlier kills may have repeated records that were not booked then, and are now.
      const repeatedThen = new Set(await repeatedEvents());
      seen.push(...mine);
      const streamsBroken = mine.filter(({ received, isWhole }) => received !== '' && !isWhole);
      expect(streamsBroken.length).toBeGreaterThan(0);

      await product.restart();
      expect(await faultsAtRest()).toEqual([]);
      const { bookings } = await books();
      const broken = new Set(streamsBroken.map(({ requestId }) => requestId));
      const theirs = bookings.filter(({ id }) => broken.has(id));
      expect(theirs).toHaveLength(broken.size);
      expect(theirs.map(({ outcome }) => outcome)).toContain('interrupted');
      // The segment of the dead process contained all of them; only the records that are not booked may be sent again.
      expect(bookedThen).toContain(first.requestId);
      const repeated = (await repeatedEvents()).filter((id) => !repeatedThen.has(id));
      expect(repeated.filter((id) => bookedThen.has(id))).toEqual([]);
    },
    90_000,
  );

  it('shows the owner of the wallet the sums of the journal', async () => {
    const { bookings, wallet } = await books();
    const charged = bookings.reduce((sum, { amount }) => sum + amount, 0);
    expect(wallet.spent).toBe(charged);
    expect(await quotaOf(product.site, owner.id)).toBe(CREDIT - charged);
    expect(
      (await logRows(product.site))
        .filter(({ user_id }) => user_id === owner.id)
        .map(({ other }) => other.request_id)
        .sort(),
    ).toEqual(bookings.map(({ id }) => id).sort());
  }, 60_000);

  it('releases the leases of the killed process', async () => {
    const rest = await readUntil(
      async () => leftovers(await books()),
      ({ length }) => length === 0,
      30_000,
    );
    expect(rest).toEqual([]);
  }, 60_000);

  it('charges the replies of a killed realtime session, and a repeated call once', async () => {
    const client = RealtimeClient.open(product.url, own, REALTIME);
    await client.ask();
    const repeated = (): Promise<Response> =>
      fetch(`${product.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json', 'idempotency-key': 'killed' },
        body: JSON.stringify({
          ...{ model: MODELS.openai, stream: true },
          messages: [{ role: 'user', content: 'hello [[tokens=40 tps=40]]' }],
        }),
      });
    const cut = await repeated();
    const id = cut.headers.get('x-oneapi-request-id');
    await cut.body?.getReader().read();
    await product.kill();
    await client.end();

    await product.restart();
    const again = await repeated();
    const text = await again.text();
    expect([again.status, text.trimEnd().endsWith('[DONE]')]).toEqual([200, true]);
    const madeUp = again.headers.get('x-oneapi-request-id');
    const replayed = await repeated();
    const told = ['idempotency-replayed', 'x-oneapi-request-id'].map((name) => replayed.headers.get(name));
    expect(told).toEqual(['true', madeUp]);
    const mine = await readUntil(
      async () => (await logRows(product.site)).filter(({ user_id }) => user_id === speaker.id),
      ({ length }) => length >= 3,
      20_000,
    );
    expect(mine).toHaveLength(3);
    const rowOf = (requestId: string | null) => mine.find(({ other }) => other.request_id === requestId);
    expect(rowOf(id)?.other.outcome).toBe('interrupted');
    // The reply that makes up for it is another request, which is free.
    expect(rowOf(madeUp)).toMatchObject({
      ...{ quota: 0, completion_tokens: 40 },
      other: { outcome: 'completed', repeats: id, group_ratio: 0 },
    });
    expect(rowOf(id)?.quota).toBeGreaterThan(0);
    expect(await repeatedEvents()).not.toContain(id);
    const session = mine.find(({ model_name }) => model_name === REALTIME);
    // The price of one reply, see `realtime.int-spec.ts`.
    expect([session?.quota, session?.other.outcome]).toEqual([2126, 'interrupted']);
    const spent = mine.reduce((sum, { quota }) => sum + quota, 0);
    expect(
      await readUntil(
        () => quotaOf(product.site, speaker.id),
        (quota) => quota === CREDIT - spent,
      ),
    ).toBe(CREDIT - spent);
    // The quota that the second run leased is returned completely.
    const rest = await readUntil(
      async () => leftovers(await readBooks(product.database.url, speaker.id)),
      ({ length }) => length === 0,
      30_000,
    );
    expect(rest).toEqual([]);
    const { faults } = await reconcile({
      ...{ services: allServices, url: product.database.url, log: Logger.root('silent'), rate: ratingFault },
      period: { from: 0, to: Date.now() },
    });
    expect(faults).toEqual([]);
  }, 240_000);

  it('has an empty spool after a clean stop', async () => {
    expect(await product.stop()).toBe(0);
    expect(segments()).toEqual([]);
  }, 60_000);
});
