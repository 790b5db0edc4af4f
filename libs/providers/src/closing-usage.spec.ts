import { describe, expect, it } from '@jest/globals';
import { replyContext } from '../test/factories.js';
import type { JsonObject, ReplyStream } from './adapter.js';
import { anthropic } from './upstreams/anthropic.js';
import { gemini } from './upstreams/gemini.js';
import { openAiCompatible } from './upstreams/openai-compatible.js';

type Event = 'say' | 'call' | 'finish' | 'end' | { tokens: number; with?: 'text' | 'finish' };

const openAiChunk = (choice: JsonObject | undefined, tokens?: number): string =>
  `data: ${JSON.stringify({
    id: 'c',
    model: 'm',
    choices: choice ? [{ index: 0, ...choice }] : [],
    ...(tokens !== undefined && { usage: { prompt_tokens: 3, completion_tokens: tokens } }),
  })}\n\n`;

function openAi(event: Event): string {
  if (event === 'say') return openAiChunk({ delta: { content: 'word ' } });
  if (event === 'call')
    return openAiChunk({ delta: { tool_calls: [{ index: 0, id: 't', function: { name: 'f', arguments: '{}' } }] } });
  if (event === 'finish') return openAiChunk({ delta: {}, finish_reason: 'stop' });
  if (event === 'end') return 'data: [DONE]\n\n';
  const choices = { text: { delta: { content: 'word ' } }, finish: { delta: {}, finish_reason: 'stop' } };
  return openAiChunk(event.with && choices[event.with], event.tokens);
}

const anthropicEvent = (data: JsonObject): string => `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`;

function messages(event: Event): string {
  if (event === 'say')
    return anthropicEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } });
  if (event === 'call')
    return anthropicEvent({
      ...{ type: 'content_block_start', index: 1 },
      content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
    });
  if (event === 'finish') return anthropicEvent({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
  if (event === 'end') return anthropicEvent({ type: 'message_stop' });
  const delta = event.with === 'finish' ? { stop_reason: 'end_turn' } : {};
  const usage = { input_tokens: 3, output_tokens: event.tokens };
  return (event.with === 'text' ? messages('say') : '') + anthropicEvent({ type: 'message_delta', delta, usage });
}

const geminiChunk = (candidate: JsonObject, tokens?: number): string =>
  `data: ${JSON.stringify({
    candidates: [{ index: 0, ...candidate }],
    ...(tokens !== undefined && { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: tokens } }),
  })}\r\n\r\n`;

function google(event: Event): string {
  const say = { content: { parts: [{ text: 'word ' }] } };
  if (event === 'say') return geminiChunk(say);
  if (event === 'call') return geminiChunk({ content: { parts: [{ functionCall: { name: 'f', args: {} } }] } });
  if (event === 'finish') return geminiChunk({ finishReason: 'STOP' });
  if (event === 'end') return '';
  const candidates = { text: say, finish: { finishReason: 'STOP' } };
  return geminiChunk(event.with ? candidates[event.with] : {}, event.tokens);
}

const compatible = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });
const ways: [name: string, open: () => ReplyStream, write: (event: Event) => string][] = [
  ['OpenAI as it is', () => compatible.chat.openStream(replyContext()), openAi],
  ['OpenAI for an Anthropic client', () => compatible.messages.openStream(replyContext()), openAi],
  ['Gemini as it is', () => gemini.gemini.openStream(replyContext()), google],
  ['Gemini for a chat client', () => gemini.chat.openStream(replyContext()), google],
  ['Anthropic as it is', () => anthropic.messages.openStream(replyContext()), messages],
  ['Anthropic for a chat client', () => anthropic.chat.openStream(replyContext()), messages],
];

/** Tokens of the closing usage, and of the last usage stated anywhere. */
type Expected = [closing: number | undefined, soFar: number];
const stories: [name: string, events: Event[], expected: Expected][] = [
  ['after everything', ['say', 'say', 'finish', { tokens: 7 }, 'end'], [7, 7]],
  ['with the finish reason', ['say', { tokens: 7, with: 'finish' }, 'end'], [7, 7]],
  ['before a finish that says nothing', ['say', { tokens: 7 }, 'finish', 'end'], [7, 7]],
  [
    'with each chunk',
    [{ tokens: 1, with: 'text' }, { tokens: 2, with: 'text' }, { tokens: 2, with: 'finish' }, 'end'],
    [2, 2],
  ],
  ['twice', ['say', { tokens: 1 }, 'say', 'finish', { tokens: 7 }, 'end'], [7, 7]],
  ['in the middle only', ['say', { tokens: 1 }, 'say', 'finish', 'end'], [undefined, 1]],
  ['in the middle, before a tool is called', ['say', { tokens: 1 }, 'call', 'finish', 'end'], [undefined, 1]],
  ['at the end of an answer that goes on', ['say', { tokens: 1, with: 'finish' }, 'say', 'end'], [undefined, 1]],
  ['so far, of an answer without an end', ['say', { tokens: 1, with: 'text' }], [undefined, 1]],
];

describe.each(ways)('a usage that is told in a stream of %s', (_, open, write) => {
  it.each(stories)('%s', (_name, events, [closing, soFar]) => {
    for (const pieces of [events.map(write), [events.map(write).join('')]]) {
      const stream = open();
      for (const piece of pieces) stream.push(Buffer.from(piece));
      expect([stream.usage()?.outputTokens, stream.usageSoFar()?.outputTokens]).toEqual([closing, soFar]);
      stream.dispose();
    }
  });
});

it.each([
  ['Anthropic as it is', () => anthropic.messages.openStream(replyContext())],
  ['Anthropic for a chat client', () => anthropic.chat.openStream(replyContext())],
])('a usage that never speaks of the prompt is none: %s', (_, open) => {
  const stream = open();
  const delta = { stop_reason: 'end_turn' };
  for (const data of [
    { type: 'message_start', message: { id: 'm', model: 'm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } },
    { type: 'message_delta', delta, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ])
    stream.push(Buffer.from(anthropicEvent(data)));
  expect([stream.isComplete, stream.usage(), stream.usageSoFar()]).toEqual([true, undefined, undefined]);
});
