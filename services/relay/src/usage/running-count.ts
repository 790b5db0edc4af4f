/** Counted again once it has grown by this part, so that a long text is counted a few dozen times and not five times a second. */
const GROWTH = 1 / 16;
/** How far back the end of a word is looked for. */
const LOOK_BACK = 256;
const LETTER = /\p{L}/u;
/** Tokenizers begin a piece here when a letter stands before; what may continue a word is none. */
const BREAK = /[^\p{L}\p{M}\p{N}'’]/u;

/**
 * The tokens of a text that grows, of which each part is counted once. Parts end where tokenizers cut in any case, so that they have as many
 * tokens as the whole.
 */
export class RunningCount {
  private counted = 0;
  private sum = 0;

  get tokens(): number {
    return this.sum;
  }

  /** What should be counted now, to be told to `add`; empty when it is not worth it yet. */
  next(text: string): string {
    // Text for which there was no more room became a number, and so it is counted elsewhere.
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
