import type { Framing } from './framing.js';

const LF = 10;
const CR = 13;
const LETTER_D = 0x64;
/** First byte of a UTF-8 byte order mark. */
const MARK = 0xef;
const BOM = '\ufeff';

/** Default limit for an event in bytes. */
export const DEFAULT_MAX_EVENT_BYTES = 10 * 1024 * 1024;

export interface SseEvent {
  /** The `event` field; undefined when the upstream named none. */
  type: string | undefined;
  /** The `data` lines joined by line feeds; `undefined` for comments and other events without data. */
  data: string | undefined;
}

/** An event, or content without events, exceeded the limit: the upstream is faulty or malicious, and the stream must end. */
export class SseOverflow extends Error {
  constructor(readonly maxEventBytes: number) {
    super(`an upstream event is longer than ${maxEventBytes} bytes`);
    this.name = 'SseOverflow';
  }
}

/**
 * Splits a byte stream into whole events, however it is chunked: lines may end with LF, CRLF or CR, and characters may be split. Pieces are
 * the upstream's own bytes, complete and in order, so they can be forwarded unchanged. Lines without data before an event, such as comments
 * and empty lines, form one piece per chunk, however many there are.
 */
export class SseSplitter implements Framing {
  private parts: Buffer[] = [];
  private pendingBytes = 0;
  private lineIsEmpty = true;
  private afterCr = false;
  /** The current piece has a line that may be data. */
  private hasData = false;
  /** In this chunk, the position behind the last blank line of a piece without data; -1 if there is none. */
  private fillerEnd = -1;
  /** Bytes since the last event with data. */
  private fillerBytes = 0;
  /** A whole event ended with a CR as the chunk's last byte; a LF that belongs to it may begin the next chunk. */
  private isRipe = false;
  /** Position of the next CR in the current chunk, cached so that chunks without any are searched once. */
  private nextCr = -1;

  constructor(private readonly maxEventBytes = DEFAULT_MAX_EVENT_BYTES) {}

  /** True when no part of the next event has arrived. */
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

  /** The bytes after the last blank line; the caller decides whether to use them. */
  end(): Buffer | undefined {
    return this.pendingBytes === 0 ? undefined : this.take(Buffer.alloc(0));
  }

  /** Whether a line end closes the blank line behind an event; the LF of a CRLF does not count separately. */
  private endsEvent(lineEnd: number, at: number): boolean {
    const isSecondHalf = lineEnd === LF && this.afterCr;
    this.afterCr = lineEnd === CR;
    const isBlank = this.lineIsEmpty && !isSecondHalf;
    if (!this.hasData && (isBlank || (isSecondHalf && this.fillerEnd === at))) this.fillerEnd = at + 1;
    this.lineIsEmpty = true;
    return isBlank && this.hasData;
  }

  /** Emits the event that the previous chunk completed; returns where the rest of this chunk begins. */
  private finishRipe(chunk: Buffer, events: Buffer[]): number {
    if (!this.isRipe) return 0;
    this.isRipe = false;
    this.afterCr = false;
    const own = chunk[0] === LF ? 1 : 0;
    events.push(this.takeEvent(chunk.subarray(0, own)));
    return own;
  }

  /** Whether the first line that may be data begins here. */
  private beginsData(byte: number | undefined): boolean {
    if (this.hasData || !this.lineIsEmpty || (byte !== LETTER_D && byte !== MARK)) return false;
    this.hasData = true;
    return true;
  }

  /** Emits the filler of this chunk, if any; returns where the rest begins. */
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

const FIELDS = ['data:', 'event:', 'id:', 'retry:', ':'];

/** Whether a body is a stream of events, by its first bytes; `undefined` while they are too few to tell. */
export function beginsEvents(head: Buffer): boolean | undefined {
  const text = head.toString('latin1').replace(/^(?:\xef\xbb\xbf)?[\r\n]*/, '');
  if (FIELDS.some((field) => text.startsWith(field))) return true;
  return [...FIELDS, '\xef\xbb\xbf'].some((beginning) => beginning.startsWith(text)) ? undefined : false;
}

const FILLER = /^(?:\ufeff?:|event:|id:|retry:|data: ?\{"type": ?"ping"\}$|$)/;

/** Whether the bytes contain no part of the answer, only signs of life such as comments. */
export const isFiller = (bytes: Buffer): boolean =>
  bytes
    .toString('utf8')
    .split(/[\r\n]+/)
    .every((line) => FILLER.test(line));

/** Parses one whole event by the rules of the HTML standard. */
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
