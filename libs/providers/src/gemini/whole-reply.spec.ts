import { describe, expect, it } from '@jest/globals';
import type { Usage } from '@tollgate/contracts';
import { replyContext } from '../../test/factories.js';
import type { JsonObject, TextAdapter } from '../adapter.js';
import { gemini } from '../upstreams/gemini.js';

const reply = (json: JsonObject, adapter: TextAdapter = gemini.chat) =>
  adapter.fromReply(Buffer.from(JSON.stringify(json)), replyContext());

describe('a whole reply of Gemini', () => {
  const answer = {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'hm', thought: true },
            { text: 'one ' },
            { text: 'two' },
            { inlineData: { mimeType: 'image/png', data: 'AA==' } },
            { functionCall: { name: 'f', args: { x: 0 } } },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 15 },
    modelVersion: 'gemini-2.5-flash-001',
    responseId: 'id1',
  };

  it('becomes a completion with all text, thoughts, pictures and calls', () => {
    const { body, usage } = reply(answer);

    expect(JSON.parse(body.toString())).toMatchObject({
      id: 'id1',
      model: 'gemini-2.5-flash-001',
      choices: [
        {
          message: {
            content: 'one \ntwo\n![image](data:image/png;base64,AA==)',
            reasoning_content: 'hm',
            tool_calls: [{ id: 'call_r10', function: { name: 'f', arguments: '{"x":0}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    });
    expect(usage).toMatchObject({ semantics: 'openai', inputTokens: 10, outputTokens: 5, reasoningTokens: 2 });
  });

  it('has calls without a number, which only those of a stream have', () => {
    const { choices } = JSON.parse(reply(answer).body.toString()) as { choices: [{ message: JsonObject }] };

    expect(choices[0].message.tool_calls).toEqual([
      { id: 'call_r10', type: 'function', function: { name: 'f', arguments: '{"x":0}' } },
    ]);
  });

  it('becomes a message without content, as a stream does, where it says nothing', () => {
    const nothing = { candidates: [{ content: { role: 'model' }, finishReason: 'STOP' }] };

    expect(JSON.parse(reply(nothing, gemini.messages).body.toString())).toMatchObject({
      content: [],
      stop_reason: 'end_turn',
    });
  });

  it('can be told with what is booked, where what it states is nonsense or nothing', () => {
    const booked: Usage = {
      semantics: 'openai',
      inputTokens: 9,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 4,
    };
    const usageMetadata = { promptTokenCount: 10, cachedContentTokenCount: 500, candidatesTokenCount: 3 };
    for (const stated of [usageMetadata, undefined]) {
      const told = reply({ ...answer, usageMetadata: stated });
      expect(told.usage?.inputTokens).toBe(stated && Infinity);
      expect(JSON.parse(String(told.withUsage?.(booked)))).toMatchObject({
        choices: [{ message: { reasoning_content: 'hm' } }],
        usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
      });
    }
    expect(JSON.parse(String(reply(answer, gemini.messages).withUsage?.(booked)))).toMatchObject({
      usage: { input_tokens: 9, output_tokens: 4 },
    });
  });

  it('becomes a message', () => {
    expect(JSON.parse(reply(answer, gemini.messages).body.toString())).toMatchObject({
      content: [
        { type: 'thinking' },
        { type: 'text', text: 'one \ntwo\n![image](data:image/png;base64,AA==)' },
        { type: 'tool_use', name: 'f', input: { x: 0 } },
      ],
      stop_reason: 'tool_use',
    });
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
  ])('says for %s that it ended by %s', (finishReason, expected) => {
    const { body } = reply({ candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason }] });

    expect(JSON.parse(body.toString())).toMatchObject({ choices: [{ finish_reason: expected }] });
  });

  it('is a failure without an answer', () => {
    expect(reply({ candidates: [] }).fault).toMatchObject({ message: 'No candidates returned', type: 'server_error' });
    expect(reply({ promptFeedback: { blockReason: 'SAFETY' } }).fault).toMatchObject({ class: 'invalid' });
    expect(reply({ promptFeedback: { blockReason: 'SAFETY' } }, gemini.gemini).fault).toBeUndefined();
    expect(reply({ error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } }).fault).toMatchObject({
      class: 'rate-limited',
    });
  });
});

describe('an answer of Gemini in several parts', () => {
  it('has its parts below each other, without lines that are empty', () => {
    const parts = [
      { text: 'Look:' },
      { text: '\n' },
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { functionCall: { name: 'f', args: {} } },
      { text: 'Done.' },
    ];
    const { body } = reply({ candidates: [{ content: { parts }, finishReason: 'STOP' }] });
    expect(JSON.parse(body.toString())).toMatchObject({
      choices: [{ message: { content: 'Look:\n```python\nprint(1)\n```\n```output\n1\n```\nDone.' } }],
    });
  });

  it.each<[string, JsonObject, number]>([
    ['has more than its parts', { candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 40 }, 30],
    ['has its parts', { candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 15 }, 5],
    ['has less than its parts', { candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 11 }, 5],
    ['has what tools read', { candidatesTokenCount: 3, toolUsePromptTokenCount: 7, totalTokenCount: 20 }, 3],
    ['is nonsense', { candidatesTokenCount: 3, totalTokenCount: 'many' }, 3],
  ])('is charged for the output by the sum, where it %s', (_, counts, expected) => {
    const candidates = [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }];
    const { usage } = reply({ candidates, usageMetadata: { promptTokenCount: 10, ...counts } });
    expect(usage?.outputTokens).toBe(expected);
  });

  it.each<[string, JsonObject | undefined, number | undefined]>([
    ['nothing is stated of the answer', { promptTokenCount: 10 }, 516],
    ['it is stated as nothing', { promptTokenCount: 10, candidatesTokenCount: 0, totalTokenCount: 10 }, 516],
    ['the sum has it', { promptTokenCount: 10, totalTokenCount: 30 }, 20],
    ['it is stated', { promptTokenCount: 10, candidatesTokenCount: 7 }, 7],
    ['nothing is stated at all', undefined, undefined],
  ])('counts its pictures only where %s', (_, usageMetadata, expected) => {
    const picture = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const drawn = { candidates: [{ content: { parts: [picture, picture] }, finishReason: 'STOP' }], usageMetadata };
    for (const adapter of [gemini.chat, gemini.gemini]) {
      const whole = reply(drawn, adapter);
      expect([whole.usage?.outputTokens, whole.text().pictures]).toEqual([expected, 2]);
      const stream = adapter.openStream(replyContext());
      const rest = { candidates: [{ content: { parts: [picture] } }] };
      const last = { ...drawn, candidates: [{ content: { parts: [picture] }, finishReason: 'STOP' }] };
      for (const event of [rest, last]) stream.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
      expect([stream.usage()?.outputTokens, stream.text().pictures]).toEqual([expected, 2]);
    }
  });
});
