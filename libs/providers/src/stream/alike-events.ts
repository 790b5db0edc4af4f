import { EventShape } from './event-shape.js';
import { parseObject } from '../json/json.js';
import type { PartReader } from './event-part.js';

const BLANK_LINE = Buffer.from('\n\n');
/** Events in a row that do not match the shape before another one is learned; single other events may come in between. */
const PATIENCE = 4;
/** Number of shapes learned before the stream's events are considered too different. */
const MOST_LESSONS = 8;

/** Recognises successive events that differ only in their piece of text. */
export class AlikeEvents {
  private shape: EventShape | undefined;
  private lessons = 0;
  private misses = 0;
  /** Events to skip before another shape is learned. */
  private pause = 0;
  /** Bytes outside the text, of all matching events. */
  frameBytes = 0;

  constructor(private readonly read: PartReader) {}

  /**
   * Whether the bytes consist of whole events of the learned shape; if so, `onText` is called with the position of each JSON-escaped text.
   */
  match(bytes: Buffer, onText: (start: number, end: number) => void): boolean {
    const { shape } = this;
    if (!shape) return false;
    const ends = endsIn(bytes, shape);
    if (!ends) {
      this.misses += 1;
      return false;
    }
    this.misses = 0;
    this.frameBytes += shape.frameBytes * ends.length;
    let from = 0;
    for (const end of ends) {
      onText(from + shape.headBytes, end);
      from = end + shape.tailBytes;
    }
    return true;
  }

  /** Learns from whole events that did not match and that contain only content. */
  learn(bytes: Buffer): void {
    if (this.lessons === MOST_LESSONS || (this.shape && this.misses < PATIENCE)) return;
    this.pause -= 1;
    if (this.pause > 0) return;
    this.lessons += 1;
    this.pause = this.lessons;
    this.misses = 0;
    const end = bytes.indexOf(BLANK_LINE);
    const event = end === -1 ? bytes : bytes.subarray(0, end + BLANK_LINE.length);
    this.shape = EventShape.of(event, (data) => {
      const json = parseObject(data);
      return json && this.read(json);
    });
  }
}

/** `undefined` if not all events match. */
function endsIn(bytes: Buffer, shape: EventShape): number[] | undefined {
  const ends: number[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = shape.textEnd(bytes, from);
    if (end === -1) return undefined;
    ends.push(end);
    from = end + shape.tailBytes;
  }
  return ends;
}
