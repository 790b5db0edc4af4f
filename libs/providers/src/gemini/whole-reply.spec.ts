import { describe, expect, it } from '@jest/globals';
import { replyContext } from '../../test/factories.js';
import type { JsonObject, TextAdapter } from '../adapter.js';
import { gemini } from '../upstreams/gemini.js';

const reply = (json: JsonObject, adapter: TextAdapter = gemini.chat) =>
  adapter.fromReply(Buffer.from(JSON.stringify(json)), replyContext());

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
