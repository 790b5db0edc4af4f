/** Characters of one key. The longest that providers give are tokens of a few thousand; it is sent in a header, which has to end somewhere. */
const MOST_CHARACTERS = 4096;
/** Of a key that is a document, such as the file of a service account: those have less than three thousand. */
const MOST_OF_DOCUMENT = 16_384;
/** What a header can carry, and so what a key can consist of. */
const SENDABLE = /^[\x20-\x7e]*$/;
/** Those that nobody sees, beside the blanks that `trim` knows. */
const UNSEEN = new Set(['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad']);

const isUnseen = (character: string | undefined): boolean =>
  character !== undefined && (UNSEEN.has(character) || character.trim() === '');

/** Without what a paste brings before and behind: blanks, breaks of lines, and characters of no width. */
export function pastedText(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isUnseen(text[start])) start += 1;
  while (end > start && isUnseen(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

export interface KeyFault {
  fault: 'unsendable' | 'long';
  /** The most characters that there may be. */
  limit: number;
}

/** What makes a key one that no upstream can be sent; undefined for nothing. Its form is a matter of the type. */
export function keyTextFault(key: string, isDocument: boolean): KeyFault | undefined {
  const limit = isDocument ? MOST_OF_DOCUMENT : MOST_CHARACTERS;
  if (key.length > limit) return { fault: 'long', limit };
  return isDocument || SENDABLE.test(key) ? undefined : { fault: 'unsendable', limit };
}
