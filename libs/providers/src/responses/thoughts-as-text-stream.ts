import type { Usage } from '@tollgate/contracts';
import type { ClientError, JsonObject, ReplyContext, ReplyStream, ReplyText, UpstreamFault } from '../adapter.js';
import { errorFrame } from '../faults/error-body.js';
import { parseObject, textOf } from '../json/json.js';
import { BYTES_PER_CHARACTER, KeptText } from '../stream/kept-text.js';
import { readSseEvent, SseSplitter } from '../stream/sse.js';
import { MAX_WAITING, tooMuchWaits, typedFrame } from '../stream/stream-fold.js';
import { ResponsesPassThrough } from './stream.js';
import { ThoughtsAsText } from './thoughts-as-text.js';

/** As `ResponsesPassThrough`, with thoughts sent as text. Counting and error checks apply to the upstream's original events. */
export class ResponsesWithThoughtsAsText implements ReplyStream {
  private readonly inner: ResponsesPassThrough;
  private readonly thoughts = new ThoughtsAsText();
  private readonly kept: KeptText;
  private waiting = 0;
  /** Sequence number of the next event. */
  private next = 0;
  private overflow: UpstreamFault | undefined;

  constructor(context: ReplyContext) {
    this.inner = new ResponsesPassThrough(context);
    this.kept = new KeptText(context.room);
  }

  get isComplete(): boolean {
    return !this.overflow && this.inner.isComplete;
  }

  get isDone(): boolean {
    return this.inner.isDone;
  }

  get fault(): UpstreamFault | undefined {
    return this.overflow ?? this.inner.fault;
  }

  get malformedEvents(): number {
    return this.inner.malformedEvents;
  }

  hasEnded(): boolean {
    return this.isComplete;
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.rewrite(this.inner.push(chunk));
  }

  close(): Buffer | undefined {
    return this.rewrite(this.inner.close());
  }

  usage(): Usage | undefined {
    return this.overflow ? undefined : this.inner.usage();
  }

  usageSoFar(): Usage | undefined {
    return this.inner.usageSoFar();
  }

  text(): ReplyText {
    return this.inner.text();
  }

  lastFrames(): Buffer {
    return this.rewrite(this.inner.lastFrames()) ?? Buffer.alloc(0);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    return errorFrame('responses', error, requestId, this.next);
  }

  dispose(): void {
    this.inner.dispose();
    this.kept.dispose();
  }

  /** Rewrites whole events, so no state of the splitter has to be kept between calls. */
  private rewrite(bytes: Buffer | undefined): Buffer | undefined {
    if (!bytes || this.overflow) return undefined;
    const splitter = new SseSplitter();
    const events = splitter.push(bytes);
    const last = splitter.end();
    const sent = (last ? [...events, last] : events).flatMap((event) => this.rewriteEvent(event));
    return sent.length === 0 ? undefined : Buffer.concat(sent);
  }

  private rewriteEvent(event: Buffer): Buffer[] {
    const { data } = readSseEvent(event);
    const json = data === undefined ? undefined : parseObject(data);
    if (!json || this.overflow) return this.overflow ? [] : [event];
    const events = this.thoughts.events(json);
    if (!this.hasRoom()) {
      this.overflow = tooMuchWaits;
      return [];
    }
    return events.map((rewritten) => this.numbered(event, json, rewritten));
  }

  /** An unchanged event keeps its bytes if its sequence number is still right. */
  private numbered(event: Buffer, json: JsonObject, changed: JsonObject): Buffer {
    const { type, sequence_number: own, ...rest } = changed;
    const place = this.next;
    this.next += 1;
    if (changed === json && (own === undefined || own === place)) return event;
    return Buffer.from(typedFrame({ type: textOf(type), sequence_number: place, ...rest }));
  }

  private hasRoom(): boolean {
    const { waiting } = this.thoughts;
    const more = waiting - this.waiting;
    this.waiting = waiting;
    return waiting <= MAX_WAITING && this.kept.grow(more * BYTES_PER_CHARACTER);
  }
}
