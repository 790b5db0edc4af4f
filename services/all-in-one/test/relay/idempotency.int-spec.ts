import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  type Person,
  readUntil,
  type SpeechUpstream,
  type TestBed,
  startFakeUpstream,
  startSpeechUpstream,
  startTestBed,
} from '@tollgate/testing';
import { type Ask, ask, logRows, quotaOf } from '../support/relay-site.js';

describe('calls with an Idempotency-Key', () => {
  let upstream: FakeUpstream;
  let speech: SpeechUpstream;
  let testBed: TestBed;
  let person: Person;
  let key: string;
  let turn = 0;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    speech = await startSpeechUpstream();
    testBed = await startTestBed(allServices);
    await testBed.channel({ models: 'gpt-4o', base_url: upstream.url });
    await testBed.channel({ name: 'claude', type: 14, models: 'claude-3-7-sonnet-20250219', base_url: upstream.url });
    await testBed.channel({ name: 'speech', models: 'whisper-1', base_url: speech.url });
    person = await testBed.user('twice', 100_000_000);
    key = await testBed.token(person);
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
    await speech?.close();
  });
  beforeEach(() => {
    turn += 1;
    upstream.reset();
  });

  const call = (details: Partial<Ask> & { idempotent?: string } = {}): Promise<Response> =>
    ask(testBed.url, {
      dialect: 'openai',
      key,
      prompt: `hello ${turn}`,
      ...details,
      headers: { 'idempotency-key': details.idempotent ?? `key-${turn}`, ...details.headers },
    });
  const told = async (response: Response) => ({
    status: response.status,
    id: response.headers.get('x-oneapi-request-id'),
    replayed: response.headers.get('idempotency-replayed'),
    type: response.headers.get('content-type'),
    text: await response.text(),
  });
  const rowsOf = (id: string | null) =>
    readUntil(
      async () => (await logRows(testBed)).filter(({ other }) => other.request_id === id),
      ({ length }) => length > 0,
    );
  const errorOf = async (response: Response) => {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, response.headers.get('retry-after')];
  };

  it.each([
    ['a whole chat', { dialect: 'openai', isStream: false }],
    ['a stream', { dialect: 'openai', isStream: true }],
    ['a whole message', { dialect: 'anthropic', isStream: false }],
    ['a stream of messages', { dialect: 'anthropic', isStream: true }],
  ] as const)('replays the reply to %s, and charges it once', async (_, details) => {
    const first = await told(await call(details));
    const before = upstream.served();
    const again = await told(await call(details));
    expect([first.status, first.replayed, again.replayed]).toEqual([200, null, 'true']);
    expect({ ...again, replayed: null }).toEqual(first);
    expect(upstream.served()).toBe(before);
    expect(await rowsOf(first.id)).toHaveLength(1);
  });

  it('refuses the same key with another body or model, and accepts it from another token', async () => {
    await (await call()).text();
    expect(await errorOf(await call({ prompt: 'something else' }))).toEqual([422, 'idempotency_key_reused', null]);
    expect(await errorOf(await call({ isStream: true }))).toEqual([422, 'idempotency_key_reused', null]);
    const other = await testBed.token(person);
    expect((await call({ key: other })).headers.get('idempotency-replayed')).toBeNull();
    for (const bad of ['', 'x'.repeat(256)])
      expect((await errorOf(await call({ idempotent: bad })))[1]).toBe('invalid_idempotency_key');
  });

  it('answers 409 while the first call runs, and runs one of many calls', async () => {
    upstream.control({ latencyMs: 3_000 }); // all calls arrive while the first one runs
    const before = upstream.served();
    const replies = await Promise.all(Array.from({ length: 8 }, () => call()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(await errorOf(refused[0] as Response)).toEqual([409, 'idempotency_in_progress', '1']);
    expect(upstream.served()).toBe(before + 1);
    expect((await call()).headers.get('idempotency-replayed')).toBe('true');
  });

  it('runs a call again that failed without a charge', async () => {
    upstream.failWith(500);
    expect((await call()).status).toBe(500);
    upstream.reset();
    const reply = await call();
    expect([reply.status, reply.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  it('replays the reply of a disconnected client, and charges it once', async () => {
    const leaver = await testBed.user('leaver', 1_000_000);
    const own = await testBed.token(leaver);
    upstream.control({ tokensPerSecond: 50, tokens: 20 });
    const left = new AbortController();
    const reply = await call({ key: own, isStream: true, signal: left.signal });
    await reply.body?.getReader().read();
    left.abort();
    const kept = await readUntil(
      () => call({ key: own, isStream: true }),
      ({ status }) => status === 200,
    );
    const answer = await told(kept);
    expect([answer.replayed, answer.text.endsWith('data: [DONE]\n\n')]).toEqual(['true', true]);
    const [row, ...others] = await rowsOf(answer.id);
    expect([row?.other.outcome, row?.completion_tokens, others]).toEqual(['completed', 20, []]);
    const quota = await readUntil(
      () => quotaOf(testBed, leaver.id),
      (left) => left !== 1_000_000,
    );
    expect(quota).toBe(1_000_000 - (row?.quota ?? 0));
  });

  it.each([false])(
    'replays the refusal of a reply with sensitive words, and charges it once (stream: %s)',
    async (isStream) => {
      const put = (name: string, value: string) => testBed.root.data('PUT', '/api/option/', { key: name, value });
      await put('StreamCacheQueueLength', '4');
      await put('SensitiveWords', 'w1');
      await put('CheckSensitiveOnCompletionEnabled', 'true');
      const kept = { isStream, prompt: `kept back ${turn}` };
      // The relay learns of options a moment later.
      let attempt = 0;
      await readUntil(
        async () => {
          const reply = await call({ ...kept, idempotent: `settling-${turn}-${(attempt += 1)}` });
          await reply.text();
          return reply.status;
        },
        (status) => status === 400,
      );
      const before = upstream.served();
      const first = await told(await call(kept));
      const again = await told(await call(kept));
      await put('CheckSensitiveOnCompletionEnabled', 'false');
      expect([first.status, JSON.parse(first.text)]).toEqual([
        400,
        { error: expect.objectContaining({ code: 'sensitive_words_detected' }) },
      ]);
      expect({ ...again, replayed: null }).toEqual(first);
      expect([again.replayed, upstream.served()]).toEqual(['true', before + 1]);
      expect(await rowsOf(first.id)).toMatchObject([{ other: { outcome: 'sensitive_words' } }]);
    },
  );

  it('compares a form by fields and file, not by its boundary', async () => {
    const post = async (words: string, idempotent: string): Promise<Response> => {
      const body = new FormData();
      body.append('model', 'whisper-1');
      body.append('file', new File([words], 'a.wav'));
      return fetch(`${testBed.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotent },
        body,
      });
    };
    const first = await told(await post('one file', 'form'));
    const again = await told(await post('one file', 'form'));
    expect([first.status, again.replayed, again.text, speech.calls.length]).toEqual([200, 'true', first.text, 1]);
    expect((await errorOf(await post('two file', 'form')))[0]).toBe(422);
  });
});
