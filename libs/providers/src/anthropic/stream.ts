import type { Usage } from '@tollgate/contracts';
import type { ClientError, JsonObject, ReplyContext, ReplyStream, ReplyText, UpstreamFault } from '../adapter.js';
import { errorFrame } from '../faults/error-body.js';
import { findFault } from '../faults/faults.js';
import type { Framing } from '../stream/framing.js';
import { objectOf, parseObject, textOf } from '../json/json.js';
import { isPlainAnthropicEvent } from '../stream/plain-event.js';
import { isFiller, readSseEvent, SseSplitter } from '../stream/sse.js';
import { Transcript } from '../stream/transcript.js';
import { anthropicUsage, closingUsage } from '../usage.js';
import { readAnthropicPart } from './parts.js';

const STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
/** Anthropic client and upstream: the upstream's bytes are forwarded unchanged; only events with usage are parsed. */
export class AnthropicPassThrough implements ReplyStream {
  private readonly transcript: Transcript;
  private opening: Usage | undefined;
  private closing: Usage | undefined;
  private terminal: Buffer | undefined;
  private wasStopped = false;
  private malformed = 0;
  fault: UpstreamFault | undefined;

  constructor(
    private readonly context: ReplyContext,
    private readonly framing: Framing = new SseSplitter(),
  ) {
    this.transcript = new Transcript(readAnthropicPart, context.room);
  }

  get isComplete(): boolean {
    return !this.fault && (this.isDone || this.wasStopped);
  }

  get isDone(): boolean {
    return this.terminal !== undefined;
  }

  hasEnded(): boolean {
    return this.isComplete;
  }

  get malformedEvents(): number {
    return this.malformed + this.transcript.malformedEvents;
  }

  get frameBytes(): number {
    return this.transcript.frameBytes;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.isOver) return undefined;
    if (this.framing.isBetweenEvents && this.transcript.addUnparsed(chunk, isPlainAnthropicEvent)) return chunk;
    const events = this.framing.push(chunk).filter((event) => this.passes(event));
    return events.length < 2 ? events[0] : Buffer.concat(events);
  }

  close(): Buffer | undefined {
    const rest = this.framing.end();
    return rest && this.passes(rest) ? Buffer.concat([rest, Buffer.from('\n\n')]) : undefined;
  }

  usage(): Usage | undefined {
    return this.closing && this.hasEnded() && !this.transcript.hasGrown() ? this.closing : undefined;
  }

  usageSoFar(): Usage | undefined {
    return this.closing ?? (this.opening && { ...this.opening, outputTokens: 0 });
  }

  text(): ReplyText {
    return this.transcript.text();
  }

  lastFrames(): Buffer {
    return this.terminal ?? Buffer.from(STOP);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    return errorFrame('anthropic', error, requestId);
  }

  dispose(): void {
    this.transcript.dispose();
  }

  private get isOver(): boolean {
    return this.isDone || this.fault !== undefined;
  }

  private passes(event: Buffer): boolean {
    if (this.isOver) return false;
    if (this.transcript.addUnparsed(event, isPlainAnthropicEvent)) return true;
    const { data } = readSseEvent(event);
    if (data === undefined) return isFiller(event);
    const json = parseObject(data);
    if (!json) {
      this.malformed += 1;
      return false;
    }
    return this.passesJson(event, json);
  }

  private passesJson(event: Buffer, json: JsonObject): boolean {
    this.fault = findFault(json, this.context.secrets);
    if (this.fault) return false;
    if (json.type === 'message_stop') {
      this.terminal = event;
      return false;
    }
    this.transcript.addParsed(json);
    if (json.type === 'message_start') this.opening = anthropicUsage(objectOf(json.message).usage) ?? this.opening;
    if (json.type === 'message_delta') {
      const stated = closingUsage(json.usage, this.closing ?? this.opening);
      if (stated) this.transcript.setMark();
      this.closing = stated ?? this.closing;
      this.wasStopped ||= textOf(objectOf(json.delta).stop_reason) !== '';
    }
    return true;
  }
}
