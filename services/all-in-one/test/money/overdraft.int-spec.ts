import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  type Person,
  readUntil,
  type TestBed,
  startFakeUpstream,
  startTestBed,
} from '@tollgate/testing';
import { ask as askIn, quotaOf, read, rowOf } from '../support/relay-site.js';

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
}

const PATHS = { chat: '/v1/chat/completions', completions: '/v1/completions', messages: '/v1/messages' } as const;
const CHAT = { model: 'gpt-4o', messages: [{ role: 'user', content: 'ten words please' }] };
/** Cost in units at the default ratios of the model. */
const costOf = ({ prompt_tokens: prompt, completion_tokens: completion }: Usage): number =>
  Math.max(1, Math.round((prompt + completion * 4) * 1.25));

describe('a wallet at its end', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    await testBed.channel({ name: 'openai', base_url: upstream.url, models: 'gpt-4o,o3-mini,gpt-3.5-turbo-instruct' });
    await testBed.channel({ name: 'claude', type: 14, base_url: upstream.url, models: 'claude-3-7-sonnet-20250219' });
  }, 120_000);
  afterEach(() => upstream.reset());
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  const ask = (key: string, body: object, path: keyof typeof PATHS = 'chat'): Promise<Response> =>
    fetch(testBed.url + PATHS[path], {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  async function storm(key: string, calls: number, body: object): Promise<Usage[]> {
    const replies = await Promise.all(
      Array.from({ length: calls }, async () => {
        const reply = await ask(key, body);
        return { status: reply.status, body: (await reply.json()) as { usage: Usage; error?: { code: string } } };
      }),
    );
    const refused = replies.filter(({ status }) => status !== 200);
    expect(
      refused.filter(({ status, body: { error } }) => status !== 403 || error?.code !== 'insufficient_user_quota'),
    ).toEqual([]);
    return replies.filter(({ status }) => status === 200).map((reply) => reply.body.usage);
  }

  /** The balance after everything is booked. */
  async function balanceAfter({ id }: Person, start: number, served: readonly Usage[]): Promise<number> {
    const spent = served.reduce((sum, usage) => sum + costOf(usage), 0);
    return readUntil(
      () => quotaOf(testBed, id),
      (quota) => quota === start - spent,
    );
  }

  it('is not overdrawn by 60 simultaneous calls without a token limit and with long replies', async () => {
    upstream.control({ tokens: 16_000, latencyMs: 200 });
    const user = await testBed.user('sixty', 50_000);
    const served = await storm(await testBed.token(user), 60, CHAT);
    const balance = await balanceAfter(user, 50_000, served);
    expect(served.length).toBeGreaterThan(10);
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(balance).toBe(50_000 - served.reduce((sum, usage) => sum + costOf(usage), 0));
  }, 60_000);

  it('is not overdrawn by one completion of 500 prompts', async () => {
    upstream.control({ tokens: 256 });
    const user = await testBed.user('prompts', 20_000);
    const key = await testBed.token(user);
    const body = { model: 'gpt-3.5-turbo-instruct', prompt: Array.from({ length: 500 }, () => 'one') };
    expect((await ask(key, { ...body, max_tokens: 256 }, 'completions')).status).toBe(403);
    const limited = await ask(key, body, 'completions');
    expect(limited.status).toBe(200);
    const { usage } = (await limited.json()) as { usage: Usage };
    expect(usage.completion_tokens).toBeGreaterThanOrEqual(500);
    expect(
      await readUntil(
        () => quotaOf(testBed, user.id),
        (quota) => quota < 20_000,
      ),
    ).toBeGreaterThanOrEqual(0);
  });

  it('is not overdrawn by several choices', async () => {
    upstream.control({ tokens: 100 });
    const user = await testBed.user('choices', 20_000);
    const key = await testBed.token(user);
    expect((await ask(key, { ...CHAT, n: 50, max_tokens: 100 })).status).toBe(403);
    const body = { model: 'gpt-3.5-turbo-instruct', prompt: 'one', best_of: 500, max_tokens: 100 };
    expect((await ask(key, body, 'completions')).status).toBe(403);
    expect(await quotaOf(testBed, user.id)).toBe(20_000);
  });

  it('is not overdrawn when the upstream respects the limit but states no usage, and our count differs', async () => {
    upstream.control({ tokens: 10 });
    const user = await testBed.user('unstated', 3500);
    const content = 'hi [[tokens=5000 usage=absent]]';
    const reply = await ask(await testBed.token(user), { ...CHAT, messages: [{ role: 'user', content }] });
    expect(reply.status).toBe(200);
    await reply.text();
    const balance = await readUntil(
      () => quotaOf(testBed, user.id),
      (quota) => quota < 3500,
    );
    expect(balance).toBeGreaterThanOrEqual(0);
  });

  it('is not overdrawn when the channel overrides limit and number of choices', async () => {
    upstream.control({ tokens: 4000 });
    const paramOverride = JSON.stringify({ max_tokens: 4000, n: 3 });
    await testBed.channel({
      name: 'generous',
      base_url: upstream.url,
      models: 'gpt-4o-mini',
      param_override: paramOverride,
    });
    const [poor, rich] = await Promise.all([testBed.user('over poor', 1000), testBed.user('over rich', 1_000_000)]);
    const body = { ...CHAT, model: 'gpt-4o-mini', max_tokens: 10 };
    expect((await ask(await testBed.token(poor), body)).status).toBe(403);
    expect((await ask(await testBed.token(rich), body)).status).toBe(200);
    expect(upstream.journal().at(-1)?.body).toMatchObject({ max_tokens: 4000, n: 3 });
    expect(await quotaOf(testBed, poor.id)).toBe(1000);
  });

  it('worth 50 calls serves 50 of 200 calls without a token limit from a slow upstream', async () => {
    upstream.control({ tokens: 10, latencyMs: 1000 });
    const price = costOf({ prompt_tokens: 3, completion_tokens: 10 });
    const user = await testBed.user('slow fifty', 50 * price);
    const served = await storm(await testBed.token(user), 200, CHAT);
    expect(served).toHaveLength(50);
    expect(await balanceAfter(user, 50 * price, served)).toBe(0);
  }, 120_000);

  it('limits the tokens of the upstream request in the field of the model, unless the balance is large', async () => {
    upstream.control({ tokens: 5 });
    const [rich, poor] = await Promise.all([testBed.user('rich', 100_000_000), testBed.user('poor', 20_000)]);
    const [richKey, poorKey] = await Promise.all([testBed.token(rich), testBed.token(poor)]);
    const sent = async (key: string, body: object, path?: keyof typeof PATHS): Promise<Record<string, unknown>> => {
      expect((await ask(key, body, path)).status).toBe(200);
      return upstream.journal().at(-1)?.body ?? {};
    };
    expect(await sent(richKey, CHAT)).toEqual(CHAT);
    // 20 000 units, minus the prompt's bytes at the price of a cache write, at 5 units per token.
    expect((await sent(poorKey, CHAT)).max_tokens).toBeLessThanOrEqual(4000);
    const reasoning = await sent(poorKey, { ...CHAT, model: 'o3-mini' });
    expect(reasoning).toMatchObject({ max_completion_tokens: expect.any(Number) });
    expect(reasoning).not.toHaveProperty('max_tokens');
    const claude = { ...CHAT, model: 'claude-3-7-sonnet-20250219' };
    expect((await sent(poorKey, claude)).max_tokens).toBeLessThan(8192);
    expect((await sent(poorKey, { ...claude, max_tokens: 50 }, 'messages')).max_tokens).toBe(50);
  });

  it('pays for a photo as an image, not for its bytes as text', async () => {
    upstream.control({ tokens: 5 });
    const user = await testBed.user('photo', 30_000);
    const key = await testBed.token(user);
    const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
    const content = [
      { type: 'text', text: 'what is this' },
      { type: 'image_url', image_url: { url } },
    ];
    expect((await ask(key, { ...CHAT, max_tokens: 10, messages: [{ role: 'user', content }] })).status).toBe(200);
    const asText = [{ role: 'user', content: url }];
    expect((await ask(key, { ...CHAT, max_tokens: 10, messages: asText })).status).toBe(403);
  });

  it('serves again at once after a debt was paid', async () => {
    upstream.control({ tokens: 40_000, unlimited: true });
    const user = await testBed.user('debtor', 50_000);
    const key = await testBed.token(user);
    expect((await ask(key, { ...CHAT, max_tokens: 100 })).status).toBe(200);
    const debt = await readUntil(
      () => quotaOf(testBed, user.id),
      (quota) => quota < 0,
    );
    expect(debt).toBeLessThan(-100_000);
    upstream.control({ tokens: 5 });
    await testBed.root.data('PUT', '/api/user/', { id: user.id, username: 'debtor', group: 'default', quota: 60_000 });
    expect((await ask(key, { ...CHAT, max_tokens: 100 })).status).toBe(200);
    const price = costOf({ prompt_tokens: 3, completion_tokens: 5 });
    expect(
      await readUntil(
        () => quotaOf(testBed, user.id),
        (quota) => quota === 60_000 - price,
      ),
    ).toBe(60_000 - price);
  });

  it.each(['openai', 'anthropic'] as const)(
    'ends an %s stream that exceeds its limit when the quota is used up, and books what was delivered',
    async (dialect) => {
      upstream.control({ tokens: 100_000, unlimited: true });
      const user = await testBed.user(`end ${dialect.slice(0, 6)}`, 20_000);
      const reply = await askIn(testBed.url, {
        dialect,
        key: await testBed.token(user),
        prompt: 'go on',
        isStream: true,
      });
      const answer = await read(reply, dialect);
      expect(answer).toMatchObject({ status: 200, end: 'error' });
      const row = await rowOf(testBed, answer.requestId);
      expect(row.other).toMatchObject({ outcome: 'quota_exhausted', error_code: 'insufficient_user_quota' });
      const balance = await readUntil(
        () => quotaOf(testBed, user.id),
        (quota) => quota < 20_000,
      );
      // The client's limit is 100 tokens, whose price is the tolerance, and a few events arrive before the cut.
      expect(balance).toBeGreaterThan(-(100 + 500) * 7.5);
      expect(balance).toBe(20_000 - row.quota);
    },
    30_000,
  );
});
