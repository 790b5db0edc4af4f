import { describe, expect, it } from '@jest/globals';
import { picturesIn, pictureText } from './picture-text.js';

const PICTURE = pictureText('image/png', 'AA==');

/** What is found in the text and, which must be the same, in its bytes. */
function foundIn(text: string): string[] {
  const places = picturesIn(text);
  expect(picturesIn(Buffer.from(text, 'latin1'))).toEqual(places);
  return places.map(({ start, dataStart, end, mimeType }) => {
    expect(text.slice(start, end)).toBe(pictureText(mimeType, text.slice(dataStart, end - 1)));
    return text.slice(start, end);
  });
}

describe('pictures in a text', () => {
  it('are found wherever they stand', () => {
    const other = pictureText('image/svg+xml', 'x'.repeat(200_000));
    expect(foundIn(PICTURE)).toEqual([PICTURE]);
    expect(foundIn(`Here (a cat):\n${PICTURE}\n${other}${PICTURE} :)`)).toEqual([PICTURE, other, PICTURE]);
    expect(foundIn(`it begins with ![image](data: like ${PICTURE}`)).toEqual([PICTURE]);
  });

  it.each([
    ['another title', '![cat](data:image/png;base64,AA==)'],
    ['an address', '![image](https://x.example/a.png)'],
    ['another kind of data', '![image](data:text/plain;base64,AA==)'],
    ['data that are no base64', '![image](data:image/png;base64,AA == words)'],
    ['no base64 at its end', `![image](data:image/png;base64,${'A'.repeat(100_000)}\n)`],
    ['no data', '![image](data:image/png;base64,)'],
    ['no type', '![image](data:;base64,AA==)'],
    ['a type without an end', `![image](data:image/${'x'.repeat(200)};base64,AA==)`],
    ['no end', PICTURE.slice(0, -1)],
    ['nothing', ''],
  ])('are none with %s', (_, text) => {
    expect(foundIn(text)).toEqual([]);
  });
});
