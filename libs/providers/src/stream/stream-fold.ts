import type { Usage } from '@tollgate/contracts';
import type {
  ClientError,
  Dialect,
  JsonObject,
  ReplyContext,
  ReplyStream,
  ReplyText,
  UpstreamFault,
} from '../adapter.js';
import { errorFrame, withRequestId } from '../faults/error-body.js';
import { findFault } from '../faults/faults.js';
import type { Framing } from './framing.js';
import { parseObject } from '../json/json.js';
import { BYTES_PER_CHARACTER, KeptText } from './kept-text.js';
import type { SseEvent } from './sse.js';
import { readSseEvent, SseSplitter } from './sse.js';
import { noText } from './transcript.js';

/** State common to all conversions of a stream; each adds members of its own. */
export interface FoldState {
  usage?: Usage;
  promptUsage?: Usage;
  fault?: UpstreamFault;
  /** The terminal event was received; everything after it is ignored. */
  isDone: boolean;
  /** The upstream stated how the reply ended, so a missing terminal event does not mean a cut. */
  hasEnded: boolean;
  malformedEvents: number;
  content: ReplyText;
  /** Characters held until the end, because the client's dialect has them in a single event. */
  waiting?: number;
}

/** In characters; far longer than any answer, and enough for some pictures in it. */
export const MAX_WAITING = 16 * 1024 * 1024;

export const tooMuchWaits: UpstreamFault = {
  class: 'upstream',
  message: 'the stream says more than can be kept until its end',
  type: 'upstream_error',
  code: 'read_response_body_failed',
};

export const beforeFirstEvent: FoldState = { isDone: false, hasEnded: false, malformedEvents: 0, content: noText };

/** A conversion of a stream as a fold: each upstream event maps the state to a new state and frames for the client. */
export interface StreamFold<State extends FoldState> {
  clientDialect: Dialect;
  initialState(context: ReplyContext): State;
  fromStreamEvent(state: State, event: SseEvent, context: ReplyContext): { state: State; frames: string[] };
  /** The frames after the upstream's end; `usage` is the booked usage: the upstream's own if it is plausible, else our count. */
  lastFrames(state: State, context: ReplyContext, usage: Usage | undefined): string[];
  /** Frames that end a broken stream; `undefined` for the dialect's error event. */
  errorFrames?(state: State, context: ReplyContext, error: ClientError): string[] | undefined;
}

/** The event's JSON, or the new state if it has none: after comments, malformed events and errors. */
export function readJsonEvent<State extends FoldState>(
  state: State,
  event: SseEvent,
  context: ReplyContext,
): { state: State; json?: JsonObject } {
  if (event.data === undefined) return { state };
  const json = parseObject(event.data);
  if (!json) return { state: { ...state, malformedEvents: state.malformedEvents + 1 } };
  const fault = findFault(json, context.secrets);
  return fault ? { state: { ...state, fault } } : { state, json };
}

export const dataFrame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
/** An Anthropic event, whose data repeat its type. */
export interface TypedEvent {
  type: string;
  [name: string]: unknown;
}

export const typedFrame = (data: TypedEvent): string => `event: ${data.type}\n${dataFrame(data)}`;

const bytesOf = (frames: string[]): Buffer | undefined =>
  frames.length === 0 ? undefined : Buffer.from(frames.join(''));

/** A measure that grows with every piece of the answer. */
const sizeOf = ({ text, droppedBytes, toolCalls }: ReplyText): number => text.length + droppedBytes + toolCalls;

/** Applies a fold to an upstream's bytes. */
export class ConvertedStream<State extends FoldState> implements ReplyStream {
  private state: State;
  /** Whether text arrived after the last usage. */
  private hasGrown = false;
  private readonly kept: KeptText;
  private readonly keptCalls: KeptText;
  private waiting = 0;

  constructor(
    private readonly fold: StreamFold<State>,
    private readonly context: ReplyContext,
    private readonly framing: Framing = new SseSplitter(),
  ) {
    this.state = fold.initialState(context);
    this.kept = new KeptText(context.room);
    this.keptCalls = new KeptText(context.room);
  }

  get isComplete(): boolean {
    return !this.state.fault && (this.state.isDone || this.state.hasEnded);
  }

  get isDone(): boolean {
    return this.state.isDone;
  }

  hasEnded(): boolean {
    return this.isComplete;
  }

  get fault(): UpstreamFault | undefined {
    return this.state.fault;
  }

  get malformedEvents(): number {
    return this.state.malformedEvents;
  }

  push(chunk: Buffer): Buffer | undefined {
    return bytesOf(this.framing.push(chunk).flatMap((event) => this.step(event)));
  }

  close(): Buffer | undefined {
    const rest = this.framing.end();
    return rest && bytesOf(this.step(rest));
  }

  usage(): Usage | undefined {
    return this.hasEnded() && !this.hasGrown ? this.searched(this.state.usage) : undefined;
  }

  usageSoFar(): Usage | undefined {
    return this.searched(this.state.usage ?? this.state.promptUsage);
  }

  /** Adds the searches, which an upstream may report separately from the usage and after it. */
  private searched(usage: Usage | undefined): Usage | undefined {
    const { searches } = this.state.content;
    return usage && searches ? { ...usage, searches } : usage;
  }

  text(): ReplyText {
    return this.state.content;
  }

  lastFrames(estimate?: Usage): Buffer {
    return bytesOf(this.fold.lastFrames(this.state, this.context, estimate ?? this.state.usage)) ?? Buffer.alloc(0);
  }

  errorFrames(error: ClientError, requestId: string): Buffer {
    const withId = { ...error, message: withRequestId(error.message, requestId) };
    const frames = this.fold.errorFrames?.(this.state, this.context, withId);
    return (frames && bytesOf(frames)) ?? errorFrame(this.fold.clientDialect, error, requestId);
  }

  dispose(): void {
    this.kept.dispose();
    this.keptCalls.dispose();
  }

  private step(bytes: Buffer): string[] {
    if (this.state.isDone || this.state.fault) return [];
    const { state, frames } = this.fold.fromStreamEvent(this.state, readSseEvent(bytes), this.context);
    if (!this.hasRoomFor(state.waiting)) {
      this.state = { ...this.state, fault: tooMuchWaits };
      return [];
    }
    const isStated = state.usage !== this.state.usage;
    this.hasGrown = !isStated && (this.hasGrown || sizeOf(state.content) > sizeOf(this.state.content));
    const content = this.kept.fit(state.content);
    this.state = content === state.content ? state : { ...state, content };
    return frames;
  }

  private hasRoomFor(waiting = 0): boolean {
    const more = waiting - this.waiting;
    this.waiting = waiting;
    return waiting <= MAX_WAITING && this.keptCalls.grow(more * BYTES_PER_CHARACTER);
  }
}
