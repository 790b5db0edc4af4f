import { describe, expect, it } from '@jest/globals';
import { picturesIn, pictureText } from './picture-text.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const PICTURE = pictureText('image/png', PNG);

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
    const other = pictureText('image/x.other+type', `/9j/${'x'.repeat(200_000)}`);
    expect(foundIn(PICTURE)).toEqual([PICTURE]);
    expect(foundIn(`Here (a cat):\n${PICTURE}\n${other}${PICTURE} :)`)).toEqual([PICTURE, other, PICTURE]);
    expect(foundIn(`it begins with ![image](data: like ${PICTURE}`)).toEqual([PICTURE]);
  });

  it.each([
    ['PNG', PNG],
    ['JPEG', '/9j/4AAQSkZJRgABAQ=='],
    ['GIF', 'R0lGODlhAQABAAAAACw='],
    ['WebP', 'UklGRiQAAABXRUJQVlA4'],
  ])('are of the kind %s', (_, data) => {
    expect(foundIn(pictureText('image/png', data))).toHaveLength(1);
  });

  it('are none where more begin than an answer shows', () => {
    expect(foundIn(PICTURE.repeat(64))).toHaveLength(64);
    expect(foundIn(PICTURE.repeat(65))).toEqual([]);
    expect(foundIn(PICTURE.repeat(64) + '![image](data:')).toEqual([]);
  });

  it.each([
    ['another title', '![cat](data:image/png;base64,AA==)'],
    ['an address', '![image](https://x.example/a.png)'],
    ['another kind of data', pictureText('text/plain', PNG)],
    ['data that are no base64', `![image](data:image/png;base64,${PNG} words)`],
    ['no base64 at its end', `![image](data:image/png;base64,${PNG}${'A'.repeat(100_000)}\n)`],
    ['a drawing in words', pictureText('image/svg+xml', Buffer.from('<svg xmlns="a"/>').toString('base64'))],
    ['invented data', pictureText('image/png', 'AAAA')],
    ['no data', '![image](data:image/png;base64,)'],
    ['no type', pictureText('', PNG)],
    ['a type without an end', pictureText(`image/${'x'.repeat(200)}`, PNG)],
    ['no end', PICTURE.slice(0, -1)],
    ['nothing', ''],
  ])('are none with %s', (_, text) => {
    expect(foundIn(text)).toEqual([]);
  });
});
