import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { ClientRequest, JsonObject, TextAdapter } from '../adapter.js';
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
