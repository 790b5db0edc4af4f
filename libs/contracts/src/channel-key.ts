/** Limit on the characters of a key. The longest keys of providers are tokens of a few thousand, and HTTP headers are limited in size. */
const MOST_CHARACTERS = 4096;
/** Limit for a key that is a document, such as the file of a service account; those have less than three thousand characters. */
const MOST_OF_DOCUMENT = 16_384;
/** Characters that an HTTP header can carry. */
const SENDABLE = /^[\x20-\x7e]*$/;
/** Invisible characters that `trim` does not remove. */
const UNSEEN = new Set(['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad']);

const isUnseen = (character: string | undefined): boolean =>
  character !== undefined && (UNSEEN.has(character) || character.trim() === '');

/** Removes what pasting adds at both ends: blanks, line breaks and zero-width characters. */
export function pastedText(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isUnseen(text[start])) start += 1;
  while (end > start && isUnseen(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

interface KeyFault {
  fault: 'unsendable' | 'long';
  /** The largest number of characters allowed. */
  limit: number;
}

/** Why a key cannot be sent to any upstream; `undefined` if it can. Whether its form fits the channel type is not checked here. */
export function keyTextFault(key: string, isDocument: boolean): KeyFault | undefined {
  const limit = isDocument ? MOST_OF_DOCUMENT : MOST_CHARACTERS;
  if (key.length > limit) return { fault: 'long', limit };
  return isDocument || SENDABLE.test(key) ? undefined : { fault: 'unsendable', limit };
}
