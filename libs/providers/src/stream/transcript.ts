import type { JsonObject, ReplyText } from '../adapter.js';
import { AlikeEvents } from './alike-events.js';
import { ChoiceEnds } from './choice-ends.js';
import type { EventPart, PartReader } from './event-part.js';
import { parseObject } from '../json/json.js';
import { KeptText, type TextRoom } from './kept-text.js';
import { NewText } from './new-text.js';
import { statedSearches } from '../request/search-tools.js';

/**
 * Initial sizes in bytes of the buffers for whole events and for the text of alike events. They are small, because most streams copy only
 * one or two whole events and keep the buffers while they are open.
 */
const FIRST_BYTES = 2 * 1024;
const FIRST_TEXT_BYTES = 1024;
const DATA = 'data: ';
const MAX_RAW_BYTES = 256 * 1024;
const MAX_CHARACTERS = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

/** Appends text up to a limit and counts bytes beyond it. */
export function appendText(before: ReplyText, text: string, toolCalls = 0): ReplyText {
  const room = Math.max(MAX_CHARACTERS - before.text.length, 0);
  const dropped = text.length > room ? Buffer.byteLength(text.slice(room)) : 0;
  return {
    text: room > 0 ? before.text + (text.length > room ? text.slice(0, room) : text) : before.text,
    droppedBytes: before.droppedBytes + dropped,
    toolCalls: Math.max(before.toolCalls, toolCalls),
  };
}

function parseText(written: string): string | undefined {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return undefined;
  }
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g;

/** Resolves valid JSON escapes and leaves invalid ones unchanged. */
const looselyParsed = (written: string): string =>
  written.replace(ESCAPE, (escape) => JSON.parse(`"${escape}"`) as string);

export const noText: ReplyText = { text: '', droppedBytes: 0, toolCalls: 0 };

/**
 * Records the events of a stream that are forwarded unparsed. Most streams end with the upstream's own usage, so plain events are only
 * copied here; they are parsed when their text is needed or the copy grows too large.
 */
export class Transcript {
  private raw = NOTHING;
  private length = 0;
  /** JSON-escaped text of alike events; it follows everything in `raw`. */
  private written = NOTHING;
  private writtenLength = 0;
  private content = noText;
  private readonly ends = new ChoiceEnds();
  private readonly newText = new NewText();
  /** From the first event that stated them. */
  id = '';
  model = '';
  malformedEvents = 0;
  /** Total number of characters and calls, including those not kept. */
  private saidLength = 0;
  /** The total when the last mark was set; computed only when an event follows the mark. */
  private mark: { saidLength?: number } | undefined;

  private alike: AlikeEvents | undefined;
  private readonly keptRaw: KeptText;
  private readonly keptText: KeptText;

  constructor(
    private readonly read: PartReader,
    room?: TextRoom,
  ) {
    this.keptRaw = new KeptText(room);
    this.keptText = new KeptText(room);
  }

  /** Bytes added that are known to hold no text. */
  get frameBytes(): number {
    return this.alike?.frameBytes ?? 0;
  }

  /** Adds whole events that differ from earlier plain ones in their text only. Returns false, and adds nothing, for any other events. */
  addAlike(events: Buffer): boolean {
    this.alike ??= new AlikeEvents(this.read);
    return this.alike.match(events, (start, end) => this.addText(events, start, end));
  }

  /** Adds whole events whose parsing can be deferred. */
  addPlain(event: Buffer): void {
    this.countToMark();
    this.alike?.learn(event);
    if (this.writtenLength > 0) this.digest();
    if (this.length + event.length > this.raw.length && !this.makeRoom(event.length))
      return this.digestText(event.toString('utf8'));
    this.raw.set(event, this.length);
    this.length += event.length;
  }

  /** Adds whole events that have neither usage nor errors, which `arePlain` tells. Returns false, and adds nothing, for any other events. */
  addUnparsed(events: Buffer, arePlain: (events: Buffer) => boolean): boolean {
    if (this.addAlike(events)) return true;
    if (!arePlain(events)) return false;
    this.addPlain(events);
    return true;
  }

  /** Adds an event that the caller had to parse. */
  addParsed(json: JsonObject): void {
    const part = this.read(json);
    // Events copied before must be parsed first only if this one has text, to keep the order.
    if (part.text !== '') this.digest();
    this.countToMark();
    this.take(part);
  }

  /** Marks this position for `hasGrown`. */
  setMark(): void {
    this.mark = {};
  }

  /** Whether text or calls arrived after the mark. */
  hasGrown(): boolean {
    if (this.mark?.saidLength === undefined) return false;
    this.digest();
    return this.saidLength > this.mark.saidLength;
  }

  text(): ReplyText {
    this.digest();
    return this.content;
  }

  /** Whether the events stated how the reply ended, for each choice that began. */
  hasEnded(): boolean {
    this.digest();
    return this.ends.areAll;
  }

  dispose(): void {
    this.keptRaw.dispose();
    this.keptText.dispose();
  }

  private addText(bytes: Buffer, start: number, end: number): void {
    this.countToMark();
    const size = end - start;
    if (this.writtenLength + size > this.written.length && !this.makeTextRoom(size))
      return this.digestWritten(bytes.toString('utf8', start, end));
    bytes.copy(this.written, this.writtenLength, start, end);
    this.writtenLength += size;
  }

  /** Deferred until an event follows the mark: most marks are set at the end of an answer, and then nothing needs to be parsed. */
  private countToMark(): void {
    if (!this.mark || this.mark.saidLength !== undefined) return;
    this.digest();
    this.mark.saidLength = this.saidLength;
  }

  /** Returns false when the process keeps too much already; parsing is then no longer deferred. */
  private makeRoom(bytes: number): boolean {
    if (this.length + bytes > MAX_RAW_BYTES) this.digest();
    const needed = this.length + bytes;
    if (needed <= this.raw.length) return true;
    const size = Math.max(FIRST_BYTES, this.raw.length * 2, needed);
    if (!this.keptRaw.grow(size - this.raw.length)) {
      this.digest();
      return false;
    }
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.raw.subarray(0, this.length));
    this.raw = grown;
    return true;
  }

  /** As `makeRoom`, for the buffer of texts. */
  private makeTextRoom(bytes: number): boolean {
    if (this.writtenLength + bytes > MAX_RAW_BYTES) this.digest();
    const needed = this.writtenLength + bytes;
    if (needed <= this.written.length) return true;
    const size = Math.max(FIRST_TEXT_BYTES, this.written.length * 2, needed);
    if (!this.keptRaw.grow(size - this.written.length)) {
      this.digest();
      return false;
    }
    const grown = Buffer.allocUnsafeSlow(size);
    this.written.copy(grown, 0, 0, this.writtenLength);
    this.written = grown;
    return true;
  }

  private digest(): void {
    if (this.length > 0) {
      const text = this.raw.toString('utf8', 0, this.length);
      this.length = 0;
      this.digestText(text);
    }
    if (this.writtenLength === 0) return;
    const written = this.written.toString('utf8', 0, this.writtenLength);
    this.writtenLength = 0;
    this.digestWritten(written);
  }

  /** Parses the joined pieces of text at once. If some are invalid JSON, only their wrong escapes are kept as written. */
  private digestWritten(written: string): void {
    const text = parseText(written);
    if (text === undefined) this.malformedEvents += 1;
    this.take({ text: text ?? looselyParsed(written) });
  }

  private digestText(text: string): void {
    for (const line of text.split('\n')) if (line.startsWith(DATA)) this.digestData(line.slice(DATA.length));
  }

  private digestData(data: string): void {
    const json = parseObject(data);
    if (json) this.take(this.read(json));
    else this.malformedEvents += 1;
  }

  private take(part: EventPart): void {
    const text = this.newText.of(part);
    this.saidLength += text.length + Math.max(0, (part.toolCalls ?? 0) - this.content.toolCalls);
    const web = (this.content.searches?.web ?? 0) + (part.searches ?? 0);
    const content = appendText(this.content, text, part.toolCalls);
    this.content = this.keptText.fit({ ...content, ...statedSearches({ web }) });
    this.ends.add(part);
    this.id ||= part.id ?? '';
    this.model ||= part.model ?? '';
  }
}
