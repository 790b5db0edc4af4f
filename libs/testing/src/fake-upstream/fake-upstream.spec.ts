import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { eventually } from '../eventually.js';
import type { FakeUpstream } from './index.js';
import { startFakeUpstream } from './index.js';

let upstream: FakeUpstream;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  openai = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'sk-any', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: upstream.url, apiKey: 'sk-any', maxRetries: 0 });
});
afterEach(() => upstream.reset());
afterAll(() => upstream.close());

const ask = (content: string) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content }] });

const post = (path: string, body: object, headers: Record<string, string> = { authorization: 'Bearer k' }) =>
  fetch(`${upstream.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

describe('the OpenAI side of the stand-in', () => {
  it('answers the official client and counts a token per word', async () => {
    const reply = await openai.chat.completions.create(ask('one two three [[tokens=4]]'));

    expect(reply.choices[0]?.message.content).toBe('w1 w2 w3 w4');
    expect(reply.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  });

  it('cites sources after a search, streamed or not', async () => {
    const asked = { ...ask('one'), model: 'gpt-4o-search-preview' };
    const { choices } = await openai.chat.completions.create(asked);
    const { content, annotations = [] } = choices[0]!.message;
    const places = annotations.map(({ url_citation: { start_index: from, end_index: to } }) =>
      content?.slice(from, to),
    );
    expect(places.map((place) => place?.trim())).toEqual(['w1', 'w10']);
    const deltas: unknown[] = [];
    for await (const chunk of await openai.chat.completions.create({ ...asked, stream: true }))
      deltas.push((chunk.choices[0]?.delta as { annotations?: unknown } | undefined)?.annotations);
    expect(deltas.filter(Boolean)).toEqual([annotations]);
    expect((await openai.chat.completions.create(ask('one'))).choices[0]!.message).not.toHaveProperty('annotations');
  });

  it('embeds in the words of Gemini, one text or several', async () => {
    const content = { parts: [{ text: 'one' }] };
    const key = { 'x-goog-api-key': 'k' };
    const one = (await (await post('/v1beta/models/e:embedContent', { content }, key)).json()) as { embedding: object };
    expect(one).toEqual({ embedding: { values: Array.from({ length: 4 }, () => expect.any(Number) as unknown) } });
    const body = { requests: [{ content }, { content }] };
    const both: unknown = await (await post('/v1beta/models/e:batchEmbedContents', body, key)).json();
    expect(both).toEqual({ embeddings: [one.embedding, one.embedding] });
    expect((await post('/v1beta/models/e:embedContent', { content }, { 'x-goog-api-key': 'bad-key' })).status).toBe(
      400,
    );
  });

  it('streams to the official client, with usage only when asked', async () => {
    const texts: string[] = [];
    const usages: unknown[] = [];
    const stream = await openai.chat.completions.create({
      ...ask('hi [[tokens=3 split]]'),
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
      texts.push(chunk.choices[0]?.delta.content ?? '');
      if (chunk.usage) usages.push(chunk.usage);
    }

    expect(texts.join('')).toBe('词1号 词2号 词3号');
    expect(usages).toEqual([expect.objectContaining({ prompt_tokens: 1, completion_tokens: 3 })]);
    expect(await (await post('/v1/chat/completions', { ...ask('hi'), stream: true })).text()).not.toContain('usage');
  });

  it('embeds texts for the official client, which asks for base64', async () => {
    const { data, usage } = await openai.embeddings.create({ model: 'text-embedding-3-small', input: ['a b', 'c'] });

    expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
    expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
    expect(usage.prompt_tokens).toBe(3);
  });

  it('lists models and refuses the bad key', async () => {
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain('gpt-4o-mini');
    const refused = openai.withOptions({ apiKey: 'bad-key' }).chat.completions.create(ask('hi'));
    await expect(refused).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  });
});

describe('the Anthropic side of the stand-in', () => {
  const message = (content: string) => ({
    model: 'claude-x',
    max_tokens: 3,
    messages: [{ role: 'user' as const, content }],
  });

  it('answers the official client and obeys the limit', async () => {
    const reply = await anthropic.messages.create(message('one two [[tokens=9]]'));

    expect(reply.content).toEqual([{ type: 'text', text: 'w1 w2 w3' }]);
    expect(reply).toMatchObject({ stop_reason: 'max_tokens', usage: { input_tokens: 2, output_tokens: 3 } });
  });

  it('streams to the official client', async () => {
    const final = await anthropic.messages.stream(message('one [[tokens=2 cached=1 crlf]]')).finalMessage();

    expect(final.content).toEqual([{ type: 'text', text: 'w1 w2' }]);
    expect(final.usage).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 1, output_tokens: 2 });
  });
});

describe('the switches of the stand-in', () => {
  it('cuts the connection after the given chunk', async () => {
    const response = await post('/v1/chat/completions', { ...ask('hi [[tokens=9 cut=2]]'), stream: true });

    await expect(response.text()).rejects.toThrow();
    expect(upstream.journal()[0]).toMatchObject({ wordsSent: 2, clientAborted: false, isFinished: false });
  });

  it('stops sending, and notices when the client leaves', async () => {
    const abort = new AbortController();
    const response = await fetch(`${upstream.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer k' },
      body: JSON.stringify({ ...ask('hi [[tokens=9 silence=1]]'), stream: true }),
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    await eventually('the upstream notices', () => upstream.journal()[0]?.clientAborted);

    expect(upstream.journal()[0]).toMatchObject({ clientAborted: true, abortedAfterMs: expect.any(Number) });
  });

  it('states usage twice with the last one correct, as zero, or not at all', async () => {
    const usageFor = async (kind: string) => {
      const reply = await post('/v1/chat/completions', ask(`a b [[tokens=4 usage=${kind}]]`));
      return ((await reply.json()) as { usage?: object }).usage;
    };

    expect(await usageFor('twice')).toMatchObject({ prompt_tokens: 2, completion_tokens: 4 });
    expect(await usageFor('zero')).toMatchObject({ prompt_tokens: 0, completion_tokens: 0 });
    expect(await usageFor('absent')).toBeUndefined();
  });

  it.each([
    ['gzip', 'w1 w2'],
    ['content=text/plain', 'w1 w2'],
    ['huge=100000', 'x'.repeat(100_000)],
  ])('still serves a whole reply with %s', async (directive, text) => {
    const reply = await post('/v1/chat/completions', ask(`hi [[tokens=2 ${directive}]]`));

    expect(await reply.text()).toContain(text);
  });

  it('simulates faults for one address only, or for all when set at run time', async () => {
    const status = async (path: string) => (await post(path, ask('hi'))).status;

    expect(await status('/~status=503,code=overloaded/v1/chat/completions')).toBe(503);
    expect(await status('/v1/chat/completions')).toBe(200);
    await post('/__control', { status: 429 });
    expect(await status('/v1/chat/completions')).toBe(429);
    await post('/__control', { reset: true });
    expect(await status('/v1/chat/completions')).toBe(200);
    upstream.failWith(401, 'invalid_api_key');
    expect(await status('/v1/chat/completions')).toBe(401);
  });

  it('hides an error in a 200, as a body and as a stream', async () => {
    const body = await post('/v1/chat/completions', ask('hi [[error200]]'));
    const stream = await post('/v1/chat/completions', { ...ask('hi [[error200]]'), stream: true });

    expect([body.status, stream.status]).toEqual([200, 200]);
    expect(await body.json()).toHaveProperty('error.message');
    expect(await stream.text()).toMatch(/^data: \{"error"/);
  });

  it('keeps a journal without keys', async () => {
    await post('/v1/chat/completions', ask('one two'), { authorization: 'Bearer secret', 'x-mark': 'seen' });

    const journal = await (await fetch(`${upstream.url}/__journal`)).text();
    expect(journal).toContain('"x-mark":"seen"');
    expect(journal).toContain('"promptTokens":2');
    expect(journal).not.toContain('secret');
  });

  it('refuses settings it does not know', async () => {
    expect((await post('/__control', { tokenz: 5 })).status).toBe(400);
    expect((await post('/v1/chat/completions', ask('[[usage=some]]'))).status).toBe(400);
  });
});

describe('the stand-in for Vertex', () => {
  it('provides the key file of a service account for which it issues tokens', async () => {
    const key = (await (await fetch(`${upstream.url}/vertex/key`)).json()) as Record<string, string>;

    expect(key).toMatchObject({ type: 'service_account', token_uri: `${upstream.url}/vertex/token` });
    const refused = await post('/vertex/token', {}, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(refused.status).toBe(400);
  });
});
