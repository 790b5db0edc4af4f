import Anthropic from '@anthropic-ai/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type JournalEntry, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import OpenAI from 'openai';
import { ask, read, rowOf } from '../support/relay-site.js';

const REPLY = 'w1 w2 w3';
const prompt = (directives = 'tokens=3'): { role: 'user'; content: string }[] => [
  { role: 'user', content: `one two [[${directives}]]` },
];
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

/** Providers with dialects of their own, with a model and the special fields of their channels. */
const kinds = [
  { name: 'Cohere', type: 34, model: 'command-r', fields: {}, path: '/v1/chat' },
  { name: 'Dify', type: 37, model: 'my-app', fields: {}, path: '/v1/chat-messages' },
  { name: 'Coze', type: 49, model: 'my-bot', fields: { other: 'bot' }, path: '/v3/chat' },
];

describe('providers of chat apps', () => {
  let upstream: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  let openai: OpenAI;
  let anthropic: Anthropic;
  const channels = new Map<number, number>();

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    for (const { name, type, model, fields } of kinds) {
      const usual = { type, base_url: upstream.url, models: model, ...fields };
      channels.set(type, await testBed.channel({ name, ...usual }));
      await testBed.channel({ name: `wrong ${name}`, ...usual, models: `wrong-${model}`, key: 'bad-key' });
    }
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    key = await testBed.token(await testBed.user('caller', 500_000_000));
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: testBed.url, apiKey: key, maxRetries: 0 });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  afterEach(() => upstream.reset());

  const lastCall = (): JournalEntry | undefined => upstream.journal().at(-1);

  describe.each(kinds)('$name ($type)', ({ type, model, path }) => {
    it('replies to the client of OpenAI without streaming, and charges the usage of the upstream', async () => {
      const { data, response } = await openai.chat.completions
        .create({ model, messages: [{ role: 'system', content: 'Be kind' }, ...prompt()] })
        .withResponse();
      expect(data.choices[0]).toMatchObject({ message: { content: REPLY }, finish_reason: 'stop' });
      expect(data.usage?.completion_tokens).toBe(3);
      expect(upstream.journal().some((call) => call.path.startsWith(path))).toBe(true);
      const row = await rowOf(testBed, response.headers.get('x-oneapi-request-id') ?? '');
      expect(row).toMatchObject({ type: 2, channel: channels.get(type), model_name: model, completion_tokens: 3 });
      expect([row.prompt_tokens, row.other.usage_source]).toEqual([data.usage?.prompt_tokens, 'upstream']);
      expect(row.quota).toBeGreaterThan(0);
    });

    it('streams to the clients of OpenAI and Anthropic', async () => {
      const stream = await openai.chat.completions.create({
        ...{ model, messages: prompt(), stream: true, stream_options: { include_usage: true } },
      });
      let text = '';
      let usage: OpenAI.CompletionUsage | null | undefined;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
      }
      expect([text, usage?.completion_tokens]).toEqual([REPLY, 3]);
      const message = await anthropic.messages
        .stream({ model, max_tokens: 50, messages: prompt('tokens=3 split') })
        .finalMessage();
      expect(message.content.filter(({ type: kind }) => kind === 'text')).toEqual([
        expect.objectContaining({ text: '词1号 词2号 词3号' }),
      ]);
      expect(message.usage.output_tokens).toBe(3);
    });

    it('counts tokens itself when the upstream states no usage', async () => {
      const answer = await read(
        await ask(testBed.url, { dialect: 'openai', key, prompt: 'x [[tokens=5 usage=absent]]', body: { model } }),
        'openai',
      );
      const row = await rowOf(testBed, answer.requestId);
      expect([row.other.usage_source, row.completion_tokens > 3]).toEqual(['estimated', true]);
    });

    it.each([
      { kind: 'is refused', asked: `wrong-${model}`, directives: 'tokens=3', isStream: false, told: [401, 'error'] },
      { kind: 'fails', asked: model, directives: 'status=500', isStream: false, told: [500, 'error'] },
      { kind: 'breaks', asked: model, directives: 'tokens=9 cut=4', isStream: true, told: [200, 'error'] },
      {
        kind: 'ends with an error',
        asked: model,
        directives: 'tokens=9 error=4',
        isStream: true,
        told: [200, 'error'],
      },
    ])('reports a call that $kind', async ({ asked, directives, isStream, told }) => {
      const reply = await ask(testBed.url, {
        ...{ dialect: 'openai', key, isStream, prompt: `x [[${directives}]]` },
        body: { model: asked },
      });
      const answer = await read(reply, 'openai');
      expect([answer.status, answer.end]).toEqual(told);
      expect(answer.error?.message).not.toContain(upstream.url);
    });

    it('passes a test of its channel', async () => {
      const id = channels.get(type);
      expect((await testBed.root.call('GET', `/api/channel/test/${id}`)).body).toMatchObject({ success: true });
    });
  });

  it.each(kinds.filter(({ name }) => name !== 'Dify').map(({ name, model }) => ({ name, model })))(
    'charges nothing for a stream of $name that fails before its first word',
    async ({ model }) => {
      const asked = { dialect: 'openai' as const, key, isStream: true, prompt: 'x [[tokens=9 error=0]]' };
      const answer = await read(await ask(testBed.url, { ...asked, body: { model } }), 'openai');
      expect([answer.status, answer.end]).toEqual([500, 'error']);
      expect(await rowOf(testBed, answer.requestId)).toMatchObject({ type: 5, quota: 0 });
    },
  );

  it.each(kinds.slice(1))('uploads images to $name before the question', async ({ model }) => {
    const content = [
      { type: 'text' as const, text: 'What? [[tokens=3]]' },
      { type: 'image_url' as const, image_url: { url: PIXEL } },
    ];
    const reply = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }], stream: true });
    let text = '';
    for await (const chunk of reply) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(REPLY);
    expect(JSON.stringify(lastCall()?.body)).toMatch(/(dify|coze)-file-\d+/);
  });

  it.each(kinds.map(({ name, model }) => ({ name, model })))(
    'refuses fields that $name does not support',
    async ({ model }) => {
      const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
      const body = { model, tools, tool_choice: 'required' };
      const answer = await read(await ask(testBed.url, { dialect: 'openai', key, prompt: 'x', body }), 'openai');
      expect([answer.status, answer.error?.code]).toEqual([400, 'invalid_text_request']);
    },
  );
});
