import { describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import type { Usage } from '@tollgate/contracts';
import OpenAI from 'openai';
import { dataOf, replyContext } from '../../test/factories.js';
import type { Dialect, JsonObject } from '../adapter.js';
import { fitsStream, wholeAsStream } from './whole-as-stream.js';

// The official clients put the replies together again, so that nothing of a reply is lost in its stream.

const BOOKED: Usage = {
  semantics: 'openai',
  inputTokens: 21,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 10,
};

const framesOf = (dialect: Dialect, reply: JsonObject, includeUsage = true): string =>
  wholeAsStream(dialect, Buffer.from(JSON.stringify(reply)), replyContext({ includeUsage }), BOOKED).toString();

const answering = (dialect: Dialect, reply: JsonObject) => ({
  apiKey: 'k',
  fetch: () =>
    Promise.resolve(new Response(framesOf(dialect, reply), { headers: { 'content-type': 'text/event-stream' } })),
});

const call = (id: string, name: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: '{"a":1}' },
});
const completion: JsonObject = {
  ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm', system_fingerprint: 'f' },
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi', refusal: null, tool_calls: [call('a', 'f'), call('b', 'g')] },
      logprobs: { content: [{ token: 'Hi', logprob: -0.5, bytes: null, top_logprobs: [] }], refusal: null },
      finish_reason: 'tool_calls',
    },
    { index: 1, message: { role: 'assistant', content: 'Ho', refusal: null }, logprobs: null, finish_reason: 'length' },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

describe('a whole completion as a stream', () => {
  it('has all choices, calls and logprobs', async () => {
    const { chat } = new OpenAI(answering('openai', completion));
    const messages = [{ role: 'user' as const, content: 'x' }];
    const stream = chat.completions.stream({ model: 'm', messages });
    expect(await stream.finalChatCompletion()).toMatchObject(completion);
  });

  it('has its usage if the client asked for it, or the booked one', () => {
    const usageOf = (reply: JsonObject, isAsked = true) => dataOf(framesOf('openai', reply, isAsked)).at(-1)?.usage;
    const { usage, ...silent } = completion;
    expect(usageOf(completion)).toEqual(usage);
    expect(usageOf(silent)).toMatchObject({ prompt_tokens: 21, completion_tokens: 10 });
    expect(usageOf(completion, false)).toBeUndefined();
  });

  it('has the text of legacy completions, and an end where the upstream states none', () => {
    const reply = { id: 'c1', object: 'text_completion', choices: [{ index: 0, text: 'Hi', logprobs: null }] };
    expect(dataOf(framesOf('openai', reply, false))).toEqual([
      { ...reply, choices: [{ index: 0, text: 'Hi', logprobs: null, finish_reason: null }] },
      { ...reply, choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
    ]);
  });
});

it('is a whole message with all blocks, also those of tools that Anthropic runs', async () => {
  const location = {
    type: 'char_location',
    cited_text: 'x',
    document_index: 0,
    start_char_index: 0,
    end_char_index: 1,
  };
  const message: JsonObject = {
    ...{ id: 'm1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
    content: [
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', url: 'https://x' }] },
      { type: 'text', text: 'Hi', citations: [{ ...location, document_title: null }] },
      { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Ulm' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 2, server_tool_use: { web_search_requests: 1 } },
  };
  const { messages } = new Anthropic(answering('anthropic', message));
  const asked = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'x' }] };
  expect(await messages.stream(asked).finalMessage()).toMatchObject(message);
  const { usage: _, ...silent } = message;
  const last = await new Anthropic(answering('anthropic', silent)).messages.stream(asked).finalMessage();
  expect(last.usage).toMatchObject({ input_tokens: 21, output_tokens: 10 });
});

describe('a whole response as a stream', () => {
  const part = {
    type: 'output_text',
    text: 'Hi',
    annotations: [{ type: 'url_citation', url: 'https://x' }],
    logprobs: [],
  };
  const response: JsonObject = {
    ...{ id: 'r1', object: 'response', created_at: 1, status: 'completed', model: 'm', error: null },
    output: [
      { id: 'rs1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
      { id: 'ws1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
      {
        id: 'm1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [part, { type: 'refusal', refusal: 'No' }],
      },
      {
        id: 'f1',
        type: 'function_call',
        status: 'completed',
        call_id: 'c1',
        name: 'weather',
        arguments: '{"city":"Ulm"}',
      },
    ],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  };
  const last = (reply: JsonObject) =>
    new OpenAI(answering('responses', reply)).responses.stream({ model: 'm', input: 'x' }).finalResponse();

  it('has all items, and numbered events that complete them piece by piece', async () => {
    expect(await last(response)).toMatchObject(response);
    const events = dataOf(framesOf('responses', response));
    expect(events.map(({ sequence_number: place }) => place)).toEqual(events.map((_, index) => index));
    const said = (type: string) => events.filter((event) => event.type === type).map(({ delta }) => delta);
    expect(said('response.output_text.delta')).toEqual(['Hi']);
    expect(said('response.reasoning_summary_text.delta')).toEqual(['Hm']);
    expect(said('response.function_call_arguments.delta')).toEqual(['{"city":"Ulm"}']);
  });

  it('says that it is incomplete', async () => {
    const cut = { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(await last(cut)).toMatchObject(cut);
    expect(dataOf(framesOf('responses', cut)).at(-1)?.type).toBe('response.incomplete');
  });
});

it("is one chunk of Google's, whose data are one line", () => {
  const reply = { candidates: [{ content: { parts: [{ text: 'a\nb' }] }, finishReason: 'STOP', index: 0 }] };
  const body = Buffer.from(JSON.stringify(reply, null, 2));
  const frames = wholeAsStream('gemini', body, replyContext(), BOOKED).toString();
  expect(frames).toBe(`data: ${JSON.stringify(reply)}\n\n`);
});

describe('fitsStream', () => {
  const zeros = Array.from({ length: 20_000 }, () => 0);
  const part = { type: 'output_text', text: '', annotations: zeros };
  const message = { type: 'message', content: [part] };

  it.each<[string, JsonObject]>([
    ['annotations', { output: [message] }],
    ['items', { output: zeros }],
    ['blocks', { content: zeros }],
    ['citations', { content: [{ type: 'text', text: '', citations: zeros }] }],
    ['choices', { choices: zeros }],
    ['calls', { choices: [{ message: { tool_calls: zeros } }] }],
    ['parts over many items', { output: Array.from({ length: 200 }, () => ({ content: zeros.slice(0, 100) })) }],
    ['one long text', { content: [{ type: 'text', text: 'x'.repeat(9 * 1024 * 1024) }] }],
  ])('refuses a reply with too many %s, or too large for its events', (_, reply) => {
    expect(fitsStream(Buffer.from(JSON.stringify(reply)))).toBe(false);
  });

  it('takes an ordinary reply, and lists that make no events', () => {
    expect(fitsStream(Buffer.from(JSON.stringify(completion)))).toBe(true);
    const logprobs = { content: zeros };
    expect(fitsStream(Buffer.from(JSON.stringify({ choices: [{ logprobs }], object: zeros })))).toBe(true);
  });
});
