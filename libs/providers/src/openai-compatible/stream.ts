import type { Usage } from '@tollgate/contracts';
import type { ClientError, ReplyContext, ReplyStream, ReplyText, UpstreamFault } from '../adapter.js';
import { errorFrame } from '../faults/error-body.js';
import { findFault } from '../faults/faults.js';
import { arrayOf, parseObject } from '../json/json.js';
import { arePlainOpenAiEvents } from '../stream/plain-event.js';
import { isFiller, readSseEvent, SseSplitter } from '../stream/sse.js';
import { Transcript } from '../stream/transcript.js';
import type { UsageQuirks } from '../usage.js';
import { laterUsage, toOpenAiUsage, usageIn } from '../usage.js';
import { readOpenAiPart } from './parts.js';

const DONE = 'data: [DONE]\n\n';

const concat = (events: Buffer[]): Buffer | undefined => (events.length < 2 ? events[0] : Buffer.concat(events));

/**
 * OpenAI client and upstream: the upstream's bytes are forwarded unchanged, event by event. An event is parsed only when it may hold usage
 * or an error; text is parsed later, and only if it must be counted.
 */
export class OpenAiPassThrough implements ReplyStream {
  private readonly splitter = new SseSplitter();
  private readonly transcript: Transcript;
  private lastUsage: Usage | undefined;
  private usageWasSent = false;
  isDone = false;
  private endedWithoutDone = false;
  private malformed = 0;
  fault: UpstreamFault | undefined;

  constructor(
    private readonly context: ReplyContext,
    private readonly quirks: UsageQuirks,
  ) {
    this.transcript = new Transcript(readOpenAiPart, context.room);
  }

  get isComplete(): boolean {
    return !this.fault && (this.isDone || this.endedWithoutDone);
  }

  hasEnded(): boolean {
    return !this.fault && (this.isDone || this.transcript.hasEnded());
  }

  get malformedEvents(): number {
    return this.malformed + this.transcript.malformedEvents;
  }

  get frameBytes(): number {
    return this.transcript.frameBytes;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.isOver) return undefined;
    if (this.splitter.isBetweenEvents && this.transcript.addUnparsed(chunk, arePlainOpenAiEvents)) return chunk;
    return concat(this.splitter.push(chunk).filter((event) => this.passes(event)));
  }

  close(): Buffer | undefined {
    const rest = this.splitter.end();
    const last = rest && !this.isOver && this.passes(rest) ? Buffer.concat([rest, Buffer.from('\n\n')]) : undefined;
    if (!this.isDone) this.endedWithoutDone = this.transcript.hasEnded();
    return last;
  }

  usage(): Usage | undefined {
    return this.lastUsage && this.hasEnded() && !this.transcript.hasGrown() ? this.lastUsage : undefined;
  }

  usageSoFar(): Usage | undefined {
    return this.lastUsage;
  }

  text(): ReplyText {
    return this.transcript.text();
  }

  lastFrames(estimate?: Usage): Buffer {
    const isSaid = this.usageWasSent && this.usage() !== undefined;
    const owed = this.context.includeUsage && !isSaid ? (estimate ?? this.lastUsage) : undefined;
    return Buffer.from(owed ? this.usageFrame(owed) + DONE : DONE);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    return errorFrame('openai', error, requestId);
  }

  dispose(): void {
    this.transcript.dispose();
  }

  private get isOver(): boolean {
    return this.isDone || this.fault !== undefined;
  }

  private passes(event: Buffer): boolean {
    if (this.isOver) return false;
    if (this.transcript.addUnparsed(event, arePlainOpenAiEvents)) return true;
    const { data } = readSseEvent(event);
    if (data === undefined) return isFiller(event);
    if (data.trim() === '[DONE]') {
      this.isDone = true;
      return false;
    }
    return this.passesData(data);
  }

  private passesData(data: string): boolean {
    const json = parseObject(data);
    if (!json) {
      this.malformed += 1;
      return false;
    }
    this.fault = findFault(json, this.context.secrets);
    if (this.fault) return false;
    this.transcript.addParsed(json);
    const usage = usageIn(json, this.quirks);
    if (!usage) return true;
    const later = laterUsage(usage, this.lastUsage);
    if (later !== this.lastUsage) this.transcript.setMark();
    this.lastUsage = later;
    const isUsageChunk = arrayOf(json.choices).length === 0;
    if (isUsageChunk && !this.context.includeUsage) return false;
    this.usageWasSent = true;
    return true;
  }

  private usageFrame(usage: Usage): string {
    const { requestId, nowSeconds, model } = this.context;
    // Parsing the text also yields the id and model of the stream.
    this.transcript.text();
    const chunk = {
      id: this.transcript.id || `chatcmpl-${requestId}`,
      object: 'chat.completion.chunk',
      created: nowSeconds,
      model: this.transcript.model || model,
      choices: [],
      usage: toOpenAiUsage(usage),
    };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}
