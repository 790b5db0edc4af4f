import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanObject } from './json-scan.js';
import { lazyObject, lengthOf, outlineOf, wordsOf } from './lazy-json.js';
import { requestMembers } from './member-rules.js';

function lazily(json: unknown): { lazy: ReturnType<typeof lazyObject>; parsed: number[] } {
  const bytes = Buffer.from(JSON.stringify(json));
  const parsed: number[] = [];
  return { lazy: lazyObject(bytes, scanObject(bytes, requestMembers), (size) => parsed.push(size)), parsed };
}

const long = 'many words '.repeat(1000);
const image = `data:image/png;base64,${'QUJD'.repeat(5000)}`;
const body = {
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: long },
        { type: 'image_url', image_url: { url: image } },
      ],
    },
  ],
  n: 1,
};

describe('lazyObject', () => {
  it('is the object, parsed member by member when read', () => {
    const { lazy, parsed } = lazily(body);
    expect([lazy.model, lazy.n, Object.keys(lazy)]).toEqual(['m', 1, ['model', 'messages', 'n']]);
    expect(outlineOf(lazy)).toEqual({ model: 'm', messages: [{}], n: 1 });
    expect(parsed).toEqual([]);
    expect(lazy.messages).toBe(lazy.messages);
    expect(parsed).toHaveLength(1);
    expect({ ...lazy }).toEqual(body);
  });

  it('lets the one who counts memory refuse', () => {
    const bytes = Buffer.from(JSON.stringify(body));
    const lazy = lazyObject(bytes, scanObject(bytes, requestMembers), () => {
      throw new Error('no room');
    });
    expect(() => lazy.messages).toThrow('no room');
  });
});

describe('wordsOf', () => {
  it('has all words and no media, and parses nothing whole', () => {
    const { lazy, parsed } = lazily(body);
    const words = JSON.stringify(wordsOf(lazy, 'messages', 1024 * 1024));
    expect(words).toContain(long);
    expect(words.length).toBeLessThan(long.length + 1300);
    expect(parsed).toEqual([]);
  });

  it('takes text that begins like media for text', () => {
    const text = `data:text/plain,${'some words '.repeat(1000)}`;
    expect(wordsOf(lazily({ prompt: text }).lazy, 'prompt', 1024 * 1024)).toBe(text);
  });

  it('takes letters without a space for text where words stand, and for media where media do', () => {
    const letters = 'QUJD'.repeat(5000);
    const parts = { text: letters, arguments: `data:,${letters}`, data: letters, video: [letters, letters] };
    const words = JSON.stringify(wordsOf(lazily({ messages: [{ content: parts }] }).lazy, 'messages', 1024 * 1024));
    expect(words.split(letters)).toHaveLength(3);
    expect(wordsOf(lazily({ prompt: [letters] }).lazy, 'prompt', 1024 * 1024)).toEqual([letters]);
  });

  it('tells how long a text was that it cut, and believes nobody else', () => {
    const { lazy } = lazily(body);
    const [message] = wordsOf(lazy, 'messages', 0) as [{ content: [{ text: string }, { image_url: { url: string } }] }];
    expect([message.content[0].text, message.content[1].image_url.url].map(lengthOf)).toEqual([
      long.length,
      image.length,
    ]);
    expect(lengthOf('\u0000lie:5000')).toBe(9);
  });

  it('ends where the text becomes too much, at whatever character that is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('"', '\\', '\n', 'a', '你', '\u0001', '\u2028'), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 4000, max: 4100 }),
        (signs, max) => {
          const text = signs.join('').repeat(5000);
          const words = wordsOf(lazily({ prompt: [text] }).lazy, 'prompt', max) as string[];
          // A character may be cut in the middle; an escape must not be, or the text would not have parsed.
          const [head = ''] = (words[0] ?? '').split('\u0000');
          if (!text.includes('\u0000')) expect(text.startsWith(head.replace(/\ufffd+$/, ''))).toBe(true);
          if (words[0] !== text) expect(lengthOf(words[0] ?? '')).toBe(Buffer.byteLength(JSON.stringify(text)) - 2);
          expect(Buffer.byteLength(JSON.stringify(words))).toBeLessThanOrEqual(4200 * 6);
        },
      ),
    );
  });
});
