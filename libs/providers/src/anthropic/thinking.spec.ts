import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { ClientRequest, Dialect, JsonObject, TextAdapter } from '../adapter.js';
import { anthropic } from '../upstreams/anthropic.js';

const MODEL = 'claude-sonnet-4-5';
const bodyOf = (adapter: TextAdapter, request: ClientRequest, model = MODEL): JsonObject =>
  JSON.parse(String(adapter.toUpstream(request, channelTarget({ channelType: 14, model })).body)) as JsonObject;

const thinking = { type: 'enabled', budget_tokens: 2000 };
const question = { role: 'user', content: 'hi' };
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
const chatLoop = [
  question,
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'a', content: 'x' },
];
const thought = (signature: string): JsonObject => ({ type: 'thinking', thinking: 'hm', signature });
const toolUse = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };
const loop = (...before: JsonObject[]): JsonObject[] => [
  question,
  { role: 'assistant', content: [...before, toolUse] },
  result,
];

describe('thinking over Claude in the middle of calls', () => {
  const chat = (rest: JsonObject, model?: string): JsonObject =>
    bodyOf(anthropic.chat, clientRequest({ max_tokens: 4000, temperature: 0, ...rest }), model);

  it('is left out while the turn that goes on has lost its thoughts', () => {
    expect(chat({ messages: chatLoop, thinking })).toMatchObject({ max_tokens: 4000, temperature: 0 });
    expect(chat({ messages: chatLoop, thinking })).not.toHaveProperty('thinking');
    const named = chat({ messages: chatLoop }, `${MODEL}-thinking`);
    expect(named).toMatchObject({ model: MODEL, max_tokens: 4000, temperature: 0 });
    expect(named).not.toHaveProperty('thinking');
  });

  it('is asked for again in the next turn, and kept where it needs no thoughts', () => {
    const messages = [...chatLoop, { role: 'assistant', content: 'done' }, question];
    expect(chat({ messages, thinking }).thinking).toEqual(thinking);
    expect(chat({ messages }, `${MODEL}-thinking`).thinking).toEqual({ type: 'enabled', budget_tokens: 3200 });
    expect(chat({ messages: chatLoop, thinking: { type: 'adaptive' } }).thinking).toEqual({ type: 'adaptive' });
  });

  it('is not turned on by a name for a message whose calls have no thoughts', () => {
    const named = (messages: JsonObject[]): JsonObject => {
      const json = { model: MODEL, max_tokens: 4000, messages };
      return bodyOf(anthropic.messages, clientRequest(json, { dialect: 'anthropic' }), `${MODEL}-thinking`);
    };
    expect(named(loop())).toEqual({ model: MODEL, max_tokens: 4000, messages: loop() });
    expect(named(loop(thought('s'))).thinking).toEqual({ type: 'enabled', budget_tokens: 3200 });
    expect(named(loop({ type: 'redacted_thinking', data: 'x' }))).toHaveProperty('thinking');
  });
});

describe('thinking over Claude by the suffix of a name', () => {
  const sent = (rest: JsonObject, model = MODEL): JsonObject => {
    const json = { model: MODEL, max_tokens: 4000, messages: [question], ...rest };
    return bodyOf(anthropic.messages, clientRequest(json, { dialect: 'anthropic' }), `${model}-thinking`);
  };

  it('leaves out what Anthropic refuses beside it', () => {
    const body = sent({ temperature: 0.2, top_p: 0.5, top_k: 40, tool_choice: { type: 'auto' } });
    expect(body).toMatchObject({ temperature: 1, thinking: { type: 'enabled', budget_tokens: 3200 } });
    expect(body).not.toHaveProperty('top_p');
    expect(body).not.toHaveProperty('top_k');
  });

  it('is left to a model that takes no budget', () => {
    const body = { model: 'claude-opus-4-7', max_tokens: 4000, thinking: { type: 'adaptive' } };
    expect(sent({ temperature: 0.2, top_p: 0.5, top_k: 40 }, body.model)).toEqual({ ...body, messages: [question] });
    const chat = clientRequest({ messages: [question], max_tokens: 4000, temperature: 0.2 });
    expect(bodyOf(anthropic.chat, chat, `${body.model}-thinking`)).toEqual({ ...body, messages: [question] });
  });

  it.each(['any', 'tool'])('is off where a call is demanded: %s', (type) => {
    const demanded = { temperature: 0.2, top_k: 40, tool_choice: { type, name: 'f' } };
    expect(sent(demanded)).toEqual({ model: MODEL, max_tokens: 4000, messages: [question], ...demanded });
  });
});

describe('thoughts in a message request to Claude', () => {
  const sent = (json: JsonObject, text = JSON.stringify(json)) => {
    const request = clientRequest(json, { dialect: 'anthropic', text });
    const { body } = anthropic.messages.toUpstream(request, channelTarget({ channelType: 14, model: MODEL }));
    return { request, body, json: JSON.parse(String(body)) as JsonObject };
  };
  const base = { model: MODEL, max_tokens: 4000 };

  it('are left out where another upstream had them, which signs none', () => {
    const said = { type: 'text', text: 'yes' };
    const messages = [
      question,
      { role: 'assistant', content: [thought(''), said] },
      question,
      { role: 'assistant', content: [thought('')] },
      question,
      { role: 'assistant', content: [thought('s'), said] },
      question,
    ];
    const kept = [
      question,
      { role: 'assistant', content: [said] },
      question,
      { role: 'assistant', content: [{ type: 'text', text: '...' }] },
      ...messages.slice(4),
    ];
    for (const space of [0, 2])
      expect(sent({ ...base, messages }, JSON.stringify({ ...base, messages }, null, space)).json).toEqual({
        ...base,
        messages: kept,
      });
  });

  it('and with them the thinking of a turn whose calls would be left without thoughts', () => {
    expect(sent({ ...base, thinking, messages: loop(thought('')) }).json).toEqual({ ...base, messages: loop() });
    const answered = [...loop(thought('')), { role: 'assistant', content: 'done' }, question];
    expect(sent({ ...base, thinking, messages: answered }).json).toHaveProperty('thinking', thinking);
  });

  it.each<[string, JsonObject]>([
    ['signed thoughts', { thinking, messages: loop(thought('s')) }],
    ['no thoughts', { thinking, messages: loop() }],
    [
      'an argument of that name',
      { messages: [question, { role: 'assistant', content: [{ ...toolUse, input: thought('') }] }] },
    ],
  ])('with %s are the bytes of the client', (_, rest) => {
    const { request, body } = sent({ ...base, ...rest });
    expect(body).toBe(request.bytes);
  });
});

describe("a budget of Google's clients over Claude", () => {
  const sent = (generationConfig: JsonObject, rest: JsonObject = {}, outputLimit?: number): JsonObject => {
    const json = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig, ...rest };
    const dialect: Dialect = 'gemini';
    return bodyOf(
      anthropic.gemini,
      clientRequest(json, { dialect, ...(outputLimit !== undefined && { outputLimit }) }),
    );
  };
  const budget = (thinkingBudget: number): JsonObject => ({ thinkingConfig: { thinkingBudget } });

  it.each([
    ['128, as much as Claude needs', 128, 4000, 1024],
    ['2000', 2000, 4000, 2000],
    ['24576, less than the limit', 24_576, 4000, 3999],
    ['24576, less than the limit that there is by default', 24_576, undefined, 8191],
  ])('is for %s', (_, asked, maxOutputTokens, budgetTokens) => {
    const { thinking: written } = sent({ ...budget(asked), ...(maxOutputTokens && { maxOutputTokens }) });
    expect(written).toEqual({ type: 'enabled', budget_tokens: budgetTokens });
  });

  it('is left out where the limit has no room for it, or a call is demanded', () => {
    expect(sent({ ...budget(2000), maxOutputTokens: 1024 })).not.toHaveProperty('thinking');
    expect(sent({ ...budget(2000), maxOutputTokens: 4000 }, {}, 500)).not.toHaveProperty('thinking');
    const tools = [{ functionDeclarations: [{ name: 'f' }] }];
    const toolConfig = { functionCallingConfig: { mode: 'ANY' } };
    expect(sent({ ...budget(2000), maxOutputTokens: 4000 }, { tools, toolConfig })).not.toHaveProperty('thinking');
  });

  it('takes away the sampling that Claude refuses beside it', () => {
    const sampling = { temperature: 0.2, topK: 5, topP: 0.9, maxOutputTokens: 4000 };
    const written = sent({ ...budget(2000), ...sampling });
    for (const name of ['temperature', 'top_k', 'top_p']) expect(written).not.toHaveProperty(name);
    expect(sent({ ...budget(2000), ...sampling, topP: 0.95 })).toHaveProperty('top_p', 0.95);
    expect(sent(sampling)).toMatchObject({ temperature: 0.2, top_k: 5 });
  });
});
