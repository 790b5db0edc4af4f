import type { Searches, Usage } from '@tollgate/contracts';
import type { ClientError, Json, JsonObject, ReplyContext, ReplyStream, ReplyText, UpstreamFault } from '../adapter.js';
import { errorFrame } from '../faults/error-body.js';
import { objectOf, parseObject, textOf } from '../json/json.js';
import { isPlainResponsesEvent } from '../stream/plain-event.js';
import { madeSearches, mostSearches, statedSearches } from '../request/search-tools.js';
import { isFiller, readSseEvent, SseSplitter } from '../stream/sse.js';
import { Transcript } from '../stream/transcript.js';
import { isZeroUsage, openAiUsage } from '../usage.js';
import { ENDINGS, readResponsesPart } from './parts.js';
import { responseFault } from './reply.js';

const concat = (events: Buffer[]): Buffer | undefined => (events.length < 2 ? events[0] : Buffer.concat(events));

/** Responses client and upstream: the upstream's bytes are forwarded unchanged; only events other than deltas are parsed. */
export class ResponsesPassThrough implements ReplyStream {
  private readonly splitter = new SseSplitter();
  private readonly transcript: Transcript;
  private stated: Usage | undefined;
  /** Completed searches so far. */
  private searches: Searches = {};
  /** The final event of the response, held back. */
  private terminal: Buffer | undefined;
  private malformed = 0;
  /** The last forwarded event and the number of forwarded events, from which the number of an event appended by us follows. */
  private last: Buffer | undefined;
  private count = 0;
  fault: UpstreamFault | undefined;

  constructor(private readonly context: ReplyContext) {
    this.transcript = new Transcript(readResponsesPart, context.room);
  }

  get isComplete(): boolean {
    return !this.fault && this.isDone;
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

  push(chunk: Buffer): Buffer | undefined {
    return concat(this.splitter.push(chunk).filter((event) => this.passes(event)));
  }

  close(): Buffer | undefined {
    const rest = this.splitter.end();
    const last = rest && Buffer.concat([rest, Buffer.from('\n\n')]);
    return last && this.passes(last) ? last : undefined;
  }

  usage(): Usage | undefined {
    return this.isComplete ? this.stated : undefined;
  }

  usageSoFar(): Usage | undefined {
    return this.stated;
  }

  text(): ReplyText {
    return { ...this.transcript.text(), ...statedSearches(this.searches) };
  }

  lastFrames(): Buffer {
    return this.terminal ?? Buffer.alloc(0);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    return errorFrame('responses', error, requestId, this.nextPlace());
  }

  dispose(): void {
    this.transcript.dispose();
  }

  private nextPlace(): number {
    const { sequence_number: place } = parseObject((this.last && readSseEvent(this.last).data) ?? '') ?? {};
    return typeof place === 'number' ? place + 1 : this.count;
  }

  private note(event: Buffer): true {
    this.last = event;
    this.count += 1;
    return true;
  }

  private passes(event: Buffer): boolean {
    if (this.isDone || this.fault) return false;
    if (isPlainResponsesEvent(event)) {
      this.transcript.addPlain(event);
      return this.note(event);
    }
    const { data } = readSseEvent(event);
    if (data === undefined) return isFiller(event);
    // Not part of OpenAI's API, but some servers end every stream with it.
    if (data.trim() === '[DONE]') return false;
    const json = parseObject(data);
    if (json) return this.passesJson(event, json);
    this.malformed += 1;
    return false;
  }

  private countSearches(items: Json[]): void {
    const { web = 0, file = 0 } = madeSearches(items);
    this.searches = { web: (this.searches.web ?? 0) + web, file: (this.searches.file ?? 0) + file };
  }

  private passesJson(event: Buffer, json: JsonObject): boolean {
    this.fault = responseFault(json, this.context.secrets);
    if (this.fault) {
      this.readUsage(json);
      return false;
    }
    this.transcript.addParsed(json);
    const type = textOf(json.type);
    if (type === 'response.output_item.done') this.countSearches([json.item ?? null]);
    if (!ENDINGS.has(type)) return this.note(event);
    this.readUsage(json);
    this.terminal = event;
    return false;
  }

  private readUsage({ response }: JsonObject): void {
    const { output, usage } = objectOf(response);
    // The last event should repeat all items, but some servers omit them.
    this.searches = mostSearches(this.searches, madeSearches(output));
    const found = openAiUsage(usage);
    // A failed answer without tokens is one whose server did not count; what was sent is counted then.
    const stated = this.fault && found && isZeroUsage(found) ? undefined : found;
    this.stated = stated && { ...stated, ...statedSearches(this.searches) };
  }
}
