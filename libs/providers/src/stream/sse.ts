import type { Framing } from './framing.js';

const LF = 10;
const CR = 13;
const LETTER_D = 0x64;
/** The first byte of a byte order mark. */
const MARK = 0xef;
const BOM = '\ufeff';

/** One line of an upstream may be as long as this unless the caller says otherwise. */
export const DEFAULT_MAX_EVENT_BYTES = 10 * 1024 * 1024;

export interface SseEvent {
  /** The `event` field; undefined when the upstream named none. */
  type: string | undefined;
  /** The `data` lines joined by line feeds; undefined for comments and other events without data. */
  data: string | undefined;
}

/** An event grew beyond the bound, or so much came without one: the upstream is broken or hostile, and the stream must end. */
export class SseOverflow extends Error {
  constructor(readonly maxEventBytes: number) {
    super(`an upstream event is longer than ${maxEventBytes} bytes`);
    this.name = 'SseOverflow';
  }
}

/**
 * Cuts a byte stream into whole events, whatever the chunking: line ends may be LF, CRLF or CR, and characters may be
 * split. The pieces are the upstream's own bytes, in order and complete, so they can be forwarded as they are. What comes before an event
 * and holds no data, such as comments and empty lines, is one piece per chunk, however many they are.
 */
export class SseSplitter implements Framing {
  private parts: Buffer[] = [];
  private pendingBytes = 0;
  private lineIsEmpty = true;
  private afterCr = false;
  /** A line of the piece at hand may be data. */
  private hasData = false;
  /** Behind the last blank line in this chunk of a piece without data; -1 for none. */
  private fillerEnd = -1;
  /** Bytes since the last event with data. */
  private fillerBytes = 0;
  /** A whole event whose CR was the last byte: a LF that belongs to it may come first in the next chunk. */
  private isRipe = false;
  /** In the current chunk, so that chunks without one are searched once. */
  private nextCr = -1;

  constructor(private readonly maxEventBytes = DEFAULT_MAX_EVENT_BYTES) {}

  /** True when nothing of a next event has arrived. */
  get isBetweenEvents(): boolean {
    return this.pendingBytes === 0;
  }

  push(chunk: Buffer): Buffer[] {
    const events: Buffer[] = [];
    if (chunk.length === 0) return events;
    let start = this.finishRipe(chunk, events);
    this.nextCr = chunk.indexOf(CR, start);
    this.fillerEnd = -1;
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte !== LF && byte !== CR) {
        if (this.beginsData(byte)) start = this.takeFiller(chunk, start, events);
        at = this.skipLine(chunk, at) - 1;
        continue;
      }
      if (!this.endsEvent(byte, at)) continue;
      if (byte === CR && at + 1 === chunk.length) {
        this.isRipe = true;
        break;
      }
      if (byte === CR && chunk[at + 1] === LF) {
        at += 1;
        this.afterCr = false;
      }
      events.push(this.takeEvent(chunk.subarray(start, at + 1)));
      start = at + 1;
    }
    start = this.takeFiller(chunk, start, events);
    if (start < chunk.length) this.keep(chunk.subarray(start));
    return events;
  }

  /** What came after the last blank line; the caller decides whether it is worth anything. */
  end(): Buffer | undefined {
    return this.pendingBytes === 0 ? undefined : this.take(Buffer.alloc(0));
  }

  /** Whether a line end closes the blank line behind an event; the LF of a CRLF is no line end of its own. */
  private endsEvent(lineEnd: number, at: number): boolean {
    const isSecondHalf = lineEnd === LF && this.afterCr;
    this.afterCr = lineEnd === CR;
    const isBlank = this.lineIsEmpty && !isSecondHalf;
    if (!this.hasData && (isBlank || (isSecondHalf && this.fillerEnd === at))) this.fillerEnd = at + 1;
    this.lineIsEmpty = true;
    return isBlank && this.hasData;
  }

  /** Ends the event that the chunk before has completed; answers where the rest of this chunk begins. */
  private finishRipe(chunk: Buffer, events: Buffer[]): number {
    if (!this.isRipe) return 0;
    this.isRipe = false;
    this.afterCr = false;
    const own = chunk[0] === LF ? 1 : 0;
    events.push(this.takeEvent(chunk.subarray(0, own)));
    return own;
  }

  /** A line begins here that may be data, the first of its piece. */
  private beginsData(byte: number | undefined): boolean {
    if (this.hasData || !this.lineIsEmpty || (byte !== LETTER_D && byte !== MARK)) return false;
    this.hasData = true;
    return true;
  }

  /** Where what is left begins: behind the filler of this chunk, if there is any. */
  private takeFiller(chunk: Buffer, start: number, events: Buffer[]): number {
    const end = this.fillerEnd;
    this.fillerEnd = -1;
    if (end <= start) return start;
    const filler = this.take(chunk.subarray(start, end));
    this.fillerBytes += filler.length;
    if (this.fillerBytes > this.maxEventBytes) throw new SseOverflow(this.maxEventBytes);
    events.push(filler);
    return end;
  }

  private takeEvent(last: Buffer): Buffer {
    this.hasData = false;
    this.fillerBytes = 0;
    return this.take(last);
  }

  private skipLine(chunk: Buffer, from: number): number {
    this.afterCr = false;
    this.lineIsEmpty = false;
    const lf = chunk.indexOf(LF, from);
    const end = lf === -1 ? chunk.length : lf;
    if (this.nextCr !== -1 && this.nextCr < from) this.nextCr = chunk.indexOf(CR, from);
    return this.nextCr === -1 ? end : Math.min(end, this.nextCr);
  }

  private keep(rest: Buffer): void {
    this.pendingBytes += rest.length;
    if (this.pendingBytes > this.maxEventBytes) throw new SseOverflow(this.maxEventBytes);
    this.parts.push(rest);
  }

  private take(last: Buffer): Buffer {
    if (this.pendingBytes + last.length > this.maxEventBytes) throw new SseOverflow(this.maxEventBytes);
    const event = this.pendingBytes === 0 ? last : Buffer.concat([...this.parts, last]);
    this.parts = [];
    this.pendingBytes = 0;
    return event;
  }
}

const FILLER = /^(?:\ufeff?:|event:|id:|retry:|data: ?\{"type": ?"ping"\}$|$)/;

/** Whether bytes say nothing of an answer: only that somebody is there. */
export const isFiller = (bytes: Buffer): boolean =>
  bytes
    .toString('utf8')
    .split(/[\r\n]+/)
    .every((line) => FILLER.test(line));

/** The fields of one whole event, by the rules of the HTML standard. */
export function readSseEvent(bytes: Buffer): SseEvent {
  const text = bytes.toString('utf8');
  let type: string | undefined;
  let data: string | undefined;
  for (const line of (text.startsWith(BOM) ? text.slice(1) : text).split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field !== 'data' && field !== 'event') continue;
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') type = value;
    else data = data === undefined ? value : `${data}\n${value}`;
  }
  return { type, data };
}
