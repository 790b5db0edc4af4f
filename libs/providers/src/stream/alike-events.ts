import { EventShape } from './event-shape.js';
import { parseObject } from '../json/json.js';
import type { PartReader } from './transcript.js';

const BLANK_LINE = Buffer.from('\n\n');
/** An event that is unlike the others may come in between; after so many, another shape is looked for. */
const PATIENCE = 4;
/** After so many shapes were learned in vain the events count as having none in common. */
const MOST_LESSONS = 8;

/** The pieces of text of one stream's events, for as long as these are alike. */
export class AlikeEvents {
  private shape: EventShape | undefined;
  private lessons = 0;
  private misses = 0;
  /** Events to pass over until another shape is learned. */
  private pause = 0;
  /** Bytes that were no text, of all events that were alike. */
  frameBytes = 0;

  constructor(private readonly read: PartReader) {}

  /** Whether the bytes are whole events like those before; `onText` then gets where the text of each stands in them, as it is written in JSON. */
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

  /** Whole events that were not alike, and hold nothing but content. */
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

/** Undefined: something else is among them. */
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
