import { describe, expect, it } from '@jest/globals';
import type { RoutedChannel } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';
import { conversationOf } from './affinity.js';
import { chooseChannel } from './choose-channel.js';

const call = (json: JsonObject, user = 1) => {
  const bytes = Buffer.from(JSON.stringify(json));
  return { json, bytes, user: { id: user }, model: 'm' } as unknown as Parameters<typeof conversationOf>[0];
};
const long = 'Long instructions. '.repeat(300);
const turn = (...words: string[]): JsonObject => ({
  messages: [{ role: 'system', content: long }, ...words.map((content) => ({ role: 'user', content }))],
});
const channel = (id: number, weight = 0, priority = 0): RoutedChannel => ({ id, weight, priority }) as RoutedChannel;
const never = (): number => {
  throw new Error('a conversation is not drawn');
};

describe('conversationOf', () => {
  it('is the same for each turn, and differs by beginning, user and model', () => {
    const first = conversationOf(call(turn('hello')));
    expect(conversationOf(call(turn('hello', 'and', 'more')))).toBe(first);
    expect(conversationOf(call(turn('goodbye')))).not.toBe(first);
    expect(conversationOf(call(turn('hello'), 2))).not.toBe(first);
  });

  it("goes by the client's own name for it, however short the prompt is", () => {
    const named = (key: string, text: string) => conversationOf(call({ prompt_cache_key: key, input: text }));
    expect(named('a', 'x')).toBe(named('a', 'y'));
    expect(named('a', 'x')).not.toBe(named('b', 'x'));
    expect(conversationOf(call({ metadata: { user_id: 'session' }, messages: [] }))).toBeDefined();
  });

  it('is undefined for a prompt that providers do not cache', () => {
    expect(conversationOf(call({ messages: [{ role: 'user', content: 'hello' }] }))).toBeUndefined();
  });

  it('reads every dialect, and tolerates invalid members', () => {
    for (const json of [{ contents: [long] }, { input: long }, { messages: long }, { system: [long], messages: null }])
      expect(conversationOf(call(json as JsonObject))).toBeDefined();
  });
});

describe('the channel of a conversation', () => {
  const channels = [channel(1), channel(2), channel(3, 10), channel(9, 0, -1)];
  const conversations = Array.from({ length: 2000 }, (_, index) => `conversation ${index}`);
  const chosen = (conversation: string, candidates = channels, tried: number[] = []) =>
    chooseChannel(candidates, new Set(tried), never, conversation)?.id;

  it('is always the same, and each channel gets a share by its weight', () => {
    for (const conversation of conversations.slice(0, 50)) expect(chosen(conversation)).toBe(chosen(conversation));
    const third = conversations.filter((conversation) => chosen(conversation) === 3).length / conversations.length;
    // 20 of 40, because 10 is added to every weight.
    expect(Math.abs(third - 0.5)).toBeLessThan(0.05);
  });

  it('has the highest remaining priority, and changes only where it is removed', () => {
    const without = channels.filter(({ id }) => id !== 2);
    for (const conversation of conversations) {
      const before = chosen(conversation);
      expect(before).not.toBe(9);
      if (before !== 2) expect(chosen(conversation, without)).toBe(before);
    }
    expect(chosen('x', channels, [1, 2, 3])).toBe(9);
    expect(chosen('x', channels, [1, 2, 3, 9])).toBeUndefined();
  });
});
