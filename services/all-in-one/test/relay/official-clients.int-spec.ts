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
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText } from 'ai';
import OpenAI, { type APIError } from 'openai';
import { eventually, logRows, rowOf } from '../support/relay-site.js';

/** One model per upstream dialect. */
const MODELS = {
  openai: 'gpt-4o',
  deepseek: 'deepseek-chat',
  anthropic: 'claude-3-7-sonnet-20250219',
  gemini: 'gemini-2.5-pro-preview-03-25',
} as const;
/** The name by which clients call a model that searches before each reply. */
const SEARCHING = 'gpt-4o-mini';
type Upstream = keyof typeof MODELS;
const all = Object.keys(MODELS) as Upstream[];
/** Upstreams with another dialect than OpenAI's. */
const others = all.filter((name) => name !== 'openai');

const TOOLS = [
  {
    type: 'function' as const,
    name: 'weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    strict: true,
  },
];

describe('official clients', () => {
  let google: GeminiUpstream;
  let fake: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  let openai: OpenAI;
  let anthropic: Anthropic;
  let genai: GoogleGenAI;

  beforeAll(async () => {
    google = await startGeminiUpstream();
    fake = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    await testBed.channel({
      name: 'openai',
      type: 1,
      base_url: fake.url,
      models: `${MODELS.openai},text-embedding-3-small`,
    });
    await testBed.channel({
      name: 'search',
      type: 1,
      base_url: fake.url,
      models: SEARCHING,
      model_mapping: JSON.stringify({ [SEARCHING]: 'gpt-4o-search-preview' }),
    });
    await testBed.channel({ name: 'deepseek', type: 43, base_url: fake.url, models: MODELS.deepseek });
    await testBed.channel({ name: 'claude', type: 14, base_url: fake.url, models: MODELS.anthropic });
    await testBed.channel({
      name: 'gemini',
      type: 24,
      key: GEMINI_KEY,
      base_url: google.url,
      models: `${MODELS.gemini},text-embedding-004`,
    });
    key = await testBed.token(await testBed.user('caller', 1_000_000_000));
    openai = new OpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: testBed.url, apiKey: key, maxRetries: 0 });
    genai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: testBed.url } });
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await google?.close();
    await fake?.close();
  });
  beforeEach(() => {
    fake.reset();
    google.behave({});
    google.calls.length = 0;
  });

  describe('openai, responses', () => {
    it.each(all)('whole over %s, counted and charged', async (upstream) => {
      const { data, response } = await openai.responses
        .create({
          model: MODELS[upstream],
          instructions: 'Be kind',
          input: 'Greet the universe',
          max_output_tokens: 50,
        })
        .withResponse();
      expect(data).toMatchObject({ object: 'response', status: 'completed', error: null });
      expect(data.output_text).not.toBe('');
      const row = await rowOf(testBed, response.headers.get('x-oneapi-request-id') ?? '');
      expect(data.usage).toMatchObject({ input_tokens: row.prompt_tokens, output_tokens: row.completion_tokens });
      expect(row.quota).toBeGreaterThan(0);
      expect(row.other.usage_source).toBe('upstream');
    });

    it.each(all)('streamed over %s, in the order of OpenAI', async (upstream) => {
      const stream = openai.responses.stream({ model: MODELS[upstream], input: [{ role: 'user', content: 'hello' }] });
      const types: string[] = [];
      const sequence: number[] = [];
      for await (const event of stream) {
        types.push(event.type);
        sequence.push(event.sequence_number);
      }
      expect(types.filter((type) => !type.endsWith('.delta'))).toEqual([
        ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
        ...[
          'response.output_text.done',
          'response.content_part.done',
          'response.output_item.done',
          'response.completed',
        ],
      ]);
      expect(sequence).toEqual(sequence.map((_, index) => index));
      const final = await stream.finalResponse();
      expect(final.output_text).not.toBe('');
      expect(final.usage?.output_tokens).toBeGreaterThan(0);
    });

    it("forwards OpenAI's own bytes", async () => {
      const body = {
        model: MODELS.openai,
        input: 'x',
        store: true,
        previous_response_id: 'resp_1',
        include: [],
        own: 1.0,
      };
      const reply = await fetch(`${testBed.url}/v1/responses`, {
        ...{ method: 'POST', body: JSON.stringify(body) },
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      expect(reply.status).toBe(200);
      expect(fake.journal().at(-1)).toMatchObject({ path: '/v1/responses', body });
      expect(await reply.json()).toMatchObject({ store: true });
    });

    it('carries tools over Gemini, there and back', async () => {
      google.behave({ parts: [{ functionCall: { name: 'weather', args: { city: 'Ulm' } } }] });
      const asked = { model: MODELS.gemini, input: 'How is it in Ulm?', tools: TOOLS };
      const streamed = await openai.responses.stream(asked).finalResponse();
      for (const { output } of [await openai.responses.create(asked), streamed]) {
        expect(output).toEqual([
          expect.objectContaining({ type: 'function_call', name: 'weather', arguments: '{"city":"Ulm"}' }),
        ]);
      }
      const [call] = streamed.output;
      if (call?.type !== 'function_call') throw new Error('no call');
      google.behave({});
      const answer = await openai.responses.create({
        ...asked,
        input: [
          { role: 'user', content: 'How is it in Ulm?' },
          call,
          { type: 'function_call_output', call_id: call.call_id, output: '{"sky":"blue"}' },
        ],
      });
      expect(answer.output_text).not.toBe('');
      expect(google.calls.at(-1)?.body).toMatchObject({
        contents: [
          { role: 'user' },
          { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Ulm' } } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'weather' } }] },
        ],
      });
    });

    it.each(others)('refuses over %s what only a memory could do', async (upstream) => {
      for (const [name, value] of [
        ['previous_response_id', 'resp_1'],
        ['store', true],
        ['background', true],
      ] as const) {
        const refused = openai.responses.create({ model: MODELS[upstream], input: 'x', [name]: value } as never);
        await expect(refused).rejects.toMatchObject({
          status: 400,
          code: 'invalid_responses_request',
          message: expect.stringContaining(name),
        });
      }
    });

    it('is told of errors, cuts and missing input', async () => {
      await expect(openai.responses.create({ model: MODELS.openai })).rejects.toMatchObject({
        ...{ status: 400, code: 'invalid_responses_request', message: expect.stringContaining('input is required') },
      });
      for (const upstream of ['openai', 'deepseek'] as const) {
        fake.control({ cutAfter: 3 });
        const cut = openai.responses.stream({ model: MODELS[upstream], input: 'hello' });
        await expect(cut.finalResponse()).rejects.toThrow();
        fake.reset();
        fake.failWith(400, 'no_such_thing');
        const failed = openai.responses.create({ model: MODELS[upstream], input: 'hello' });
        await expect(failed).rejects.toMatchObject({ status: 400, code: 'no_such_thing' });
        fake.reset();
      }
    });
  });

  describe('@google/genai', () => {
    const contents = 'Greet the universe';

    it.each(all)('whole and streamed over %s', async (upstream) => {
      const model = MODELS[upstream];
      const config = { systemInstruction: 'Be kind', maxOutputTokens: 50, temperature: 0.5 };
      const whole = await genai.models.generateContent({ model, contents, config });
      expect(whole.text).not.toBe('');
      expect(whole.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
      let text = '';
      for await (const chunk of await genai.models.generateContentStream({ model, contents, config }))
        text += chunk.text ?? '';
      expect(text).toBe(whole.text);
    });

    it('carries tools over Gemini and an error in its own words', async () => {
      google.behave({ parts: [{ functionCall: { name: 'weather', args: { city: 'Ulm' } } }] });
      const functionDeclarations = [{ name: 'weather', parametersJsonSchema: TOOLS[0]?.parameters }];
      const { functionCalls } = await genai.models.generateContent({
        ...{ model: MODELS.gemini, contents, config: { tools: [{ functionDeclarations }] } },
      });
      expect(functionCalls).toEqual([expect.objectContaining({ name: 'weather', args: { city: 'Ulm' } })]);
      fake.failWith(400, 'no_such_thing');
      await expect(genai.models.generateContent({ model: MODELS.openai, contents })).rejects.toMatchObject({
        status: 400,
      });
    });

    it.each([
      ['text-embedding-004', 'Gemini'],
      ['text-embedding-3-small', 'OpenAI'],
    ])('embeds by %s over %s', async (model) => {
      const { embeddings } = await genai.models.embedContent({
        ...{ model, contents: ['a', 'b'], config: { outputDimensionality: 8 } },
      });
      expect(embeddings?.map(({ values }) => values?.length)).toEqual([expect.any(Number), expect.any(Number)]);
      expect(embeddings?.[0]?.values).not.toEqual(embeddings?.[1]?.values);
      const one = await fetch(`${testBed.url}/v1beta/models/${model}:embedContent?key=${key}`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ content: { parts: [{ text: 'a' }] } }),
      });
      expect(await one.json()).toMatchObject({ embedding: { values: embeddings?.[0]?.values } });
      const row = await rowOf(testBed, one.headers.get('x-oneapi-request-id') ?? '');
      expect(row).toMatchObject({ model_name: model, completion_tokens: 0 });
    });

    it('lists models and counts tokens for nothing', async () => {
      const names: (string | undefined)[] = [];
      for await (const { name } of await genai.models.list()) names.push(name);
      expect(names).toContain(`models/${MODELS.openai}`);
      const before = (await logRows(testBed)).length;
      const { totalTokens } = await genai.models.countTokens({ model: MODELS.gemini, contents: 'one two three' });
      // Three words, and the role.
      expect(totalTokens).toBe(5);
      const { input_tokens: tokens } = await anthropic.messages.countTokens({
        model: MODELS.openai,
        messages: [{ role: 'user', content: 'one two three' }],
      });
      expect(tokens).toBe(6);
      const refused = anthropic.messages.countTokens({ model: 'unknown', messages: [{ role: 'user', content: 'x' }] });
      await expect(refused).rejects.toMatchObject({ status: 503 });
      expect((await logRows(testBed)).length).toBe(before);
    });
  });

  describe('@anthropic-ai/sdk', () => {
    it('lists models, finds one, and is told in its own words of one that is not there', async () => {
      const { data } = await anthropic.models.list();
      expect(data).toContainEqual(expect.objectContaining({ type: 'model', id: MODELS.deepseek }));
      expect(await anthropic.models.retrieve(MODELS.gemini)).toMatchObject({ type: 'model', id: MODELS.gemini });
      const missing = anthropic.models.retrieve('nothing');
      await expect(missing).rejects.toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } });
    });
  });

  describe('the sources that a model of search names', () => {
    const url = 'https://sources.fake-upstream.com/b';
    const ask = [{ role: 'user' as const, content: 'What is new?' }];

    it('reach each client in its own words, and the search is charged', async () => {
      const chat = await openai.chat.completions.create({ model: SEARCHING, messages: ask });
      expect(chat.choices[0]?.message.annotations?.map(({ url_citation: { url: at } }) => at)).toContain(url);
      const message = await anthropic.messages.create({ model: SEARCHING, max_tokens: 50, messages: ask });
      expect(JSON.stringify(message.content)).toContain(url);
      const streamed = await anthropic.messages
        .stream({ model: SEARCHING, max_tokens: 50, messages: ask })
        .finalMessage();
      const block = streamed.content[0]?.type === 'text' ? streamed.content[0] : undefined;
      expect(block?.citations?.map(({ type }) => type)).toEqual(Array(2).fill('web_search_result_location'));
      const { output } = await openai.responses.stream({ model: SEARCHING, input: 'What is new?' }).finalResponse();
      const [said] = output.flatMap((item) => (item.type === 'message' ? item.content : []));
      expect(said).toMatchObject({ annotations: [{ type: 'url_citation' }, { type: 'url_citation', url }] });
      const found = await genai.models.generateContent({ model: SEARCHING, contents: 'What is new?' });
      const pages = found.candidates?.[0]?.groundingMetadata?.groundingChunks;
      expect(pages?.map(({ web }) => web?.uri)).toContain(url);
      const own = async () => (await logRows(testBed)).filter(({ model_name: name }) => name === SEARCHING);
      const rows = await eventually(own, ({ length }) => length >= 5);
      expect(rows.map(({ other }) => other.web_search_call_count)).toEqual([1, 1, 1, 1, 1]);
      // 27.5 USD per thousand searches, plus the tokens.
      for (const { quota } of rows) expect(quota).toBeGreaterThan(13_750);
    });

    it('cost their tokens alone where an operator keeps the old price', async () => {
      await testBed.root.data('PUT', '/api/option/', { key: 'ChargeUnaskedSearchEnabled', value: 'false' });
      try {
        const paid = async (): Promise<number> => {
          const { response } = await openai.chat.completions.create({ model: SEARCHING, messages: ask }).withResponse();
          return (await rowOf(testBed, response.headers.get('x-oneapi-request-id') ?? '')).quota;
        };
        expect(await eventually(paid, (quota) => quota < 100)).toBeLessThan(100);
      } finally {
        await testBed.root.data('PUT', '/api/option/', { key: 'ChargeUnaskedSearchEnabled', value: 'true' });
      }
    });
  });

  describe('ai, by its providers of OpenAI, Anthropic and Google', () => {
    const prompt = 'Greet the universe';
    const providers = () => ({
      responses: createOpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key }),
      chat: createOpenAI({ baseURL: `${testBed.url}/v1`, apiKey: key }).chat,
      anthropic: createAnthropic({ baseURL: `${testBed.url}/v1`, apiKey: key }),
      google: createGoogleGenerativeAI({ baseURL: `${testBed.url}/v1beta`, apiKey: key }),
    });

    it.each(all)('whole and streamed over %s', async (upstream) => {
      for (const provider of Object.values(providers())) {
        const asked = { model: provider(MODELS[upstream]), prompt, maxOutputTokens: 50, maxRetries: 0 };
        const { text, usage } = await generateText(asked);
        expect(text).not.toBe('');
        expect(usage.outputTokens).toBeGreaterThan(0);
        expect(await streamText(asked).text).toBe(text);
      }
    });
  });

  describe('LangChain', () => {
    it.each([false, true])('whole and streamed, over responses: %s', async (useResponsesApi) => {
      for (const upstream of all) {
        const model = new ChatOpenAI({
          ...{ model: MODELS[upstream], apiKey: key, useResponsesApi, maxRetries: 0 },
          configuration: { baseURL: `${testBed.url}/v1` },
        });
        const { text } = await model.invoke('Greet the universe');
        expect(text).not.toBe('');
        let streamed = '';
        for await (const chunk of await model.stream('Greet the universe')) streamed += chunk.text;
        expect(streamed).toBe(text);
      }
    });
  });

  describe('sensitive words in replies', () => {
    const put = (key: string, value: string) => testBed.root.data('PUT', '/api/option/', { key, value });
    const prompt = 'hello [[split]]';

    beforeAll(async () => {
      await put('StreamCacheQueueLength', '4');
      await put('SensitiveWords', 'dear Ünïverse');
      await put('CheckSensitiveOnCompletionEnabled', 'true');
      // The relay learns of options a moment later, one after the other.
      google.behave({ parts: [{ text: 'dear Ünïverse' }] });
      const statusOf = async () => {
        const answer = await fetch(`${testBed.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: MODELS.gemini, messages: [{ role: 'user', content: prompt }] }),
        });
        await answer.arrayBuffer();
        return answer.status;
      };
      expect(await eventually(statusOf, (status) => status === 400)).toBe(400);
    });
    afterAll(async () => {
      await put('CheckSensitiveOnCompletionEnabled', 'false');
    });

    it('end a stream before they are out, and cost what was delivered', async () => {
      google.behave({
        parts: ['One', ' two', ' three', ' four', ' five', ' six', ' dear', ' Ünïverse'].map((text) => ({ text })),
      });
      const { data, response } = await openai.chat.completions
        .create({ model: MODELS.gemini, messages: [{ role: 'user', content: prompt }], stream: true })
        .withResponse();
      const texts: string[] = [];
      const read = async () => {
        for await (const chunk of data) texts.push(chunk.choices[0]?.delta.content ?? '');
      };
      await expect(read()).rejects.toMatchObject({ code: 'sensitive_words_detected' });
      expect(texts.join('')).toBe('One two three');
      const row = await rowOf(testBed, response.headers.get('x-oneapi-request-id') ?? '');
      expect(row.completion_tokens).toBe(3);
      expect(row.quota).toBeGreaterThan(0);
      expect(row.other).toMatchObject({ outcome: 'sensitive_words', error_code: 'sensitive_words_detected' });
    });

    it.each([
      [false, 'what was made of it'],
      [true, 'its prompt'],
    ])('refuse a reply that begins with them (stream: %s), and cost %s', async (stream) => {
      google.behave({ parts: [{ text: 'dear Ünïverse' }] });
      const refused = await openai.chat.completions
        .create({ model: MODELS.gemini, messages: [{ role: 'user', content: prompt }], stream })
        .then(
          () => undefined,
          (error: unknown) => error as APIError,
        );
      expect(refused).toMatchObject({ status: 400, code: 'sensitive_words_detected' });
      const row = await rowOf(testBed, refused?.headers?.get('x-oneapi-request-id') ?? '');
      expect(row.other.outcome).toBe('sensitive_words');
      expect(row.completion_tokens > 0).toBe(!stream);
      expect(row.quota).toBeGreaterThan(0);
    });
  });
});
