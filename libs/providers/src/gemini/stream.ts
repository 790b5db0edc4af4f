import type { Usage } from '@tollgate/contracts';
import type { ClientError, JsonObject, ReplyContext, ReplyStream, ReplyText, UpstreamFault } from '../adapter.js';
import { errorFrame } from '../faults/error-body.js';
import { findFault } from '../faults/faults.js';
import { parseObject } from '../json/json.js';
import { isFiller, readSseEvent, SseSplitter } from '../stream/sse.js';
import { Transcript } from '../stream/transcript.js';
import { field, listAt, textAt } from './fields.js';
import { picturesIn, readGeminiPart, ReportedSearches } from './parts.js';
import { laterUsage } from '../usage.js';
import { geminiUsage } from './usage.js';

const concat = (events: Buffer[]): Buffer | undefined => (events.length < 2 ? events[0] : Buffer.concat(events));

/**
 * Gemini client and upstream: the upstream's bytes are forwarded unchanged. Every event is parsed, because each states usage. The dialect
 * has no terminal event, so the events with finish reasons are held back instead.
 */
export class GeminiPassThrough implements ReplyStream {
  private readonly splitter = new SseSplitter();
  private readonly transcript: Transcript;
  private lastUsage: Usage | undefined;
  private held: Buffer[] = [];
  private ended = false;
  private readonly searches = new ReportedSearches();
  private pictures = 0;
  /** The answer is over only when the upstream's body ends. */
  readonly isDone = false;
  malformedEvents = 0;
  fault: UpstreamFault | undefined;

  constructor(private readonly context: ReplyContext) {
    this.transcript = new Transcript(readGeminiPart, context.room);
  }

  get isComplete(): boolean {
    return !this.fault && this.ended;
  }

  hasEnded(): boolean {
    return this.isComplete;
  }

  push(chunk: Buffer): Buffer | undefined {
    return concat(this.splitter.push(chunk).flatMap((event) => this.take(event)));
  }

  close(): Buffer | undefined {
    const rest = this.splitter.end();
    return rest && concat(this.take(Buffer.concat([rest, Buffer.from('\n\n')])));
  }

  usage(): Usage | undefined {
    return this.isComplete && !this.transcript.hasGrown() ? this.usageSoFar() : undefined;
  }

  usageSoFar(): Usage | undefined {
    return this.lastUsage && { ...this.lastUsage, ...this.searches.stated() };
  }

  text(): ReplyText {
    const { pictures } = this;
    return { ...this.transcript.text(), ...(pictures > 0 && { pictures }), ...this.searches.stated() };
  }

  lastFrames(): Buffer {
    return Buffer.concat(this.held);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    return errorFrame('gemini', error, requestId);
  }

  dispose(): void {
    this.transcript.dispose();
  }

  private take(event: Buffer): Buffer[] {
    if (this.fault) return [];
    const { data } = readSseEvent(event);
    if (data === undefined) return isFiller(event) ? [event] : [];
    const json = parseObject(data);
    if (!json) {
      this.malformedEvents += 1;
      return [];
    }
    return this.takeJson(event, json);
  }

  private takeJson(event: Buffer, json: JsonObject): Buffer[] {
    this.fault = findFault(json, this.context.secrets);
    if (this.fault) return [];
    this.transcript.addParsed(json);
    this.searches.add(json);
    this.pictures += picturesIn(json);
    this.ended = this.transcript.hasEnded();
    this.readUsage(json);
    // With several candidates another one may still begin or continue; the held events must then be released.
    const goesOn = listAt(json, 'candidates').some((candidate) => textAt(candidate, 'finishReason') === '');
    if (this.ended && !goesOn) {
      this.held.push(event);
      return [];
    }
    const passed = [...this.held, event];
    this.held = [];
    return passed;
  }

  private readUsage(json: JsonObject): void {
    const usage = geminiUsage(field(json, 'usageMetadata'), this.pictures);
    if (!usage) return;
    const later = laterUsage(usage, this.lastUsage);
    if (later !== this.lastUsage) this.transcript.setMark();
    this.lastUsage = later;
  }
}
