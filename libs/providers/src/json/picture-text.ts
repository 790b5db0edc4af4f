import { isBase64, sliceOf } from './base64.js';
import { isEncodedPicture } from './picture-type.js';

// Pictures in the text of an answer: chat and messages have no pictures in answers, but their clients can show Markdown.
// Clients send their answers back, so the same form is found in earlier ones.

const OPENING = '![image](data:';
const CLOSING = ')';
const TYPE = /^(image\/[\w.+-]+);base64,/;
/** Characters in which the type must end. */
const MAX_TYPE = 100;
/** Characters of base64 that tell whether a picture begins there. */
const HEAD = 24;
/** More than any answer shows. A text with more beginnings of pictures shows none, so that nobody makes us look for millions. */
const MOST_PICTURES = 64;

export const pictureText = (mimeType: string, data: string): string => `${OPENING}${mimeType};base64,${data}${CLOSING}`;

/** Where a picture stands in a text; `dataStart` is the place of its base64, which ends before the closing parenthesis. */
interface PicturePlace {
  start: number;
  dataStart: number;
  end: number;
  mimeType: string;
}

/** Whether a text may have pictures in it. */
export const mayShowPictures = (text: string): boolean => text.includes(OPENING);

/** The places at which pictures may begin. */
function openingsIn(text: string | Buffer): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(OPENING); at !== -1; at = text.indexOf(OPENING, at + OPENING.length)) {
    if (found.length === MOST_PICTURES) return [];
    found.push(at);
  }
  return found;
}

function pictureAt(text: string | Buffer, start: number, closing: number): PicturePlace[] {
  const typeStart = start + OPENING.length;
  const [head = '', mimeType = ''] = TYPE.exec(sliceOf(text, typeStart, Math.min(typeStart + MAX_TYPE, closing))) ?? [];
  const dataStart = typeStart + head.length;
  const isPicture =
    head !== '' &&
    isEncodedPicture(sliceOf(text, dataStart, Math.min(dataStart + HEAD, closing))) &&
    isBase64(text, dataStart, closing);
  return isPicture ? [{ start, dataStart, end: closing + CLOSING.length, mimeType }] : [];
}

/**
 * The pictures in a text, or in its bytes, as `pictureText` writes them and in no other form. What does not begin as a picture stays
 * text, because upstreams refuse it in every further turn. Takes time linear in the length of the text.
 */
export function picturesIn(text: string | Buffer): PicturePlace[] {
  const found: PicturePlace[] = [];
  let closing = -1;
  const openings = openingsIn(text);
  for (const [index, start] of openings.entries()) {
    if (closing < start) closing = text.indexOf(CLOSING, start);
    if (closing === -1) break;
    // A picture that is closed behind the beginning of another one is none.
    if (closing < (openings[index + 1] ?? Infinity)) found.push(...pictureAt(text, start, closing));
  }
  return found;
}

/** The words of a text beside its pictures. */
export function withoutPictures(text: string): string {
  let words = '';
  let written = 0;
  for (const { start, end } of picturesIn(text)) {
    words += text.slice(written, start);
    written = end;
  }
  return words + text.slice(written);
}
