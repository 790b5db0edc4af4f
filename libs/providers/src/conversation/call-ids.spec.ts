import { describe, expect, it } from '@jest/globals';
import { fixture, play, replyContext } from '../../test/factories.js';
import { findProvider } from '../registry.js';

const GEMINI = 24;
const context = replyContext({ requestId: '019a1b2c-3d4e-7f50-8a9b-0c1d2e3f4a5b' });
const part = { functionCall: { name: 'f', args: {} } };
const whole = { candidates: [{ content: { parts: [part, part] }, finishReason: 'STOP' }] };
const streamed = fixture(`${import.meta.dirname}/../gemini`, 'thinking-and-tools.sse');

const idsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/:"((?:call|toolu)_[^"]*)"/g)].map(([, id = '']) => id));

describe('an id for a call of an upstream that states none', () => {
  it.each(['chat', 'messages', 'responses'] as const)(
    'is its own, and short enough for OpenAI when a client of %s sends it back',
    (name) => {
      const adapter = findProvider(GEMINI)?.[name];
      if (!adapter) throw new Error('no adapter');
      const replies = [
        adapter.fromReply(Buffer.from(JSON.stringify(whole)), context).body.toString(),
        play(adapter.openStream(context), streamed),
      ];
      for (const ids of replies.map(idsIn)) {
        expect(ids.size).toBe(2);
        for (const id of ids) expect(id).toMatch(/^[\w-]{1,40}$/);
      }
    },
  );
});
