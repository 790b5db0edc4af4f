import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { anthropic } from '../upstreams/anthropic.js';

const user = { role: 'user', content: 'hi' };

function bodyOf(messages: JsonObject[]): JsonObject {
  const target = channelTarget({ channelType: 14, model: 'claude-3-7-sonnet-20250219', key: 'sk-ant' });
  const { body } = anthropic.chat.toUpstream(clientRequest({ messages }), target);
  return JSON.parse(body?.toString() ?? '') as JsonObject;
}

describe('a message of chat that says nothing', () => {
  describe.each<[JsonObject]>([[{ content: '' }], [{ content: null }], [{}], [{ content: [] }], [{ content: ' ' }]])(
    '%j',
    (message) => {
      it('keeps the turn of an answer', () => {
        const { messages } = bodyOf([user, { role: 'assistant', ...message }, user]);
        expect(messages).toEqual([user, { role: 'assistant', content: '...' }, user]);
      });

      it('keeps the turn of a user', () => {
        expect(bodyOf([{ role: 'user', ...message }]).messages).toEqual([{ role: 'user', content: '...' }]);
      });

      it('has an empty result of a tool', () => {
        const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
        const asked = { role: 'assistant', content: null, tool_calls: [call] };
        const { messages } = bodyOf([user, asked, { role: 'tool', tool_call_id: 'a', ...message }]);
        const result = { type: 'tool_result', tool_use_id: 'a', content: '' };
        expect((messages as JsonObject[]).at(-1)).toEqual({ role: 'user', content: [result] });
      });
    },
  );

  it.each<[JsonObject]>([[{ content: '' }], [{ content: null }], [{}], [{ content: [] }]])(
    'has no system for one that says nothing: %j',
    (message) => {
      expect(bodyOf([{ role: 'system', ...message }, user])).not.toHaveProperty('system');
    },
  );
});
