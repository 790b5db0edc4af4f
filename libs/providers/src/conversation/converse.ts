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
import { unreadableCall } from './unreadable-calls.js';
import { withOwnPictures } from './own-pictures.js';
import type { Conversation, ConversationReply, StreamEvent, Turn } from './conversation.js';

/** Converts an upstream's events to neutral ones. Its state also has what the relay needs, such as usage. */
export interface StreamReader<State extends FoldState = FoldState> {
  initialState(): State;
  read(state: State, event: SseEvent, context: ReplyContext): { state: State; events: StreamEvent[] };
}

/** Converts neutral events to frames of a client's dialect. */
export interface StreamWriter<State = unknown> {
  initialState(): State;
  write(state: State, event: StreamEvent, context: ReplyContext): { state: State; frames: string[] };
  /** Number of characters held back until the end; a writer without this method holds back nothing. */
  waiting?(state: State): number;
  /** The frames after the last event; `usage` is the booked usage. */
  lastFrames(state: State, context: ReplyContext, usage: Usage | undefined): string[];
  /** Frames that end a broken stream, for dialects that need more than an error event. */
  errorFrames?(state: State, context: ReplyContext, error: ClientError): string[];
}

/** A complete reply of an upstream; `reply` is undefined when there is a fault. */
export interface ReadReply extends Omit<Reply, 'body'> {
  reply?: ConversationReply;
}

/** The client's side of a conversion: reads requests and writes replies of one dialect. */
export interface ClientSide {
  dialect: Dialect;
  /** Error code for refused contents of a request. */
  errorCode: string;
  /** Name of the member that holds the conversation. */
  conversationAt: string;
  /** Finds malformed members, and members that no other dialect can express. */
  faultIn(json: JsonObject): Misfit | undefined;
  /** Name of the member that asks for JSON by a schema. */
  schemaAt: string;
  /** The shortest valid request; set for dialects whose bodies may be passed on unchanged to upstreams of other dialects. */
  minimalRequest?: JsonObject;
  readRequest(request: ClientRequest, target: ChannelTarget): Conversation;
  writeReply(reply: ConversationReply, usage: Usage | undefined, context: ReplyContext): JsonObject;
  writer: StreamWriter;
}

/** The upstream's side of a conversion: writes requests and reads replies of one dialect. */
export interface UpstreamSide {
  /**
   * `request` is the client's original, for its headers and the limit of its quota. Throws `RequestRejected` for what the dialect cannot
   * express.
   */
  writeRequest(conversation: Conversation, request: ClientRequest, target: ChannelTarget): UpstreamRequest;
  readReply(body: Buffer, context: ReplyContext): ReadReply;
  /** Supports several answers to one request. */
  givesChoices?: boolean;
  /** Supports JSON output by a schema. */
  takesSchema?: boolean;
  /** Takes pictures in turns of the model; over upstreams that take them from users alone they are left out. */
  readsOwnPictures?: true;
  /** Writes earlier tool calls whose arguments are not a JSON object without arguments; without this flag such a request is refused. */
  emptiesUnreadable?: true;
  reader: StreamReader;
  /** Reads a body that is passed on unchanged; without it, every body is converted. */
  raw?: RawReader;
  /** The upstream runs functions with certain names itself; see `TextAdapter`. */
  runsGoogleTools?: true;
  /** `undefined` for server-sent events. */
  framing?: StreamFraming;
  /** For an upstream that answers in steps; see `TextAdapter`. */
  followUp?(
    replies: readonly Buffer[],
    conversation: Conversation,
    request: ClientRequest,
    target: ChannelTarget,
  ): FollowUp | undefined;
}

/** Limit on calls and answers in one stream, far above real ones: some state is kept for each until the end. */
const MAX_PLACES = 1024;

const tooManyPlaces: UpstreamFault = {
  class: 'upstream',
  message: `the upstream began more than ${MAX_PLACES} tool calls and answers in one stream`,
  type: 'upstream_error',
  code: 'read_response_body_failed',
};

interface ConvertedState extends FoldState {
  writing: unknown;
  /** Calls and answers seen so far. One mutable set for the whole stream. */
  places: Set<string>;
  /** Answers with an open think tag, if thoughts are sent as text. */
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
    const { state, events: readEvents } = reader.read(before, event, context);
    let { writing } = before;
    const { places, thinking } = before;
    const events = context.setting.thinking_to_content
      ? readEvents.flatMap((item) => thoughtAsText(item, thinking))
      : readEvents;
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

/**
 * Client and upstream of one dialect exchange their own bytes, unless the channel's setting `thinking_to_content` requires the reply to be
 * converted.
 */
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

/** The request without turns of which nothing is left: no other upstream accepts the thoughts of one, and few its pictures. */
function spokenIn(
  request: ClientRequest,
  target: ChannelTarget,
  client: ClientSide,
  { readsOwnPictures }: UpstreamSide,
): Conversation {
  const conversation = client.readRequest(request, target);
  const turns = withOwnPictures(conversation.turns, readsOwnPictures === true);
  return { ...conversation, turns: turns.filter(saysSomething) };
}

/** Throws `RequestRejected` for a malformed request, and for what the upstream cannot express. */
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
  const conversation = spokenIn(request, target, client, upstream);
  const unreadable = upstream.emptiesUnreadable ? undefined : unreadableCall(conversation.turns);
  if (unreadable) return refuse(unreadable);
  if (conversation.turns.length + conversation.system.length === 0)
    return refuse(expected('something that is said', client.conversationAt));
  const unsaid = unansweredResult(conversation.turns) ?? lackedBy(upstream, conversation, client);
  return unsaid ? refuse(unsaid) : conversation;
}

/** Finds a tool result without its call, which no upstream accepts. */
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

/** Finds what the upstream's dialect cannot express and what cannot be dropped, because the answer would change. */
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

/** An adapter for clients of one dialect over an upstream of another. */
export function converse(client: ClientSide, upstream: UpstreamSide): TextAdapter {
  const fold = convertedFold(client.dialect, upstream.reader, client.writer);
  const { framing, runsGoogleTools, raw } = upstream;
  const { minimalRequest: conversation, errorCode } = client;
  const toUpstream: TextAdapter['toUpstream'] = (request, target) => ({
    ...upstream.writeRequest(conversationIn(request, target, client, upstream), request, target),
    pictureTexts: upstream.readsOwnPictures ? 'pictures' : 'nothing',
  });
  return {
    convertsPictureTexts: true,
    ...(runsGoogleTools && { runsGoogleTools }),
    toUpstream,
    ...(raw && conversation && unchangedOver(raw, { toUpstream }, { conversation, errorCode })),
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
        upstream.followUp?.(replies, spokenIn(request, target, client, upstream), request, target),
    }),
    openStream: (context) => new ConvertedStream(fold, context, framing?.open()),
  };
}
