import { describe, expect, it } from '@jest/globals';
import { replyContext } from '../../test/factories.js';
import { anthropic } from '../upstreams/anthropic.js';

describe('a whole message for a chat client', () => {
  it.each(['max_tokens', 'model_context_window_exceeded'])('says length where it ends with %s', (reason) => {
    const message = { content: [{ type: 'text', text: 'Gr' }], stop_reason: reason };
    const reply = anthropic.chat.fromReply(Buffer.from(JSON.stringify(message)), replyContext());
    expect(JSON.parse(String(reply.body))).toMatchObject({ choices: [{ finish_reason: 'length' }] });
  });

  it('keeps all text, reasoning and calls, and counts the cache into the prompt', () => {
    const message = {
      id: 'msg_1',
      model: 'claude-x',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'one ' },
        { type: 'text', text: 'two' },
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 0 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 3 },
    };
    const reply = anthropic.chat.fromReply(Buffer.from(JSON.stringify(message)), replyContext());

    expect(JSON.parse(reply.body.toString())).toMatchObject({
      id: 'msg_1',
      object: 'chat.completion',
      choices: [
        {
          message: {
            content: 'one two',
            reasoning_content: 'hm',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":0}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 15, completion_tokens: 3, total_tokens: 18 },
    });
    expect(reply.usage).toMatchObject({ semantics: 'anthropic', inputTokens: 10, cacheReadTokens: 5 });
  });
});
