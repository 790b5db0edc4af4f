const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Deeper than any dialect nests; code that walks the tree recurses this deep. */
const MAX_DEPTH = 200;
/** Limit on objects, lists and strings: each allocates memory. */
const MAX_PARTS = 1_000_000;
/** Limit on commas. Embeddings can be thousands of lists of thousands of numbers. */
const MAX_ITEMS = 8_000_000;
/** A text this short cannot exceed the depth. */
const SHORT = MAX_DEPTH;

/** Index of the closing quote of the string that begins at `from`; the length of the text if it is unterminated. */
export function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** Counts depth, parts and items while scanning. */
class Tally {
  private depth = 0;
  private parts = 0;
  private items = 0;

  /** Counts a character; `false` when a limit is exceeded. */
  takes(code: number): boolean {
    if (code === COMMA) return (this.items += 1) <= MAX_ITEMS;
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.depth -= 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) return (this.depth += 1) <= MAX_DEPTH && this.hasRoom();
    return true;
  }

  hasRoom(): boolean {
    return (this.parts += 1) <= MAX_PARTS;
  }
}

/**
 * Whether a text can be parsed without blocking other requests for long: a parser takes a microsecond and a hundred bytes for each bracket,
 * before it knows whether the text is valid JSON, which is not checked here.
 */
export function isModestJson(text: string): boolean {
  if (text.length <= SHORT) return true;
  const tally = new Tally();
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== QUOTE) {
      if (!tally.takes(code)) return false;
      continue;
    }
    if (!tally.hasRoom()) return false;
    at = closingQuote(text, at);
  }
  return true;
}
