import { isBase64, sliceOf } from './base64.js';

// Pictures in the text of an answer: chat and messages have no pictures in answers, but their clients can show Markdown.
// Clients send their answers back, so the same form is found in earlier ones.

const OPENING = '![image](data:';
const CLOSING = ')';
const TYPE = /^(image\/[\w.+-]+);base64,/;
/** Characters in which the type must end. */
const MAX_TYPE = 100;

export const pictureText = (mimeType: string, data: string): string => `${OPENING}${mimeType};base64,${data}${CLOSING}`;

/** Where a picture stands in a text; `dataStart` is the place of its base64, which ends before the closing parenthesis. */
export interface PicturePlace {
  start: number;
  dataStart: number;
  end: number;
  mimeType: string;
}

/** Whether a text may have pictures in it. */
export const mayShowPictures = (text: string): boolean => text.includes(OPENING);

function pictureAt(text: string | Buffer, start: number, closing: number): PicturePlace[] {
  const typeStart = start + OPENING.length;
  const [head = '', mimeType = ''] = TYPE.exec(sliceOf(text, typeStart, Math.min(typeStart + MAX_TYPE, closing))) ?? [];
  const dataStart = typeStart + head.length;
  const isPicture = head !== '' && dataStart < closing && isBase64(text, dataStart, closing);
  return isPicture ? [{ start, dataStart, end: closing + CLOSING.length, mimeType }] : [];
}

/** The pictures in a text, or in its bytes, as `pictureText` writes them and in no other form. Takes time linear in its length. */
export function picturesIn(text: string | Buffer): PicturePlace[] {
  const found: PicturePlace[] = [];
  let closing = -1;
  for (let start = text.indexOf(OPENING), next; start !== -1; start = next) {
    next = text.indexOf(OPENING, start + OPENING.length);
    if (closing < start) closing = text.indexOf(CLOSING, start);
    if (closing === -1) break;
    // A picture that is closed behind the beginning of another one is none.
    if (next === -1 || closing < next) found.push(...pictureAt(text, start, closing));
  }
  return found;
}
