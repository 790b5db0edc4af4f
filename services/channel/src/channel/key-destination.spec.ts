import { describe, expect, it } from '@jest/globals';
import { assertMayMoveKey, type Addressed } from './key-destination.js';

const before: Addressed = {
  type: 1,
  baseUrl: 'https://host.example',
  other: 'x',
  setting: '{"proxy":"http://way.example:1","a":1}',
};
const move = (change: Partial<Addressed>, enteredKey = '', role = 10) => {
  const after = { ...before, ...change };
  return () => assertMayMoveKey({ before, after, enteredKey }, { role });
};

describe('assertMayMoveKey', () => {
  const moves: [string, Partial<Addressed>][] = [
    ['another address', { baseUrl: 'https://evil.example' }],
    ['the same host by another port', { baseUrl: 'https://host.example:444' }],
    ['no address of its own', { baseUrl: '' }],
    ['another type', { type: 14 }],
    ['another proxy', { setting: '{"proxy":"http://evil.example:1","a":1}' }],
    ['a proxy named twice', { setting: '{"proxy":"http://way.example:1","proxy":"http://evil.example"}' }],
    ['no proxy', { setting: '' }],
    ['settings that cannot be read', { setting: '{' }],
  ];

  it.each(moves)('refuses %s to an administrator without the key', (_, change) => {
    expect(move(change)).toThrow(expect.objectContaining({ kind: 'forbidden', code: 'channel-key-needed' }));
    expect(move(change, '  ')).toThrow(expect.objectContaining({ code: 'channel-key-needed' }));
  });

  it.each(['\u200b', '\u00ad', ' \u2060\n', '\ufeff\u200d'])(
    'treats a text that keeps the stored key (%j) as no new key',
    (text) => {
      expect(move({ baseUrl: 'https://evil.example' }, text)).toThrow(
        expect.objectContaining({ code: 'channel-key-needed' }),
      );
    },
  );

  it.each(moves)('allows %s to whoever enters a key, and to a super administrator', (_, change) => {
    expect(move(change, 'sk-new')).not.toThrow();
    expect(move(change, '', 100)).not.toThrow();
  });

  it.each([
    ['nothing', {}],
    ['settings beside the proxy', { setting: '{"b":2,"proxy":"http://way.example:1"}' }],
    ['a field that only goes into path, query or headers', { other: 'y' }],
  ])('allows a change of %s without a key', (_, change) => {
    expect(move(change)).not.toThrow();
  });

  it('treats a change of the region as a change of the host', () => {
    const vertex = { ...before, type: 41, other: 'us-central1' };
    const after = { ...vertex, other: 'evil.example/' };
    expect(() => assertMayMoveKey({ before: vertex, after, enteredKey: '' }, { role: 10 })).toThrow(
      expect.objectContaining({ code: 'channel-key-needed' }),
    );
  });

  it('treats the default address written out as no change', () => {
    const plain = { ...before, baseUrl: '' };
    const spelled = { ...before, baseUrl: 'https://api.openai.com' };
    expect(() => assertMayMoveKey({ before: plain, after: spelled, enteredKey: '' }, { role: 10 })).not.toThrow();
  });
});
