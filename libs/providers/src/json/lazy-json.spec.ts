import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanObject } from './json-scan.js';
import { lazyObject, lengthOf, outlineOf, shownIn, wordsOf } from './lazy-json.js';
import { pictureText } from './picture-text.js';
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
  it('equals the parsed object, and parses members when they are read', () => {
    const { lazy, parsed } = lazily(body);
    expect([lazy.model, lazy.n, Object.keys(lazy)]).toEqual(['m', 1, ['model', 'messages', 'n']]);
    expect(outlineOf(lazy)).toEqual({ model: 'm', messages: [{}], n: 1 });
    expect(parsed).toEqual([]);
    expect(lazy.messages).toBe(lazy.messages);
    expect(parsed).toHaveLength(1);
    expect({ ...lazy }).toEqual(body);
  });

  it('fails if the memory counter refuses a member', () => {
    const bytes = Buffer.from(JSON.stringify(body));
    const lazy = lazyObject(bytes, scanObject(bytes, requestMembers), () => {
      throw new Error('no room');
    });
    expect(() => lazy.messages).toThrow('no room');
  });
});

describe('wordsOf', () => {
  it('keeps all text, cuts media, and parses no large member', () => {
    const { lazy, parsed } = lazily(body);
    const words = JSON.stringify(wordsOf(lazy, 'messages', 1024 * 1024));
    expect(words).toContain(long);
    expect(words.length).toBeLessThan(long.length + 1300);
    expect(parsed).toEqual([]);
  });

  it('treats text that begins like media as text', () => {
    const text = `data:text/plain,${'some words '.repeat(1000)}`;
    expect(wordsOf(lazily({ prompt: text }).lazy, 'prompt', 1024 * 1024)).toBe(text);
  });

  it('treats a long run of letters as text in a text member and as media in a media member', () => {
    const letters = 'QUJD'.repeat(5000);
    const parts = { text: letters, arguments: `data:,${letters}`, data: letters, video: [letters, letters] };
    const words = JSON.stringify(wordsOf(lazily({ messages: [{ content: parts }] }).lazy, 'messages', 1024 * 1024));
    expect(words.split(letters)).toHaveLength(3);
    expect(wordsOf(lazily({ prompt: [letters] }).lazy, 'prompt', 1024 * 1024)).toEqual([letters]);
  });

  it('reports the original length of a text that it cut, and ignores forged marks', () => {
    const { lazy } = lazily(body);
    const [message] = wordsOf(lazy, 'messages', 0) as [{ content: [{ text: string }, { image_url: { url: string } }] }];
    expect([message.content[0].text, message.content[1].image_url.url].map(lengthOf)).toEqual([
      long.length,
      image.length,
    ]);
    expect(lengthOf('\u0000lie:5000')).toBe(9);
  });

  it('reports the pictures of a text that it cut, as those of a whole one', () => {
    const picture = pictureText('image/png', `iVBORw0KGgoA${'A'.repeat(100_000)}`);
    const text = `Here: ${picture}\n${picture} ![image](data:image/png;base64,\n)`;
    const words = wordsOf(lazily({ prompt: text }).lazy, 'prompt', 0) as string;
    expect(words.length).toBeLessThan(300);
    const facts = { pictures: 2, shown: 2 * picture.length };
    expect([shownIn(words), shownIn(text)]).toMatchObject([facts, facts]);
    expect(shownIn(wordsOf(lazily(body).lazy, 'model', 0) as string)).toEqual({ pictures: 0, shown: 0 });
  });

  it.each<[string, (text: string) => string]>([
    ['slashes', (text) => text.replaceAll('/', '\\/')],
    ['characters', (text) => text.replaceAll('!', '\\u0021').replaceAll('+', '\\u002B')],
  ])('reports the pictures of a text with escaped %s, too', (_, escaped) => {
    const picture = pictureText('image/jpeg', `/9j/${'+/A='.repeat(5000)}`);
    const text = escaped(JSON.stringify({ prompt: `您好\n${picture}\n${picture}` }));
    const bytes = Buffer.from(text);
    const lazy = lazyObject(bytes, scanObject(bytes, requestMembers), () => undefined);
    const words = wordsOf(lazy, 'prompt', 0) as string;
    expect(words.length).toBeLessThan(300);
    const facts = { pictures: 2, shown: 2 * picture.length };
    expect([shownIn(words), shownIn(lazy.prompt as string)]).toMatchObject([facts, facts]);
  });

  it('cuts a text that is too long at any character', () => {
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

  it('cuts a long text of escapes within the time of linear work', () => {
    const { lazy } = lazily({ prompt: `${'\\'.repeat(250_000)}${'a'.repeat(5000)}` });
    const headWithin = (room: number): string => (wordsOf(lazy, 'prompt', room) as string).split('\u0000')[0] ?? '';
    // The quote and two bytes for each backslash.
    const work = (): number[] => [500_001, 500_002].map((room) => headWithin(room).length);
    // Ends quadratic work, which would take minutes.
    expect(runInNewContext('work()', { work }, { timeout: 10_000 })).toEqual([250_000, 250_001]);
  });
});
