import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, readUntil, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';

describe('a wallet under load', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;

  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 10, latencyMs: 30 } });
    testBed = await startTestBed(allServices);
    await testBed.channel({ name: 'openai', base_url: upstream.url, models: 'gpt-4o' });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  const chat = (key: string, body: Record<string, unknown> = {}): Promise<Response> =>
    fetch(`${testBed.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o',
        max_tokens: 10,
        messages: [{ role: 'user', content: 'ten words please' }],
        ...body,
      }),
    });

  const quotaOf = async (id: number): Promise<number> =>
    (await testBed.root.data<{ quota: number }>('GET', `/api/user/${id}`)).quota;

  const settled = (id: number, holds: (quota: number) => boolean): Promise<number> =>
    readUntil(() => quotaOf(id), holds);

  async function priceOfOneCall(): Promise<number> {
    const probe = await testBed.user('probe', 1_000_000);
    const reply = await chat(await testBed.token(probe));
    expect(reply.status).toBe(200);
    return 1_000_000 - (await settled(probe.id, (quota) => quota < 1_000_000));
  }

  it('worth 50 calls serves 50 of 200 simultaneous calls and ends at zero', async () => {
    const price = await priceOfOneCall();
    const user = await testBed.user('fifty', 50 * price);
    const key = await testBed.token(user);
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => chat(key).then(async (reply) => [reply.status, await reply.text()] as const)),
    );
    expect(replies.filter(([status]) => status === 200)).toHaveLength(50);
    const refused = replies.filter(([status]) => status !== 200);
    expect(new Set(refused.map(([status]) => status))).toEqual(new Set([403]));
    expect(
      refused.every(
        ([, text]) => (JSON.parse(text) as { error: { code: string } }).error.code === 'insufficient_user_quota',
      ),
    ).toBe(true);
    expect(await settled(user.id, (quota) => quota === 0)).toBe(0);
  }, 60_000);

  it('serves 20 calls of a token with a budget for 20, although the wallet has more', async () => {
    const user = await testBed.user('budgeted', 100_000_000);
    const probe = await chat(await testBed.token(user));
    expect(probe.status).toBe(200);
    const price = 100_000_000 - (await settled(user.id, (quota) => quota < 100_000_000));
    const key = await testBed.token(user, { unlimited_quota: false, remain_quota: 20 * price });
    const statuses = await Promise.all(Array.from({ length: 80 }, () => chat(key).then((reply) => reply.status)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  }, 60_000);

  it('refuses a call above the balance with the documented text, before the upstream call', async () => {
    const user = await testBed.user('poor', 10);
    const key = await testBed.token(user);
    const served = upstream.served();
    const reply = await chat(key, { max_tokens: 100_000 });
    expect([reply.status, await reply.json()]).toMatchObject([
      403,
      { error: { code: 'insufficient_user_quota', type: 'new_api_error' } },
    ]);
    expect(upstream.served()).toBe(served);
    expect(await quotaOf(user.id)).toBe(10);
  });
});
