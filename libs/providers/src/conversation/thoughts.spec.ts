import { describe, expect, it } from '@jest/globals';
import { dataOf, fixture, play, replyContext } from '../../test/factories.js';
import { clients } from '../../test/matrix/clients.js';
import type { JsonObject } from '../adapter.js';
import { findProvider } from '../registry.js';

const context = replyContext({ setting: { thinking_to_content: true } });
const recorded: Readonly<Record<number, Buffer>> = {
  14: fixture(`${import.meta.dirname}/../anthropic`, 'thinking-and-tools.sse'),
  24: fixture(`${import.meta.dirname}/../gemini`, 'thinking-and-tools.sse'),
  43: fixture(`${import.meta.dirname}/../openai-compatible`, 'reasoning.sse'),
};
const pairs = Object.keys(recorded).flatMap((type) =>
  (['chat', 'messages', 'gemini', 'responses'] as const).map((name) => [name, Number(type)] as const),
);

const textIn = (value: unknown, member: string): string => String((value as JsonObject | undefined)?.[member] ?? '');

function textOf(name: 'chat' | 'messages' | 'gemini' | 'responses', frames: string): string {
  const said = dataOf(frames);
  if (name === 'messages') return said.map(({ delta }) => textIn(delta, 'text')).join('');
  if (name !== 'chat') return clients[name].readStream(frames).text;
  const choices = said.flatMap((chunk) => chunk.choices as JsonObject[]);
  return choices.map(({ delta }) => textIn(delta, 'content')).join('');
}

describe('thoughts told as text, where a channel is set to', () => {
  it.each(pairs)('reach clients of %s over type %d between tags, and nowhere else', (name, type) => {
    const adapter = findProvider(type)?.[name];
    if (!adapter) throw new Error('no adapter');
    const frames = play(adapter.openStream(context), recorded[type] ?? Buffer.alloc(0));
    const text = textOf(name, frames);
    expect(text).toMatch(/^<think>\n[^<]+\n<\/think>\n/);
    expect(text.match(/<\/?think>/g)).toHaveLength(2);
    expect(frames).not.toMatch(/reasoning_content|thinking_delta|"thought":true|reasoning_summary/);
  });

  it('are in a whole answer as well', () => {
    const body = Buffer.from(
      JSON.stringify({
        ...{ type: 'message', stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 2 } },
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: 'Hi' },
        ],
      }),
    );
    for (const name of ['chat', 'messages', 'gemini', 'responses'] as const) {
      const reply = findProvider(14)?.[name]?.fromReply(body, context);
      expect(clients[name].read(reply?.body ?? body).text).toBe('<think>\nHm\n</think>\nHi');
    }
  });

  it('stay what they are without the setting', () => {
    const stream = findProvider(14)?.messages?.openStream(replyContext());
    const bytes = recorded[14] ?? Buffer.alloc(0);
    expect(stream && play(stream, bytes)).toBe(bytes.toString());
  });
});

describe('a whole answer in the standard form', () => {
  it('has the members of the standard only', () => {
    const body = Buffer.from(JSON.stringify({ choices: [{ index: 0, message: { content: 'x' } }], own: 1, id: 'a' }));
    const reply = findProvider(43)?.chat?.fromReply(body, replyContext({ setting: { force_format: true } }));
    expect(JSON.parse(reply?.body.toString() ?? '')).toEqual({
      ...{ id: 'a', object: 'chat.completion', created: 1_700_000_000, model: 'gpt-4o-mini' },
      choices: [{ index: 0, message: { content: 'x' }, finish_reason: null }],
    });
  });
});
