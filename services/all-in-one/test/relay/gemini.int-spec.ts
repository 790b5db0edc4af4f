import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  GEMINI_KEY,
  type GeminiUpstream,
  type TestBed,
  startFakeUpstream,
  startGeminiUpstream,
  startTestBed,
} from '@tollgate/testing';
import OpenAI from 'openai';
import { rowOf } from '../support/relay-site.js';

const MODEL = 'gemini-2.5-pro-preview-03-25';
const REPLY = 'Hello dear Ünïverse.';
const PROMPT = [{ role: 'user' as const, content: 'Greet the universe' }];
const CONTENTS = [{ role: 'user', parts: [{ text: 'Greet the universe' }] }];

interface GeminiReply {
  candidates?: { content?: { parts?: { text?: string; functionCall?: object }[] }; finishReason?: string }[];
  usageMetadata?: Record<string, number>;
  error?: { code: number; status: string; message: string };
}

const textOf = (replies: GeminiReply[]): string =>
  replies
    .flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content?.parts ?? []))
    .map(({ text = '' }) => text)
    .join('');

const eventsIn = (body: string): GeminiReply[] =>
  body
    .split(/\r?\n\r?\n/)
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice(6)) as GeminiReply);

describe('Gemini', () => {
  let google: GeminiUpstream;
  let others: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  let openai: OpenAI;
  let anthropic: Anthropic;
  let channel: number;

  beforeAll(async () => {
    google = await startGeminiUpstream();
    others = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    const models = `${MODEL},gemini-2.0-flash,text-embedding-004`;
    channel = await testBed.channel({ name: 'gemini', type: 24, key: GEMINI_KEY, base_url: google.url, models });
    await testBed.channel({
      name: 'wrong',
      type: 24,
      key: 'AIzaWrong',
      base_url: google.url,
      models: 'gemini-1.5-pro-latest',
    });
    await testBed.channel({ name: 'gpt', type: 1, base_url: others.url, models: 'gpt-4o' });
    await testBed.channel({ name: 'claude', type: 14, base_url: others.url, models: 'claude-3-7-sonnet-20250219' });
    key = await testBed.token(await testBed.user('caller', 100_000_000));
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: testBed.url, apiKey: key, maxRetries: 0 });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await google?.close();
    await others?.close();
  });
  beforeEach(() => {
    google.behave({});
    google.calls.length = 0;
  });

  const ask = (path: string, body: object, headers: Record<string, string> = { 'x-goog-api-key': key }) =>
    fetch(`${testBed.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const idOf = (response: Response): string => response.headers.get('x-oneapi-request-id') ?? '';

  describe('as a channel', () => {
    it('refuses fields without an equivalent in Gemini, naming the path, before the wallet is checked', async () => {
      const poor = await testBed.token(await testBed.user('penniless', 1));
      const told = async (body: object) => {
        const reply = await ask(
          '/v1/responses',
          { model: MODEL, input: 'hi', ...body },
          { authorization: `Bearer ${poor}` },
        );
        const { error } = (await reply.json()) as { error: { code: string; param: string } };
        return [reply.status, error.code, error.param];
      };
      expect(await told({})).toEqual([403, 'insufficient_user_quota', '']);
      expect(await told({ previous_response_id: 'r' })).toEqual([
        ...[400, 'invalid_responses_request', 'previous_response_id'],
      ]);
      expect(google.calls).toEqual([]);
    });

    it('replies to the client of OpenAI, and books the usage of Google', async () => {
      const { data, response } = await openai.chat.completions
        .create({ model: MODEL, max_tokens: 50, messages: PROMPT })
        .withResponse();
      expect(data.choices[0]?.message.content).toBe(REPLY);
      expect(data.usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 10 });
      expect(google.calls[0]).toMatchObject({
        path: `/v1beta/models/${MODEL}:generateContent`,
        body: { contents: CONTENTS, generationConfig: { maxOutputTokens: 50 } },
      });
      const row = await rowOf(testBed, idOf(response));
      expect(row).toMatchObject({ channel, prompt_tokens: 21, completion_tokens: 10 });
      expect(row.other.usage_source).toBe('upstream');
      expect(row.quota).toBe(await quotaOf(21, 10));
    });

    it("streams to OpenAI's client", async () => {
      const stream = await openai.chat.completions.create({
        ...{ model: MODEL, messages: PROMPT, stream: true, stream_options: { include_usage: true } },
      });
      const texts: string[] = [];
      let usage: OpenAI.CompletionUsage | null | undefined;
      for await (const chunk of stream) {
        texts.push(chunk.choices[0]?.delta.content ?? '');
        usage = chunk.usage ?? usage;
      }
      expect(texts.join('')).toBe(REPLY);
      expect(usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 10 });
      expect(google.calls[0]?.path).toBe(`/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`);
    });

    it('calls tools of the client of Anthropic, with and without streaming', async () => {
      google.behave({ parts: [{ text: 'Asking' }, { functionCall: { name: 'weather', args: { city: 'Ulm' } } }] });
      const tools = [
        { name: 'weather', input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } } },
      ];
      const request = { model: MODEL, max_tokens: 50, messages: PROMPT, system: 'Be kind', tools };
      for (const message of [
        await anthropic.messages.create(request),
        await anthropic.messages.stream(request).finalMessage(),
      ]) {
        expect(message.content).toEqual([
          expect.objectContaining({ type: 'text', text: 'Asking' }),
          expect.objectContaining({ type: 'tool_use', name: 'weather', input: { city: 'Ulm' } }),
        ]);
        expect(message.stop_reason).toBe('tool_use');
        expect(message.usage).toMatchObject({ input_tokens: 21, output_tokens: 10 });
      }
      expect(google.calls[0]?.body).toMatchObject({ systemInstruction: { parts: [{ text: 'Be kind' }] } });
    });

    it('reports errors, broken streams and wrong keys in the dialect of the client', async () => {
      google.behave({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no such thing' } });
      await expect(openai.chat.completions.create({ model: MODEL, messages: PROMPT })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('no such thing'),
      });
      google.behave({ cutAfter: 2 });
      const stream = openai.chat.completions.stream({ model: MODEL, messages: PROMPT });
      await expect(stream.finalChatCompletion()).rejects.toThrow();
      const refused = openai.chat.completions.create({ model: 'gemini-1.5-pro-latest', messages: PROMPT });
      await expect(refused).rejects.toMatchObject({ status: 400, code: 'API_KEY_INVALID' });
    });

    it('returns one embedding per text', async () => {
      const { data } = await openai.embeddings.create({
        ...{ model: 'text-embedding-004', input: ['a', 'b'], encoding_format: 'float' },
      });
      expect(data.map(({ embedding }) => embedding)).toEqual([
        [0, 0.5],
        [1, 0.5],
      ]);
    });

    it('can be tested', async () => {
      const tested = await testBed.root.call('GET', `/api/channel/test/${channel}?model=${MODEL}`);
      expect(tested.body).toMatchObject({ success: true });
    });
  });

  describe('as the dialect of a client', () => {
    it('forwards its own bytes to Gemini', async () => {
      const body = { contents: CONTENTS, generation_config: { max_output_tokens: 50, temperature: 1.0 }, own: [1] };
      const response = await ask(`/v1beta/models/${MODEL}:generateContent`, body);
      const reply = (await response.json()) as GeminiReply;
      expect(textOf([reply])).toBe(REPLY);
      expect(google.calls[0]?.bytes).toBe(JSON.stringify(body));
      const row = await rowOf(testBed, idOf(response));
      expect(row).toMatchObject({ channel, model_name: MODEL, prompt_tokens: 21, completion_tokens: 10 });
      expect(row.quota).toBe(await quotaOf(21, 10));
    });

    it.each(['x-goog-api-key', '?key='])('accepts the key by %s and streams events', async (place) => {
      const query = place === '?key=' ? `&key=${key}` : '';
      const headers: Record<string, string> = place === '?key=' ? {} : { 'x-goog-api-key': key };
      const response = await ask(
        `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse${query}`,
        { contents: CONTENTS },
        headers,
      );
      const events = eventsIn(await response.text());
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      expect(textOf(events)).toBe(REPLY);
      expect(events.at(-1)).toMatchObject({
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 21 },
      });
      expect(await rowOf(testBed, idOf(response))).toMatchObject({ is_stream: true, completion_tokens: 10 });
    });

    it('has a time to the first token where the answer comes in one event', async () => {
      google.behave({ parts: [{ text: 'Yes' }] });
      const headers = { 'x-goog-api-key': key };
      const path = `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`;
      const response = await ask(path, { contents: CONTENTS }, headers);
      expect(textOf(eventsIn(await response.text()))).toBe('Yes');
      expect((await rowOf(testBed, idOf(response))).other.frt).toBeGreaterThanOrEqual(0);
    });

    it.each([MODEL, 'gpt-4o', 'claude-3-7-sonnet-20250219'])(
      'receives the stream of %s as an array without alt=sse',
      async (model) => {
        const response = await ask(`/v1beta/models/${model}:streamGenerateContent`, { contents: CONTENTS });
        const items = (await response.json()) as GeminiReply[];
        expect(response.headers.get('content-type')).toContain('application/json');
        expect(textOf(items)).not.toBe('');
        expect(items.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
      },
    );

    it('receives an array without alt=sse of an upstream that answers as a whole, too', async () => {
      google.behave({ isWhole: true });
      const response = await ask(`/v1beta/models/${MODEL}:streamGenerateContent`, { contents: CONTENTS });
      expect(textOf((await response.json()) as GeminiReply[])).toBe(REPLY);
      expect(await rowOf(testBed, idOf(response))).toMatchObject({ is_stream: true, completion_tokens: 10 });
    });

    it.each(['gpt-4o', 'claude-3-7-sonnet-20250219'])(
      'is answered by %s, with and without streaming',
      async (model) => {
        const body = {
          systemInstruction: { parts: [{ text: 'Be kind' }] },
          contents: [
            { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }] },
          ],
          generationConfig: { maxOutputTokens: 50, temperature: 0 },
        };
        const whole = await ask(`/v1beta/models/${model}:generateContent`, body);
        const reply = (await whole.json()) as GeminiReply;
        expect(textOf([reply])).not.toBe('');
        const row = await rowOf(testBed, idOf(whole));
        expect(reply.usageMetadata).toMatchObject({
          promptTokenCount: row.prompt_tokens,
          candidatesTokenCount: row.completion_tokens,
        });

        const streamed = await ask(`/v1/models/${model}:streamGenerateContent?alt=sse`, body);
        const events = eventsIn(await streamed.text());
        expect(textOf(events)).toBe(textOf([reply]));
        expect(events.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
        expect((await rowOf(testBed, idOf(streamed))).quota).toBe(row.quota);
      },
    );

    it.each<[string, { path?: string; body?: object; headers?: Record<string, string> }, [number, string]]>([
      ['no key', { headers: {} }, [401, 'UNAUTHENTICATED']],
      ['no contents', { body: {} }, [400, 'INVALID_ARGUMENT']],
      ['pages to read', { body: { contents: CONTENTS, tools: [{ url_context: {} }] } }, [400, 'INVALID_ARGUMENT']],
      ['search for a list', { body: { contents: CONTENTS, tools: { googleSearch: {} } } }, [400, 'INVALID_ARGUMENT']],
      ['a part for a list', { body: { contents: [{ parts: { text: 'x' } }] } }, [400, 'INVALID_ARGUMENT']],
      ['a cache', { body: { contents: CONTENTS, cachedContent: 'x' } }, [400, 'INVALID_ARGUMENT']],
      [
        'doubled limits',
        { body: { contents: CONTENTS, generationConfig: {}, generation_config: {} } },
        [400, 'INVALID_ARGUMENT'],
      ],
      ['no channel', { path: '/v1beta/models/unknown:generateContent' }, [503, 'UNAVAILABLE']],
      ['another method', { path: `/v1beta/models/${MODEL}:predict` }, [501, 'UNIMPLEMENTED']],
      ['no content to embed', { path: '/v1beta/models/text-embedding-004:embedContent' }, [400, 'INVALID_ARGUMENT']],
      ['too much to count', { path: '/v1beta/models/unknown:countTokens' }, [503, 'UNAVAILABLE']],
    ])('gets an error of Google for a call with %s', async (_, { path, body, headers }, [status, word]) => {
      const usual = `/v1beta/models/${MODEL}:generateContent`;
      const response = await ask(path ?? usual, body ?? { contents: CONTENTS }, headers);
      const { error } = (await response.json()) as GeminiReply;
      expect([response.status, error?.code, error?.status]).toEqual([status, status, word]);
      expect(google.calls).toEqual([]);
    });

    it('gets an error of its dialect when a stream breaks', async () => {
      google.behave({ cutAfter: 2 });
      const events = await ask(`/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`, { contents: CONTENTS });
      expect(eventsIn(await events.text()).at(-1)?.error).toMatchObject({ code: 500, status: 'INTERNAL' });
      const array = await ask(`/v1beta/models/${MODEL}:streamGenerateContent`, { contents: CONTENTS });
      expect(((await array.json()) as GeminiReply[]).at(-1)?.error).toMatchObject({ code: 500 });
    });

    it('limits the output tokens at Gemini to what the wallet can pay', async () => {
      const poor = await testBed.token(await testBed.user('poor', 5_000));
      await ask(`/v1beta/models/${MODEL}:generateContent`, { contents: CONTENTS }, { 'x-goog-api-key': poor });
      const { generationConfig } = (google.calls[0]?.body ?? {}) as { generationConfig?: { maxOutputTokens?: number } };
      expect(generationConfig?.maxOutputTokens).toBeGreaterThan(0);
      expect(generationConfig?.maxOutputTokens).toBeLessThan(1100);
    });

    it('lists models in its own form and in that of OpenAI', async () => {
      const list = await fetch(`${testBed.url}/v1beta/models?key=${key}`);
      const { models } = (await list.json()) as { models: { name: string }[] };
      expect(models.map(({ name }) => name)).toContain(`models/${MODEL}`);
      const one = await fetch(`${testBed.url}/v1beta/models/${MODEL}`, { headers: { 'x-goog-api-key': key } });
      expect(await one.json()).toMatchObject({ name: `models/${MODEL}` });
      const openAi = await fetch(`${testBed.url}/v1beta/openai/models`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(await openAi.json()).toMatchObject({ object: 'list' });
    });
  });

  /** The charge of such a call by the public price list. */
  async function quotaOf(prompt: number, completion: number): Promise<number> {
    const prices = await testBed.root.data<{ model_name: string; model_ratio: number; completion_ratio: number }[]>(
      'GET',
      '/api/pricing',
    );
    const price = prices.find(({ model_name: name }) => name === MODEL);
    return Math.round((prompt + completion * (price?.completion_ratio ?? 0)) * (price?.model_ratio ?? 0));
  }
});
