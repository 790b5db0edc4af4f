/**
 * The next part of a text is counted once the text has grown by this fraction, so a long text is counted in a few dozen
 * parts rather than five times a second.
 */
const GROWTH = 1 / 16;
/** How many characters back from the end a word boundary is searched. */
const LOOK_BACK = 256;
const LETTER = /\p{L}/u;
/**
 * A character at which tokenizers begin a new piece when it follows a letter; characters that may continue a word do
 * not match.
 */
const BREAK = /[^\p{L}\p{M}\p{N}'’]/u;

/**
 * Counts the tokens of a growing text, each part of it once. Parts end where tokenizers split in any case, so the sum
 * of their tokens is that of the whole text. Only a text without such a place is cut anywhere, which can add a token.
 */
export class RunningCount {
  private counted = 0;
  private sum = 0;

  get tokens(): number {
    return this.sum;
  }

  /** The part to count now, whose tokens are then passed to `add`; empty when it is too short. */
  next(text: string): string {
    // The text is shorter than before when it was dropped for lack of memory; the dropped text is then counted
    // elsewhere by its length.
    if (text.length < this.counted) this.counted = this.sum = 0;
    if (text.length - this.counted <= this.counted * GROWTH) return '';
    return text.slice(this.counted, this.lastBreak(text));
  }

  add(part: string, tokens: number): void {
    this.counted += part.length;
    this.sum += tokens;
  }

  private lastBreak(text: string): number {
    const first = Math.max(this.counted + 1, text.length - LOOK_BACK);
    for (let at = text.length - 1; at >= first; at -= 1)
      if (BREAK.test(text.charAt(at)) && LETTER.test(text.charAt(at - 1))) return at;
    return Math.max(this.counted, text.length - LOOK_BACK);
  }
}
