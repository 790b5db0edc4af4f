import type { Searches, Usage } from '@tollgate/contracts';
import type { ClientError, Json, JsonObject, ReplyContext, ReplyStream, ReplyText, UpstreamFault } from '../adapter.js';
import { errorFrame } from '../faults/error-body.js';
import { objectOf, parseObject, textOf } from '../json/json.js';
import { isPlainResponsesEvent } from '../stream/plain-event.js';
import { madeSearches, mostSearches, statedSearches } from '../request/search-tools.js';
import { isFiller, readSseEvent, SseSplitter } from '../stream/sse.js';
import { Transcript } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';
import { ENDINGS, readResponsesPart } from './parts.js';
import { responseFault } from './reply.js';

const concat = (events: Buffer[]): Buffer | undefined => (events.length < 2 ? events[0] : Buffer.concat(events));

/** Client of POST /v1/responses over an upstream that has it: the upstream's bytes go on as they are, and only what is no delta is parsed. */
export class ResponsesPassThrough implements ReplyStream {
  private readonly splitter = new SseSplitter();
  private readonly transcript: Transcript;
  private stated: Usage | undefined;
  /** As far as they are done. */
  private searches: Searches = {};
  /** The event that ends the response, held back. */
  private terminal: Buffer | undefined;
  private malformed = 0;
  /** The last event that went on, and how many did: what comes behind them has the next number. */
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
    // Not OpenAI's, but of servers that end every stream so.
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
    if (this.fault) return false;
    this.transcript.addParsed(json);
    const type = textOf(json.type);
    if (type === 'response.output_item.done') this.countSearches([json.item ?? null]);
    if (!ENDINGS.has(type)) return this.note(event);
    const { output, usage } = objectOf(json.response);
    // The last event repeats all items; some servers leave them out of it.
    this.searches = mostSearches(this.searches, madeSearches(output));
    const stated = openAiUsage(usage);
    this.stated = stated && { ...stated, ...statedSearches(this.searches) };
    this.terminal = event;
    return false;
  }
}
