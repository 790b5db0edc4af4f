import { describe, expect, it } from '@jest/globals';
import { chatAddress, chatPlace, readChatLinks, withSettings } from './chat-links.js';

const SERVER = 'https://tollgate.example';

describe('chat links', () => {
  it('keep the order of the operator', () => {
    expect(readChatLinks([{ b: 'https://b.example/?k={key}' }, { a: 'ama://k?{key}' }])).toEqual([
      { name: 'b', template: 'https://b.example/?k={key}' },
      { name: 'a', template: 'ama://k?{key}' },
    ]);
    expect(readChatLinks(undefined)).toEqual([]);
  });

  it.each([['text'], [{ a: 1 }], [[{ a: 1 }]]])('are reported as invalid: %j', (stored) => {
    expect(readChatLinks(stored as never)).toBeUndefined();
  });

  it('contain key and address', () => {
    expect(chatAddress('https://c.example/?k={key}&u={address}', 'abc', SERVER)).toBe(
      'https://c.example/?k=sk-abc&u=https%3A%2F%2Ftollgate.example',
    );
    expect(chatAddress(withSettings('https://c.example/'), 'abc', SERVER)).toBe(
      'https://c.example/#/?settings={"key":"sk-abc","url":"https%3A%2F%2Ftollgate.example"}',
    );
  });

  it('never become a script', () => {
    for (const bad of ['javascript:alert("{key}")', 'data:text/html,{key}', 'no address {key}'])
      expect([chatAddress(bad, 'abc', SERVER), chatPlace(bad)]).toEqual([undefined, undefined]);
  });

  it('state their target', () => {
    expect(chatPlace('https://c.example:8443/x?{key}')).toEqual({ web: true, place: 'c.example:8443' });
    expect(chatPlace('ama://set?key={key}')).toEqual({ web: false, place: 'ama:' });
  });
});
