import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { ask, type ClientDialect, isOver, MODELS, rowOf } from '../support/relay-site.js';

const PING = ': PING\n\n';
/** Longer than the ping interval of one second. */
const SILENT = 'latency=1500';

describe('a stream that waits for its first byte', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let key: string;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    const at = (fault: string): string => `${upstream.url}/~${fault}`;
    await testBed.channel({ name: 'openai', type: 1, base_url: at(SILENT), models: MODELS.openai });
    await testBed.channel({ name: 'claude', type: 14, base_url: at(SILENT), models: MODELS.anthropic });
    const failing = at(`${SILENT},status=500`);
    await testBed.channel({ name: 'failing', models: 'failing,tiers', base_url: failing, priority: 10 });
    await testBed.channel({ name: 'behind', models: 'tiers', base_url: upstream.url });
    await testBed.channel({ name: 'busy', models: 'busy', base_url: at(`${SILENT},status=429`) });
    await testBed.channel({ name: 'whole', models: 'whole', base_url: at(`${SILENT},whole`) });
    await testBed.channel({ name: 'whole claude', type: 14, models: 'whole-claude', base_url: at(`${SILENT},whole`) });
    await testBed.channel({ name: 'failing claude', type: 14, models: 'failing-claude', base_url: failing });
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    await testBed.root.data('PUT', '/api/option/', { key: 'general_setting.ping_interval_seconds', value: '1' });
    await testBed.root.data('PUT', '/api/option/', { key: 'general_setting.ping_interval_enabled', value: 'true' });
    key = await testBed.token(await testBed.user('patient', 100_000_000));
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  async function stream(dialect: ClientDialect, model: string): Promise<{ reply: Response; text: string }> {
    const reply = await ask(testBed.url, { dialect, key, isStream: true, prompt: 'words', body: { model } });
    return { reply, text: await reply.text() };
  }
  const rowFor = (reply: Response) => rowOf(testBed, reply.headers.get('x-oneapi-request-id') ?? '');

  it.each(['openai', 'anthropic'] as const)(
    'sends head and comment after one interval: %s',
    async (dialect) => {
      const { reply, text } = await stream(dialect, MODELS[dialect]);
      expect(reply.headers.get('content-type')).toContain('text/event-stream');
      expect(text.startsWith(PING)).toBe(true);
      expect(isOver(text, dialect)).toBe(true);
      expect((await rowFor(reply)).other.outcome).toBe('completed');
    },
    20_000,
  );

  it.each([
    ['openai', 'whole'],
    ['anthropic', 'whole-claude'],
  ] as const)(
    'has the answer of an upstream that does not stream: %s',
    async (dialect, model) => {
      const { reply, text } = await stream(dialect, model);
      expect(text.startsWith(PING)).toBe(true);
      expect(text).toContain('w1 w2');
      expect(isOver(text, dialect)).toBe(true);
      expect(await rowFor(reply)).toMatchObject({ type: 2, is_stream: true, completion_tokens: 10 });
    },
    20_000,
  );

  it('can still move to another channel', async () => {
    const { reply, text } = await stream('openai', 'tiers');
    expect(text.startsWith(PING)).toBe(true);
    expect(isOver(text, 'openai')).toBe(true);
    expect((await rowFor(reply)).other.admin_info.use_channel).toHaveLength(2);
  });

  it.each([
    ['openai', 'failing', 'data: {"error":'],
    ['anthropic', 'failing-claude', 'event: error\n'],
  ] as const)(
    'ends with an error event of its dialect when all channels fail, and costs nothing: %s',
    async (dialect, model, event) => {
      const { reply, text } = await stream(dialect, model);
      expect(reply.status).toBe(200);
      expect(text.startsWith(PING)).toBe(true);
      expect(text.slice(text.lastIndexOf(PING) + PING.length).startsWith(event)).toBe(true);
      expect(text).toContain('request id: ');
      expect(await rowFor(reply)).toMatchObject({ type: 5, quota: 0, other: { outcome: 'failed' } });
    },
    20_000,
  );

  it.each(['openai', 'anthropic'] as const)(
    "has blank lines alone for clients of Gemini's dialect, because Google's own take comments for JSON: %s",
    async (upstream) => {
      const url = `${testBed.url}/v1beta/models/${MODELS[upstream]}:streamGenerateContent?alt=sse`;
      const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'words [[tail=1500]]' }] }] });
      const text = await (await fetch(url, { method: 'POST', headers: { 'x-goog-api-key': key }, body })).text();
      const lines = text.split('\n');
      expect(lines.filter((line) => line !== '' && !line.startsWith('data: '))).toEqual([]);
      // One ping before the first event, and one before the last, each of which is two more blank lines.
      expect(lines.slice(0, 2)).toEqual(['', '']);
      expect(lines.filter((line) => line === '').length).toBeGreaterThan(lines.filter(Boolean).length + 4);
    },
    20_000,
  );

  it("ends in Google's error with the status that the whole reply would have had", async () => {
    const url = `${testBed.url}/v1beta/models/busy:streamGenerateContent?alt=sse`;
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
    const reply = await fetch(url, { method: 'POST', headers: { 'x-goog-api-key': key }, body });
    const event = (await reply.text()).trimStart();
    expect(JSON.parse(event.slice('data: '.length))).toMatchObject({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED' },
    });
  });

  it('runs again, without a replay, when it failed after its first comment and has an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'failed after a comment' };
    const body = { model: 'failing' };
    for (let time = 0; time < 2; time += 1) {
      const reply = await ask(testBed.url, { dialect: 'openai', key, isStream: true, prompt: 'words', body, headers });
      const text = await reply.text();
      expect([reply.headers.get('idempotency-replayed'), text.includes('data: {"error":')]).toEqual([null, true]);
      expect(text).toContain(`request id: ${reply.headers.get('x-oneapi-request-id')}`);
    }
  });

  it('does not count as a success for the model rate limit when it failed after its first comment', async () => {
    const set = (key: string, value: string) => testBed.root.data('PUT', '/api/option/', { key, value });
    await set('ModelRequestRateLimitCount', '0');
    await set('ModelRequestRateLimitSuccessCount', '1');
    await set('ModelRequestRateLimitDurationMinutes', '1');
    await set('ModelRequestRateLimitEnabled', 'true');
    try {
      for (let time = 0; time < 3; time += 1) {
        const { reply, text } = await stream('openai', 'failing');
        expect([reply.status, text.startsWith(PING)]).toEqual([200, true]);
      }
      expect((await stream('openai', MODELS.openai)).reply.status).toBe(200);
    } finally {
      await set('ModelRequestRateLimitEnabled', 'false');
    }
  }, 40_000);
});
