const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SAMPLE = '~';

/** The content in which two events of one shape may differ: a text and nothing else. */
interface EventText {
  text: string;
  toolCalls?: number;
  isLast?: boolean;
}

/**
 * The bytes that the text events of one stream have in common. Almost all events of a stream are text events that differ only in their
 * text. So comparing the other bytes of the next event is enough: it need not be parsed, and only its text is kept.
 */
export class EventShape {
  private constructor(
    /** Up to and including the opening quote of the text. */
    private readonly head: Buffer,
    /** From the closing quote of the text to the blank line. */
    private readonly tail: Buffer,
  ) {}

  /** Bytes of an event outside the text. */
  get frameBytes(): number {
    return this.head.length + this.tail.length;
  }

  /**
   * Learns the shape of a whole event; `undefined` if it has no text or several. `read` parses the JSON of its data line, which proves that
   * the assumed position of the text is right.
   */
  static of(event: Buffer, read: (data: string) => EventText | undefined): EventShape | undefined {
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
   * Where the JSON-escaped text of the event at `from` ends; it begins `headBytes` behind `from`. −1 if there is no such event or only a
   * part of it.
   */
  textEnd(bytes: Buffer, from: number): number {
    const { head, tail } = this;
    const start = from + head.length;
    if (start >= bytes.length || bytes.compare(head, 0, head.length, from, start) !== 0) return -1;
    const quote = bytes.indexOf(QUOTE, start);
    const end = quote + tail.length;
    // A text with an escaped quote is left to the parser.
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
