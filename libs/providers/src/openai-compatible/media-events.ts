import type { Usage } from '@tollgate/contracts';
import type { ClientError, JsonObject, ReplyContext, ReplyStream, ReplyText, UpstreamFault } from '../adapter.js';
import { typedErrorFrame } from '../faults/error-body.js';
import { findFault } from '../faults/faults.js';
import { parseObject, textOf } from '../json/json.js';
import { isFiller, readSseEvent, SseSplitter } from '../stream/sse.js';
import { appendText, noText } from '../stream/transcript.js';
import { usageSum } from '../usage.js';

/** Reads the events of one kind of media stream. */
interface MediaReader {
  /** Number of closing events, where each of several pieces has its own; one if absent. */
  pieces?: number;
  /** Whether events of this type close a piece; the last of them closes the stream. */
  isLast(type: string): boolean;
  usageOf(json: JsonObject): Usage | undefined;
  /** Text that the model produced, for local counting; pictures and audio have none. */
  wordsOf?(json: JsonObject): string;
}

const join = (events: Buffer[]): Buffer | undefined => (events.length < 2 ? events[0] : Buffer.concat(events));

/** Streams pictures, audio or transcripts as events that name their type. Events are forwarded unchanged; the closing one is held back. */
export class MediaEvents implements ReplyStream {
  private readonly splitter = new SseSplitter();
  private spoken = noText;
  private stated: Usage | undefined;
  private closing: Buffer | undefined;
  private closed = 0;
  fault: UpstreamFault | undefined;
  malformedEvents = 0;

  constructor(
    private readonly context: ReplyContext,
    private readonly reader: MediaReader,
  ) {}

  get isDone(): boolean {
    return this.closing !== undefined;
  }

  get isComplete(): boolean {
    return this.isDone && !this.fault;
  }

  hasEnded(): boolean {
    return this.isComplete;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.isOver) return undefined;
    return join(this.splitter.push(chunk).filter((event) => this.passes(event)));
  }

  close(): Buffer | undefined {
    const rest = this.splitter.end();
    const whole = rest && Buffer.concat([rest, Buffer.from('\n\n')]);
    const last = whole && !this.isOver && this.passes(whole) ? whole : undefined;
    // Some upstreams make fewer pieces than were asked for, or close all of them by one event.
    if (this.closed > 0 && !this.isOver) this.closing = Buffer.alloc(0);
    return last;
  }

  /** Until the last piece only a part of the sum is known. */
  usage(): Usage | undefined {
    return this.isDone ? this.stated : undefined;
  }

  usageSoFar(): Usage | undefined {
    return this.stated;
  }

  text(): ReplyText {
    return this.spoken;
  }

  lastFrames(): Buffer {
    return this.closing ?? Buffer.alloc(0);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    return typedErrorFrame(error, requestId);
  }

  dispose(): void {
    this.spoken = noText;
  }

  private get isOver(): boolean {
    return this.isDone || this.fault !== undefined;
  }

  private passes(event: Buffer): boolean {
    if (this.isOver) return false;
    const { data, type } = readSseEvent(event);
    if (data === undefined) return isFiller(event);
    const json = parseObject(data);
    if (!json) {
      this.malformedEvents += 1;
      return false;
    }
    this.fault = findFault(json, this.context.secrets);
    if (this.fault) return false;
    this.spoken = appendText(this.spoken, this.reader.wordsOf?.(json) ?? '');
    if (!this.reader.isLast(textOf(json.type) || (type ?? ''))) return true;
    this.addUsage(this.reader.usageOf(json));
    if (this.closed < (this.reader.pieces ?? 1)) return true;
    this.closing = event;
    return false;
  }

  /** A piece of unknown usage makes the sum unknown, too. */
  private addUsage(stated: Usage | undefined): void {
    this.closed += 1;
    this.stated = this.closed === 1 ? stated : this.stated && stated && usageSum(this.stated, stated);
  }
}
