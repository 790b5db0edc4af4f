const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SAMPLE = '~';

/** What of an event may differ from another one: a text, and nothing but that. */
interface Said {
  text: string;
  toolCalls?: number;
  isLast?: boolean;
}

/**
 * What the events of one stream have in common that carry a piece of its text. Almost all do, and two of them differ in that piece only, so
 * that of the next one it is enough to see that its other bytes are the same: nothing is searched in it, and of the text only as many bytes
 * are kept as it has.
 */
export class EventShape {
  private constructor(
    /** Up to the quote that the text begins behind. */
    private readonly head: Buffer,
    /** From the quote that ends it to the blank line. */
    private readonly tail: Buffer,
  ) {}

  /** Bytes of an event that are no text. */
  get frameBytes(): number {
    return this.head.length + this.tail.length;
  }

  /**
   * Of one whole event; undefined where it has no text, or more than one. `read` tells what the JSON of its line of data says, and shows that
   * what is taken for the text is just that.
   */
  static of(event: Buffer, read: (data: string) => Said | undefined): EventShape | undefined {
    const whole = event.toString('utf8');
    const text = read(dataOf(whole))?.text ?? '';
    if (text === '') return undefined;
    const quoted = JSON.stringify(text);
    const at = whole.lastIndexOf(quoted);
    if (at === -1) return undefined;
    const [head, tail] = [whole.slice(0, at + 1), whole.slice(at + quoted.length - 1)];
    const sample = read(dataOf(`${head}${SAMPLE}${tail}`));
    const isAll = sample?.text === SAMPLE && sample.isLast !== true && (sample.toolCalls ?? 0) === 0;
    return isAll && tail.endsWith('\n\n') ? new EventShape(Buffer.from(head), Buffer.from(tail)) : undefined;
  }

  /**
   * Where the text of the event at `from` ends, as it is written in JSON; it begins behind `headBytes`. −1: what stands there is no such event, or
   * not all of it.
   */
  textEnd(bytes: Buffer, from: number): number {
    const { head, tail } = this;
    const start = from + head.length;
    if (start >= bytes.length || bytes.compare(head, 0, head.length, from, start) !== 0) return -1;
    const quote = bytes.indexOf(QUOTE, start);
    const end = quote + tail.length;
    // A quote within the text is left to whoever reads the whole event.
    if (quote === -1 || end > bytes.length || bytes[quote - 1] === BACKSLASH) return -1;
    if (bytes.indexOf(LF, start) !== end - 2) return -1;
    return bytes.compare(tail, 0, tail.length, quote, end) === 0 ? quote : -1;
  }

  get headBytes(): number {
    return this.head.length;
  }

  get tailBytes(): number {
    return this.tail.length;
  }
}

const DATA = 'data: ';

function dataOf(event: string): string {
  const at = event.startsWith(DATA) ? 0 : event.indexOf(`\n${DATA}`) + 1;
  return event.slice(at + DATA.length).trimEnd();
}
