import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, dataOf, play, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { anthropic } from '../upstreams/anthropic.js';
import { isOfCompletions } from './complete.js';

const target = channelTarget({ channelType: 14, model: 'claude-2.1', key: 'sk-ant' });
const context = replyContext({ model: 'claude-2.1', upstreamModel: 'claude-2.1' });
const ask = (json: JsonObject, outputLimit?: number) =>
  anthropic.chat.toUpstream(clientRequest(json, outputLimit === undefined ? {} : { outputLimit }), target);
const bodyOf = (...asked: Parameters<typeof ask>): JsonObject =>
  JSON.parse(ask(...asked).body?.toString() ?? '') as JsonObject;

describe('the oldest models of Anthropic', () => {
  it.each([
    ...['claude-instant-1.2', 'claude-instant-1', 'claude-2', 'claude-2.0', 'claude-2.1', 'claude-v1'].map((name) => [
      name,
      true,
    ]),
    ...['claude-3-haiku-20240307', 'claude-sonnet-4-20250514', 'claude-opus-4-1', 'claude-20-x'].map((name) => [
      name,
      false,
    ]),
  ] as [string, boolean][])('are told by their names: %s, %p', (name, expected) => {
    expect(isOfCompletions(name)).toBe(expected);
  });

  it('are asked to continue a text', () => {
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: [{ type: 'text', text: 'Who?' }] },
    ];
    const { url, headers } = ask({ messages });
    expect([url, headers['x-api-key'], headers['anthropic-version']]).toEqual([
      'https://api.anthropic.com/v1/complete',
      'sk-ant',
      '2023-06-01',
    ]);
    expect(bodyOf({ messages, temperature: 0.5, stop: 'END' })).toEqual({
      model: 'claude-2.1',
      prompt: 'Be kind.\n\nHuman: hi\n\nAssistant: Hello.\n\nHuman: Who?\n\nAssistant:',
      max_tokens_to_sample: 4096,
      temperature: 0.5,
      stop_sequences: ['END'],
    });
    expect(bodyOf({ messages, max_tokens: 9 }).max_tokens_to_sample).toBe(9);
    expect(bodyOf({ messages, max_tokens: 9 }, 5).max_tokens_to_sample).toBe(5);
    expect(bodyOf({ messages }, 5).max_tokens_to_sample).toBe(5);
  });

  it('answer with what follows, and state no usage', () => {
    const completion = { id: 'compl_1', completion: ' Me.', stop_reason: 'max_tokens', model: 'claude-2.1' };
    const { body, usage, text } = anthropic.chat.fromReply(Buffer.from(JSON.stringify(completion)), context);
    expect(JSON.parse(body.toString())).toMatchObject({
      id: 'compl_1',
      model: 'claude-2.1',
      choices: [{ message: { content: 'Me.' }, finish_reason: 'length' }],
    });
    expect([usage, text().text]).toEqual([undefined, 'Me.']);
  });

  it('answer with a stream of it', () => {
    const pieces = [
      { completion: 'Me', stop_reason: null },
      { completion: '.', stop_reason: null },
      { completion: '', stop_reason: 'stop_sequence' },
    ];
    const bytes = pieces.map(
      (piece) => `event: completion\ndata: ${JSON.stringify({ type: 'completion', ...piece })}\n\n`,
    );
    const stream = anthropic.chat.openStream(context);
    const sent = play(stream, Buffer.from(`event: ping\ndata: {}\n\n${bytes.join('')}`), [7]);
    const choices = dataOf(sent).map((chunk) => (chunk.choices as JsonObject[])[0]);
    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Me' },
      { content: '.' },
      {},
    ]);
    expect([choices.at(-1)?.finish_reason, stream.isComplete, stream.text().text]).toEqual(['stop', true, 'Me.']);
  });
});
