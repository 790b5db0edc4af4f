const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SAMPLE = '~';

/** What may differ between two events of the same shape: a text, and nothing else. */
interface Said {
  text: string;
  toolCalls?: number;
  isLast?: boolean;
}

/**
 * The bytes that all events of one stream share which carry a piece of its text. Almost all events do, and two of them differ in that piece
 * only. So it is enough to see that the other bytes of the next event are the same: it is not parsed, and only its text is kept.
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
   * Learns the shape of one whole event; undefined where it has no text, or more than one. `read` parses the JSON of its line of data, which
   * proves that what is taken for the text is the text.
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
