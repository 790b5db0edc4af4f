/** Zero-width and other invisible characters that would split a word. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/g;

/** ASCII text is its own normal form. */
const PLAIN = /^[\0-\x7f]*$/;

export const normalise = (text: string): string =>
  (PLAIN.test(text) ? text : text.normalize('NFKC').replace(INVISIBLE, '')).toLowerCase();

/** Without the characters that `normalise` drops, which could make a word as long as one likes. */
export const visibleOf = (text: string): string => (PLAIN.test(text) ? text : text.replace(INVISIBLE, ''));

const escape = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A matcher for a list of words, `undefined` for an empty list. Build it once per list. */
export function sensitivePattern(words: readonly string[]): RegExp | undefined {
  const terms = words.map((word) => normalise(word.trim())).filter(Boolean);
  return terms.length === 0 ? undefined : new RegExp(terms.map(escape).join('|'));
}
