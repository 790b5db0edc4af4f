import type { JsonObject, ReplyText } from '../adapter.js';
import { AlikeEvents } from './alike-events.js';
import { parseObject } from '../json/json.js';
import { KeptText, type TextRoom } from './kept-text.js';
import { statedSearches } from '../request/search-tools.js';

/** First sizes of the buffers for whole events and for the text of alike ones. Most streams copy only one or two whole events, and keep the buffers as long as they are open. */
const FIRST_BYTES = 2 * 1024;
const FIRST_TEXT_BYTES = 1024;
const DATA = 'data: ';
const MAX_RAW_BYTES = 256 * 1024;
const MAX_CHARACTERS = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

/** What one upstream event adds to the reply. */
export interface EventPart {
  text: string;
  /** The highest number of tool calls named so far. */
  toolCalls?: number;
  /** Searches in the web that it reports. */
  searches?: number;
  /** The event says how the reply ended. */
  isLast?: boolean;
  id?: string;
  model?: string;
}

export type PartReader = (json: JsonObject) => EventPart;

/** Keeps text up to a bound and counts what goes beyond. */
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

/** What is no escape of JSON stays as it is written. */
const looselyParsed = (written: string): string =>
  written.replace(ESCAPE, (escape) => JSON.parse(`"${escape}"`) as string);

export const noText: ReplyText = { text: '', droppedBytes: 0, toolCalls: 0 };

/**
 * The events of a stream whose bytes pass unread. Most streams end with the upstream's own usage, so plain events are
 * only copied here and parsed when somebody asks or the copy grows too large.
 */
export class Transcript {
  private raw = NOTHING;
  private length = 0;
  /** Text as it is written in JSON, of events that were alike; it follows all that is raw. */
  private written = NOTHING;
  private writtenLength = 0;
  private content = noText;
  private ended = false;
  /** Of the first event that named them. */
  id = '';
  model = '';
  malformedEvents = 0;
  /** Characters and calls that were said in all, also those not kept. */
  private said = 0;
  /** How much was said when the last mark was set; not counted before something follows it. */
  private mark: { said?: number } | undefined;

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

  /** Bytes of what was added that are known to be no text. */
  get frameBytes(): number {
    return this.alike?.frameBytes ?? 0;
  }

  /** Whole events that differ from plain ones before in their text only; false: something else, of which nothing was added. */
  addAlike(events: Buffer): boolean {
    this.alike ??= new AlikeEvents(this.read);
    return this.alike.match(events, (start, end) => this.addText(events, start, end));
  }

  /** Whole events that need not be read now. */
  addPlain(event: Buffer): void {
    this.countToMark();
    this.alike?.learn(event);
    if (this.writtenLength > 0) this.digest();
    if (this.length + event.length > this.raw.length && !this.makeRoom(event.length))
      return this.digestText(event.toString('utf8'));
    this.raw.set(event, this.length);
    this.length += event.length;
  }

  /** An event the caller has parsed for reasons of its own. */
  addParsed(json: JsonObject): void {
    const part = this.read(json);
    // Only text must keep its place behind what was copied before.
    if (part.text !== '') this.digest();
    this.countToMark();
    this.take(part);
  }

  /** Remembers this place for `hasGrown`. */
  setMark(): void {
    this.mark = {};
  }

  /** Whether anything was said since the mark. */
  hasGrown(): boolean {
    if (this.mark?.said === undefined) return false;
    this.digest();
    return this.said > this.mark.said;
  }

  text(): ReplyText {
    this.digest();
    return this.content;
  }

  /** Whether an event stated how the reply ended. */
  hasEnded(): boolean {
    this.digest();
    return this.ended;
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

  /** Most marks are set at the end of an answer: nothing follows, and nothing is parsed for them. */
  private countToMark(): void {
    if (!this.mark || this.mark.said !== undefined) return;
    this.digest();
    this.mark.said = this.said;
  }

  /** False: the process keeps too much already, so nothing is put off any more. */
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

  /** The same for text. */
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

  /** Pieces of text next to each other are one text. A piece that is no JSON costs the others nothing: only its own wrong bytes are left as they are. */
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
    this.said += part.text.length + Math.max(0, (part.toolCalls ?? 0) - this.content.toolCalls);
    const web = (this.content.searches?.web ?? 0) + (part.searches ?? 0);
    const content = appendText(this.content, part.text, part.toolCalls);
    this.content = this.keptText.fit({ ...content, ...statedSearches({ web }) });
    this.ended ||= part.isLast === true;
    this.id ||= part.id ?? '';
    this.model ||= part.model ?? '';
  }
}
