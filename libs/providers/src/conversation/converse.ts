import type { Usage } from '@tollgate/contracts';
import type {
  ChannelTarget,
  ClientError,
  ClientRequest,
  Dialect,
  FollowUp,
  JsonObject,
  Reply,
  ReplyContext,
  TextAdapter,
  UpstreamFault,
  UpstreamRequest,
} from '../adapter.js';
import type { StreamFraming } from '../stream/framing.js';
import type { SseEvent } from '../stream/sse.js';
import type { FoldState, StreamFold } from '../stream/stream-fold.js';
import { RequestRejected } from '../adapter.js';
import { ConvertedStream } from '../stream/stream-fold.js';
import { expected, type Misfit, unsupported } from './shapes.js';
import { type RawReader, unchangedOver } from './unchanged.js';
import { thoughtAsText, thoughtsAsText } from './thoughts.js';
import { unreadableCall, withoutUnreadable } from './unreadable-calls.js';
import type { Conversation, ConversationReply, StreamEvent, Turn } from './conversation.js';

/** Turns the events of an upstream into neutral ones; what the relay must know of them is in the state. */
export interface StreamReader<State extends FoldState = FoldState> {
  initialState(): State;
  read(state: State, event: SseEvent, context: ReplyContext): { state: State; events: StreamEvent[] };
}

/** Turns neutral events into the frames of a client. */
export interface StreamWriter<State = unknown> {
  initialState(): State;
  write(state: State, event: StreamEvent, context: ReplyContext): { state: State; frames: string[] };
  /** Characters that it keeps for the end; none where it says nothing. */
  waiting?(state: State): number;
  /** The frames after the end; `usage` is what is booked. */
  lastFrames(state: State, context: ReplyContext, usage: Usage | undefined): string[];
  /** What ends a stream that broke, where that takes more than the dialect's error event. */
  errorFrames?(state: State, context: ReplyContext, error: ClientError): string[];
}

/** A whole reply as an upstream sent it; `reply` is undefined when there is a fault. */
export interface ReadReply extends Omit<Reply, 'body'> {
  reply?: ConversationReply;
}

/** How clients of a dialect ask, and how they are answered. */
export interface ClientSide {
  dialect: Dialect;
  /** The code of a refusal of what a request holds. */
  errorCode: string;
  /** The member of a request that holds the conversation. */
  said: string;
  /** What the reader of a request would not understand, or what no other dialect can express. */
  faultIn(json: JsonObject): Misfit | undefined;
  /** The member by which it asks for JSON of a schema. */
  schemaAt: string;
  /** The shortest valid request; of a dialect whose bodies may be passed on unchanged to upstreams of others. */
  leastSaid?: JsonObject;
  readRequest(request: ClientRequest, target: ChannelTarget): Conversation;
  writeReply(reply: ConversationReply, usage: Usage | undefined, context: ReplyContext): JsonObject;
  writer: StreamWriter;
}

/** How upstreams of a dialect are asked, and how they answer. */
export interface UpstreamSide {
  /** `request` is the client's: its headers, and what its quota pays for. Throws `RequestRejected` for what it cannot express. */
  writeRequest(conversation: Conversation, request: ClientRequest, target: ChannelTarget): UpstreamRequest;
  readReply(body: Buffer, context: ReplyContext): ReadReply;
  /** Whether it can be asked for several answers at once. */
  givesChoices?: boolean;
  /** Whether it can be asked for JSON of a schema. */
  takesSchema?: boolean;
  /** Earlier calls of tools whose arguments are no object are left out; without it, they are refused. */
  leavesOutUnreadable?: true;
  reader: StreamReader;
  /** How it reads a body that is passed on as it is; without it, all of them are converted. */
  raw?: RawReader;
  /** Functions of certain names are its own; see `TextAdapter`. */
  runsGoogleTools?: true;
  /** Undefined: server-sent events. */
  framing?: StreamFraming;
  /** Of an upstream that answers in steps; see `TextAdapter`. */
  followUp?(
    replies: readonly Buffer[],
    conversation: Conversation,
    request: ClientRequest,
    target: ChannelTarget,
  ): FollowUp | undefined;
}

/** Far more than any model calls or answers at once: for each of them something is kept until the end. */
const MAX_PLACES = 1024;

const tooManyPlaces: UpstreamFault = {
  class: 'upstream',
  message: `the upstream began more than ${MAX_PLACES} tool calls and answers in one stream`,
  type: 'upstream_error',
  code: 'read_response_body_failed',
};

interface ConvertedState extends FoldState {
  writing: unknown;
  /** Calls that began, and answers; one set for the whole stream, which grows. */
  places: Set<string>;
  /** Answers that are thinking, where thoughts are sent as text. */
  thinking: Set<number>;
}

function notePlace(places: Set<string>, event: StreamEvent): void {
  if (event.type === 'start') return;
  places.add(String(event.choice));
  if (event.type === 'tool-call') places.add(`${event.choice}:${event.index}`);
}

const convertedFold = (dialect: Dialect, reader: StreamReader, writer: StreamWriter): StreamFold<ConvertedState> => ({
  clientDialect: dialect,

  initialState: () => ({
    ...reader.initialState(),
    writing: writer.initialState(),
    places: new Set(),
    thinking: new Set(),
  }),

  fromStreamEvent(before, event, context) {
    const { state, events: told } = reader.read(before, event, context);
    let { writing } = before;
    const { places, thinking } = before;
    const events = context.setting.thinking_to_content ? told.flatMap((item) => thoughtAsText(item, thinking)) : told;
    for (const item of events) notePlace(places, item);
    if (places.size > MAX_PLACES) return { state: { ...before, fault: tooManyPlaces }, frames: [] };
    const frames = events.flatMap((item) => {
      const written = writer.write(writing, item, context);
      writing = written.state;
      return written.frames;
    });
    const waiting = writer.waiting?.(writing) ?? 0;
    return { state: { ...state, writing, places, thinking, waiting }, frames };
  },

  lastFrames: (state, context, usage) => writer.lastFrames(state.writing, context, usage),

  errorFrames: (state, context, error) => writer.errorFrames?.(state.writing, context, error),
});

const withoutThoughts = (reply: ConversationReply): ConversationReply => ({
  ...reply,
  choices: reply.choices.map((choice) => ({ ...choice, parts: thoughtsAsText(choice.parts) })),
});

/** Client and upstream of one dialect exchange their own bytes, unless a setting of the channel wants the reply written anew. */
export const unlessRewritten = (own: TextAdapter, converted: TextAdapter): TextAdapter => {
  const of = ({ setting }: ReplyContext): TextAdapter => (setting.thinking_to_content ? converted : own);
  return {
    ...own,
    fromReply: (body, context) => of(context).fromReply(body, context),
    openStream: (context) => of(context).openStream(context),
  };
};

const saysSomething = ({ role, parts }: Turn): boolean =>
  role === 'user' || parts.some(({ type }) => type !== 'thinking');

/** The request without answers that consist of another upstream's thoughts only: no upstream takes those back. */
function spokenIn(request: ClientRequest, target: ChannelTarget, client: ClientSide): Conversation {
  const conversation = client.readRequest(request, target);
  return { ...conversation, turns: conversation.turns.filter(saysSomething) };
}

/** Throws `RequestRejected` for what is malformed, and for what the upstream cannot be asked. */
function conversationIn(
  request: ClientRequest,
  target: ChannelTarget,
  client: ClientSide,
  upstream: UpstreamSide,
): Conversation {
  const refuse = ({ text, at }: Misfit): never => {
    throw new RequestRejected(client.errorCode, text, at);
  };
  const misfit = client.faultIn(request.json);
  if (misfit) return refuse(misfit);
  const whole = spokenIn(request, target, client);
  const unreadable = unreadableCall(whole.turns);
  if (unreadable && !upstream.leavesOutUnreadable) return refuse(unreadable);
  const conversation = unreadable ? { ...whole, turns: withoutUnreadable(whole.turns) } : whole;
  if (conversation.turns.length + conversation.system.length === 0)
    return refuse(expected('something that is said', client.said));
  const unsaid = unansweredResult(conversation.turns) ?? lackedBy(upstream, conversation, client);
  return unsaid ? refuse(unsaid) : conversation;
}

/** The result of a tool belongs to a call: without the call no upstream takes the result. */
function unansweredResult(turns: readonly Turn[]): Misfit | undefined {
  const known = new Set<string>();
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (part.type === 'tool-call') known.add(`id ${part.id}`).add(`name ${part.name}`);
    if (part.type !== 'tool-result') continue;
    const { callId, name, at = '' } = part;
    if (!known.has(callId ? `id ${callId}` : `name ${name}`))
      return expected('the id of a call that was made before', at);
  }
  return undefined;
}

/** What the upstream's dialect cannot express, where leaving it out would give another answer. */
function lackedBy(
  { givesChoices, takesSchema }: UpstreamSide,
  { sampling, json }: Conversation,
  { schemaAt }: ClientSide,
): Misfit | undefined {
  const { choices = 1 } = sampling;
  if (choices > 1 && !givesChoices)
    return {
      at: '',
      text: `${choices} answers at once are not supported by the channels of this model: ask for one at a time`,
    };
  if (json?.schema === undefined || takesSchema) return undefined;
  return unsupported(schemaAt, ' with a schema', 'describe what is wanted in the prompt, or ask for any JSON');
}

/** A client of one dialect over an upstream of another. */
export function converse(client: ClientSide, upstream: UpstreamSide): TextAdapter {
  const fold = convertedFold(client.dialect, upstream.reader, client.writer);
  const { framing, runsGoogleTools, raw } = upstream;
  const { leastSaid: said, errorCode } = client;
  const toUpstream: TextAdapter['toUpstream'] = (request, target) =>
    upstream.writeRequest(conversationIn(request, target, client, upstream), request, target);
  return {
    ...(runsGoogleTools && { runsGoogleTools }),
    toUpstream,
    ...(raw && said && unchangedOver(raw, { toUpstream }, { said, errorCode })),
    fromReply(body, context) {
      const { reply, ...read } = upstream.readReply(body, context);
      if (!reply) return { ...read, body };
      const shaped = context.setting.thinking_to_content ? withoutThoughts(reply) : reply;
      const bodyWith = (usage: Usage | undefined): Buffer =>
        Buffer.from(JSON.stringify(client.writeReply(shaped, usage, context)));
      return { ...read, body: bodyWith(read.usage), withUsage: bodyWith };
    },
    ...(framing && { streamType: framing.contentType }),
    ...(upstream.followUp && {
      followUp: (replies, request, target) =>
        upstream.followUp?.(replies, spokenIn(request, target, client), request, target),
    }),
    openStream: (context) => new ConvertedStream(fold, context, framing?.open()),
  };
}
