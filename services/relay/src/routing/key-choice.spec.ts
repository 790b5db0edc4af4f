import { describe, expect, it } from '@jest/globals';
import type { RoutedChannel } from '@tollgate/contracts';
import { KeyChoice, placeOf } from './key-choice.js';

const channelOf = (keys: string[], keyMode: RoutedChannel['keyMode'] = 'random'): RoutedChannel =>
  ({ id: 7, key: keys[0] ?? '', keyMode, keys: keys.map((key) => ({ id: `id-${key}`, key })) }) as RoutedChannel;
const one = { id: 7, key: 'only' } as RoutedChannel;
const none: ReadonlySet<string> = new Set();

describe('the key of a channel that has several', () => {
  it('is the only one where there is one', () => {
    const keys = new KeyChoice();
    expect(keys.pick(one, none)).toBe(one);
    expect([placeOf(one), keys.failed(one, '7', 'credential', none)]).toEqual(['7', false]);
  });

  it('rotates, or is drawn at random', () => {
    const keys = new KeyChoice();
    const polled = channelOf(['a', 'b', 'c'], 'polling');
    expect(Array.from({ length: 4 }, () => keys.pick(polled, none).key)).toEqual(['a', 'b', 'c', 'a']);
    const drawn = channelOf(['a', 'b', 'c']);
    expect([0, 0.4, 0.99].map((at) => keys.pick(drawn, none, undefined, () => at).key)).toEqual(['a', 'b', 'c']);
    expect(keys.pick(drawn, none, undefined, () => 0)).toBe(keys.pick(drawn, none, undefined, () => 0));
  });

  it('stays the same for a conversation, and each key gets a share of the conversations', () => {
    const keys = new KeyChoice();
    const channel = channelOf(['a', 'b', 'c', 'd']);
    const shares = new Map<string, number>();
    for (let at = 0; at < 400; at += 1) {
      const { key } = keys.pick(channel, none, `conversation ${at}`);
      expect(keys.pick(channel, none, `conversation ${at}`).key).toBe(key);
      shares.set(key, (shares.get(key) ?? 0) + 1);
    }
    for (const share of shares.values()) expect(share).toBeGreaterThan(50);
    expect(shares.size).toBe(4);
  });

  it('is the same object also when it was chosen from a key of the channel, so that keys have one copy each', () => {
    const keys = new KeyChoice();
    const channel = channelOf(['a', 'b'], 'polling');
    const [first, second] = [keys.pick(channel, none), keys.pick(channel, none)];
    expect([keys.pick(first, none), keys.pick(second, none)]).toEqual([first, second]);
    expect(keys.pick(first, none)).toBe(first);
    expect(keys.pick(first, none)).toBe(second);
  });

  it('changes after a key was refused, for this request and for the next ones', () => {
    const keys = new KeyChoice();
    const channel = channelOf(['a', 'b'], 'polling');
    const first = keys.pick(channel, none);
    const tried = new Set([placeOf(first)]);
    expect(keys.failed(channel, placeOf(first), 'credential', tried)).toBe(true);
    expect(keys.pick(channel, tried).key).toBe('b');
    expect(Array.from({ length: 3 }, () => keys.pick(channel, none).key)).toEqual(['b', 'b', 'b']);
    tried.add(placeOf(keys.pick(channel, tried)));
    // All keys were refused: this request has no other key to try, but the next request still gets one.
    expect(keys.failed(channel, '7/id-b', 'rate-limited', tried)).toBe(false);
    expect(['a', 'b']).toContain(keys.pick(channel, none).key);
    expect(keys.failed(channel, '7/id-b', 'upstream', none)).toBe(false);
    expect([keys.hasOther(channel, new Set(['7/id-a'])), keys.hasOther(channel, tried)]).toEqual([true, false]);
    expect([keys.hasOther(one, none), keys.hasOther(one, new Set(['7']))]).toEqual([true, false]);
  });
});
