import { picturesIn } from '../json/picture-text.js';
import type { MediaPart, Part, TextPart, Turn } from './conversation.js';

/** A text of the model as the words and pictures of which it was written for clients that get pictures as text. */
function piecesOf(text: string): (TextPart | MediaPart)[] {
  const pieces: (TextPart | MediaPart)[] = [];
  let written = 0;
  const say = (end: number): void => {
    if (end > written) pieces.push({ type: 'text', text: text.slice(written, end) });
  };
  for (const { start, dataStart, end, mimeType } of picturesIn(text)) {
    say(start);
    pieces.push({ type: 'image', source: { mimeType, data: text.slice(dataStart, end - 1) } });
    written = end;
  }
  say(text.length);
  return pieces;
}

function partsOf(part: Part, keepsPictures: boolean): Part[] {
  const isKept = ({ type }: Part): boolean => keepsPictures || type !== 'image';
  if (part.type !== 'text' || part.text === '') return isKept(part) ? [part] : [];
  const { text, ...marks } = part;
  const pieces = piecesOf(text).filter(isKept);
  // A mark for the upstream's cache covers all that is before it.
  return pieces.map((piece, index) => (index === pieces.length - 1 ? { ...marks, ...piece } : piece));
}

/** Turns of the model with the pictures that are written in its texts as pictures, or without any. Turns of the user are left as they are. */
export const withOwnPictures = (turns: Turn[], keepsPictures: boolean): Turn[] =>
  turns.map(({ role, parts }) => ({
    role,
    parts: role === 'assistant' ? parts.flatMap((part) => partsOf(part, keepsPictures)) : parts,
  }));
