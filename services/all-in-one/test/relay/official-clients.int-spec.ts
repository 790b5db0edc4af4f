import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { APIError } from '@anthropic-ai/sdk';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText } from 'ai';
import { readUntil } from '@tollgate/testing';
import { logRows, rowOf } from '../support/relay-site.js';
import { describeGoogleGenAi } from './google-genai.js';
import { MODELS, OfficialClientsWorld, SEARCHING, UPSTREAMS } from './official-clients-world.js';
import { describeOpenAiResponses } from './openai-responses.js';
import { describeSensitiveReplies } from './sensitive-replies.js';

describe('official clients', () => {
  const world = new OfficialClientsWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.reset());

  describeOpenAiResponses(world);
  describeGoogleGenAi(world);

  describe('@anthropic-ai/sdk', () => {
    it('lists models, retrieves one, and gets an error of its dialect for an unknown one', async () => {
      const { data } = await world.anthropic.models.list();
      expect(data).toContainEqual(expect.objectContaining({ type: 'model', id: MODELS.deepseek }));
      expect(await world.anthropic.models.retrieve(MODELS.gemini)).toMatchObject({ type: 'model', id: MODELS.gemini });
      const missing = world.anthropic.models.retrieve('nothing');
      await expect(missing).rejects.toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } });
    });

    it('gets an error of its dialect for calls that are not implemented or unknown', async () => {
      const { files, skills } = world.anthropic.beta;
      for (const [call, status] of [
        [files.list(), 501],
        [skills.list(), 404],
      ] as const)
        await expect(call).rejects.toMatchObject({
          ...{ status, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) },
          error: { type: 'error', error: { message: expect.any(String) } },
        });
    });

    it.each(UPSTREAMS)('gets the id of each request over %s', async (upstream) => {
      const asked = { model: MODELS[upstream], max_tokens: 50, messages: [{ role: 'user' as const, content: 'hi' }] };
      const { messages } = world.anthropic;
      const streamed = messages.stream(asked);
      await streamed.finalMessage();
      const counted = await messages.countTokens(asked);
      for (const id of [(await messages.create(asked))._request_id, streamed.request_id, counted._request_id])
        expect(id).toMatch(/^[0-9a-f-]{36}$/);
      const failed = (await messages.create({ ...asked, messages: [] }).catch((error: unknown) => error)) as APIError;
      expect(failed.error).toMatchObject({ request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(failed.requestID).toBe((failed.error as { request_id: string }).request_id);
      const { headers } = await world.openai.chat.completions.create(asked).asResponse();
      expect(headers.get('request-id')).toBeNull();
    });

    it.each(UPSTREAMS)('runs tools over %s without the thread that it asks for first', async (upstream) => {
      if (upstream === 'gemini') world.google.behave({ parts: [{ functionCall: { name: 'weather', args: {} } }] });
      const run = (): string => {
        world.google.behave({});
        return 'blue sky';
      };
      const { messages } = world.anthropic.beta;
      const runner = messages.toolRunner({
        ...{ model: MODELS[upstream], max_tokens: 50, messages: [{ role: 'user', content: 'How is it?' }] },
        tools: [{ name: 'weather', input_schema: { type: 'object' }, run, parse: (input) => input }],
      });
      expect(await runner.runUntilDone()).toMatchObject({ content: [{ type: 'text' }], stop_reason: 'end_turn' });
      if (upstream === 'gemini') expect(JSON.stringify(world.google.calls.at(-1)?.body)).toMatch(/How is it.*blue sky/);
      const counted = { model: MODELS[upstream], messages: [], thread: { type: 'create' } };
      await expect(messages.countTokens(counted as never)).rejects.toMatchObject({
        ...{ status: 400, error: { error: { details: { error_code: 'thread_unsupported_request' } } } },
      });
    });
  });

  describe('openai', () => {
    it('gets the id of each request, of the upstream where it states one', async () => {
      const { chat, responses } = world.openai;
      const asked = { model: MODELS.gemini, messages: [{ role: 'user' as const, content: 'hi' }] };
      const answers = [
        await chat.completions.create(asked).withResponse(),
        await chat.completions.create({ ...asked, stream: true }).withResponse(),
        await responses.create({ model: MODELS.gemini, input: 'hi' }).withResponse(),
      ];
      for (const { request_id: id, response } of answers) {
        expect(id).toMatch(/^[0-9a-f-]{36}$/);
        expect(id).toBe(response.headers.get('x-oneapi-request-id'));
        await response.body?.cancel().catch(() => undefined);
      }
      const refused = chat.completions.create({ ...asked, messages: [] });
      await expect(refused).rejects.toMatchObject({ status: 400, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      const own = await chat.completions.create({ ...asked, model: MODELS.openai });
      expect(own._request_id).toMatch(/^req_fake_/);
    });
  });

  it.each(UPSTREAMS)('read the stream of %s, which answers as a whole, as the whole reply', async (upstream) => {
    const model = MODELS[upstream];
    const content = 'Greet the universe';
    const messages = [{ role: 'user' as const, content }];
    const whole = await world.openai.chat.completions.create({ model, messages });
    const text = whole.choices[0]?.message.content;
    world.fake.control({ whole: true });
    world.google.behave({ isWhole: true });
    const { chat, responses } = world.openai;
    const chatted = chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
    expect(await chatted.finalChatCompletion()).toMatchObject({
      choices: [{ message: { content: text }, finish_reason: 'stop' }],
      usage: whole.usage,
    });
    const messaged = world.anthropic.messages.stream({ model, max_tokens: 50, messages });
    expect(await messaged.finalMessage()).toMatchObject({
      content: [{ type: 'text', text }],
      usage: { input_tokens: whole.usage?.prompt_tokens, output_tokens: whole.usage?.completion_tokens },
    });
    expect(await responses.stream({ model, input: content }).finalResponse()).toMatchObject({ output_text: text });
    let generated = '';
    for await (const chunk of await world.genai.models.generateContentStream({ model, contents: content }))
      generated += chunk.text ?? '';
    expect(generated).toBe(text);
  });

  describe('sources and searches of a search model', () => {
    const url = 'https://sources.fake-upstream.com/b';
    const ask = [{ role: 'user' as const, content: 'What is new?' }];

    it('reach each client in its own dialect, and the search is charged', async () => {
      const chat = await world.openai.chat.completions.create({ model: SEARCHING, messages: ask });
      expect(chat.choices[0]?.message.annotations?.map(({ url_citation: { url: at } }) => at)).toContain(url);
      const message = await world.anthropic.messages.create({ model: SEARCHING, max_tokens: 50, messages: ask });
      expect(JSON.stringify(message.content)).toContain(url);
      const streamed = await world.anthropic.messages
        .stream({ model: SEARCHING, max_tokens: 50, messages: ask })
        .finalMessage();
      const block = streamed.content[0]?.type === 'text' ? streamed.content[0] : undefined;
      expect(block?.citations?.map(({ type }) => type)).toEqual(Array(2).fill('web_search_result_location'));
      const { output } = await world.openai.responses
        .stream({ model: SEARCHING, input: 'What is new?' })
        .finalResponse();
      const [said] = output.flatMap((item) => (item.type === 'message' ? item.content : []));
      expect(said).toMatchObject({ annotations: [{ type: 'url_citation' }, { type: 'url_citation', url }] });
      const found = await world.genai.models.generateContent({ model: SEARCHING, contents: 'What is new?' });
      const pages = found.candidates?.[0]?.groundingMetadata?.groundingChunks;
      expect(pages?.map(({ web }) => web?.uri)).toContain(url);
      const own = async () => (await logRows(world.testBed)).filter(({ model_name: name }) => name === SEARCHING);
      const rows = await readUntil(own, ({ length }) => length >= 5);
      expect(rows.map(({ other }) => other.web_search_call_count)).toEqual([1, 1, 1, 1, 1]);
      // 27.5 USD per thousand searches, plus the tokens.
      for (const { quota } of rows) expect(quota).toBeGreaterThan(13_750);
    });

    it('cost only their tokens when the operator disables the charge for searches', async () => {
      await world.testBed.root.data('PUT', '/api/option/', { key: 'ChargeUnaskedSearchEnabled', value: 'false' });
      try {
        const paid = async (): Promise<number> => {
          const { response } = await world.openai.chat.completions
            .create({ model: SEARCHING, messages: ask })
            .withResponse();
          return (await rowOf(world.testBed, response.headers.get('x-oneapi-request-id') ?? '')).quota;
        };
        expect(await readUntil(paid, (quota) => quota < 100)).toBeLessThan(100);
      } finally {
        await world.testBed.root.data('PUT', '/api/option/', { key: 'ChargeUnaskedSearchEnabled', value: 'true' });
      }
    });
  });

  describe('ai, by its providers of OpenAI, Anthropic and Google', () => {
    const prompt = 'Greet the universe';
    const providers = () => ({
      responses: createOpenAI({ baseURL: `${world.testBed.url}/v1`, apiKey: world.key }),
      chat: createOpenAI({ baseURL: `${world.testBed.url}/v1`, apiKey: world.key }).chat,
      anthropic: createAnthropic({ baseURL: `${world.testBed.url}/v1`, apiKey: world.key }),
      google: createGoogleGenerativeAI({ baseURL: `${world.testBed.url}/v1beta`, apiKey: world.key }),
    });

    it.each(UPSTREAMS)('whole and streamed over %s', async (upstream) => {
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
      for (const upstream of UPSTREAMS) {
        const model = new ChatOpenAI({
          ...{ model: MODELS[upstream], apiKey: world.key, useResponsesApi, maxRetries: 0 },
          configuration: { baseURL: `${world.testBed.url}/v1` },
        });
        const { text } = await model.invoke('Greet the universe');
        expect(text).not.toBe('');
        let streamed = '';
        for await (const chunk of await model.stream('Greet the universe')) streamed += chunk.text;
        expect(streamed).toBe(text);
      }
    });
  });

  describeSensitiveReplies(world);
});
