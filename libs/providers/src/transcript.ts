import type { JsonObject, ReplyText } from './adapter.js';
import { parseObject } from './json.js';
import { readSseEvent, SseSplitter } from './sse.js';

const FIRST_BYTES = 4 * 1024;
const MAX_RAW_BYTES = 256 * 1024;
const MAX_CHARACTERS = 1024 * 1024;

/** What one upstream event adds to the reply. */
export interface EventPart {
  text: string;
  /** The highest number of tool calls named so far. */
  toolCalls?: number;
  /** The event says how the reply ended. */
  isLast?: boolean;
  id?: string;
  model?: string;
}

export type PartReader = (json: JsonObject) => EventPart;

/** Keeps text up to a bound and counts what goes beyond. */
export function appendText(before: ReplyText, text: string, toolCalls = 0): ReplyText {
  const room = MAX_CHARACTERS - before.text.length;
  return {
    text: room > 0 ? before.text + (text.length > room ? text.slice(0, room) : text) : before.text,
    droppedCharacters: before.droppedCharacters + Math.max(text.length - Math.max(room, 0), 0),
    toolCalls: Math.max(before.toolCalls, toolCalls),
  };
}

export const noText: ReplyText = { text: '', droppedCharacters: 0, toolCalls: 0 };

/**
 * The events of a stream whose bytes pass unread. Most streams end with the upstream's own usage, so events are only
 * copied here and parsed when somebody asks or the copy grows too large.
 */
export class Transcript {
  private raw = Buffer.alloc(0);
  private length = 0;
  private content = noText;
  private ended = false;
  /** Of the first event that named them. */
  id = '';
  model = '';
  malformedEvents = 0;

  constructor(private readonly read: PartReader) {}

  add(events: Buffer): void {
    if (this.length + events.length > MAX_RAW_BYTES) this.digest();
    if (events.length > MAX_RAW_BYTES) return this.digestBytes(events);
    this.reserve(this.length + events.length);
    events.copy(this.raw, this.length);
    this.length += events.length;
  }

  text(): ReplyText {
    this.digest();
    return this.content;
  }

  /** Whether an event told how the reply ended. */
  hasEnded(): boolean {
    this.digest();
    return this.ended;
  }

  private reserve(bytes: number): void {
    if (bytes <= this.raw.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, this.raw.length * 2, bytes));
    this.raw.copy(grown, 0, 0, this.length);
    this.raw = grown;
  }

  private digest(): void {
    if (this.length === 0) return;
    const events = this.raw.subarray(0, this.length);
    this.length = 0;
    this.digestBytes(events);
  }

  private digestBytes(events: Buffer): void {
    for (const bytes of new SseSplitter(Number.MAX_SAFE_INTEGER).push(events)) {
      const { data } = readSseEvent(bytes);
      if (data !== undefined) this.digestData(data);
    }
  }

  private digestData(data: string): void {
    const json = parseObject(data);
    if (!json) {
      this.malformedEvents += 1;
      return;
    }
    const part = this.read(json);
    this.content = appendText(this.content, part.text, part.toolCalls);
    this.ended ||= part.isLast === true;
    this.id ||= part.id ?? '';
    this.model ||= part.model ?? '';
  }
}
