import type { Attempt, Usage } from '@tollgate/contracts';
import type { DialectSettings } from './channel/dialect-settings.js';
import type { TextRoom } from './stream/kept-text.js';
import type { ReplyText } from './stream/reply-text.js';

export type { DialectSettings } from './channel/dialect-settings.js';
export type { ReplyText } from './stream/reply-text.js';
export { ChannelUnusable, RequestRejected, TOKEN_REFUSED } from './faults/request-faults.js';

// Everything the relay knows about upstream dialects. Pure: no network, clock or logging, so a recorded reply is all a
// test needs; the caller does the I/O and says what time it is.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };
export type JsonObject = { [key: string]: Json | undefined };

/** The shape a client speaks and expects its answers and errors in. */
export type Dialect = 'openai' | 'anthropic' | 'gemini' | 'responses';

/** A form with a file, on its way in. */
export interface ClientForm {
  /** The same form, its fields changed, as it goes out: at once as far as it has come, then as it comes. */
  with(fields: ReadonlyMap<string, string>): { headers: Record<string, string>; upload: AsyncIterable<Buffer> };
  /** Of a form with one file: that file alone, as it comes; with its length, where that is known. */
  file?(): { headers: Record<string, string>; upload: AsyncIterable<Buffer> };
}

export interface ClientRequest {
  dialect: Dialect;
  /** The parsed body; adapters never change it. */
  json: JsonObject;
  /** The exact bytes `json` was parsed from. An upstream of the same dialect gets them back with a few members replaced. */
  bytes: Buffer;
  /** Lower-case names. Adapters pick from an allow-list of their own, never all. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A query parameter of the client that Azure honours. */
  apiVersion?: string;
  /** Of the call as the client made it. */
  pathAndQuery?: string;
  /** Set where the path asks for a stream, and not the body. */
  isStream?: boolean;
  /** In place of `bytes`, where the client sends a form; `json` has its fields. */
  form?: ClientForm;
  /** Ours, where an upstream wants a name for whoever asks. */
  requestId?: string;
  /** Tokens of one answer that the caller's quota pays for: a larger limit is lowered to it, a missing one put in. */
  outputLimit?: number;
}

export interface ChannelTarget {
  channelType: number;
  /** Empty: the type's default. */
  baseUrl: string;
  key: string;
  /** The upstream's name of the model, after the channel's mapping. */
  model: string;
  /** The client's name of it. */
  requestedModel: string;
  organization: string;
  other: string;
  setting: ChannelSetting;
  paramOverride: JsonObject;
  settings: DialectSettings;
  /** For upstreams whose credential is signed per call. */
  nowMs: number;
}

/** The channel's `setting` column; keys as on the wire, unknown ones ignored. */
export interface ChannelSetting {
  force_format?: boolean;
  thinking_to_content?: boolean;
  /** What becomes of an answer whose client left: `stop` (default), `drain` or `reported`. */
  abort_policy?: string;
  proxy?: string;
}

export interface UpstreamRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
  /** In place of a body: what is passed on as it comes. */
  upload?: AsyncIterable<Buffer>;
  /** Of an upstream that answers in steps: the reply to this is the answer, nothing follows. */
  isFinal?: boolean;
  /** Set when a suffix of the model or a field asked for it; the log shows it. */
  reasoningEffort?: string;
  /** The model that the body names, where the channel's override puts it in the place of the mapped one. */
  model?: string;
  /** Its model may think for long before it answers: it counts as silent only after twice the time of others. */
  thinksLong?: true;
  /** The address is a web socket's: the body is its one message, and each message that comes is an event of a stream. */
  socket?: { isLast(message: string): boolean };
  /** The exchange whose token proves the sender: the token is dropped when the upstream refuses it. */
  grant?: string;
}

/** Lower-case names. */
export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What an adapter must know about the request while it reads the reply. */
export interface ReplyContext {
  /** Our request id: ids of converted replies are built from it. */
  requestId: string;
  /** The model name shown when the upstream does not name one. */
  model: string;
  /** The upstream's name of it, where the dialect of the reply follows from the model; undefined: the same. */
  upstreamModel?: string;
  /** Whether the client asked for the usage chunk of a stream. */
  includeUsage: boolean;
  setting: ChannelSetting;
  /** Leaves out the steps of an agent or a workflow before its answer. */
  hidesSteps?: boolean;
  /** Seconds, for `created` of converted replies. */
  nowSeconds: number;
  /** Local count, shown where a dialect states the prompt before the upstream does. */
  promptTokens: number;
  /** Values of the channel that no message may show, see `secretsOf`. */
  secrets: readonly string[];
  /** What all running streams of the process may keep of their text; undefined: no bound. */
  room?: TextRoom;
  /** The upstream's, of a reply that comes whole. */
  headers?: ReplyHeaders | undefined;
  /** The client's body, of which some replies repeat parts. */
  asked?: JsonObject;
}

/** A failure an upstream reported, on its original status and with addresses, keys and accounts masked. */
export interface UpstreamFault {
  class: Attempt['class'];
  message: string;
  type: string;
  code: string;
  /** As the upstream wrote it, where that is no text: clients get it unchanged. */
  statedCode?: number | null;
  param?: string;
}

export interface Reply {
  /** In the client's dialect; the upstream's own bytes when both dialects are the same. */
  body: Buffer;
  /** Undefined: JSON. */
  contentType?: string;
  /** Undefined when the upstream stated nothing; an explicit zero is a value. */
  usage: Usage | undefined;
  /** Usage is the length that was stated for a sound, and no count of tokens. */
  isByLength?: true;
  /** An error inside a 200 reply; the body is then of no use. */
  fault?: UpstreamFault;
  /** Read only when usage is undefined. */
  text(): ReplyText;
  /** The body with the usage that is booked, where the client gets one that the upstream did not state. */
  withUsage?(usage: Usage): Buffer;
}

/**
 * One upstream stream on its way to one client. The terminal event is held back until `lastFrames`, so the caller can
 * record the outcome before the client sees the end. Only whole events leave `push`.
 *
 * Order of calls: push*, then close when the upstream's body ended by itself, then lastFrames if `isComplete`, else errorFrames.
 */
export interface ReplyStream {
  /** Bytes to send now; undefined when there is nothing to send. Throws only `SseOverflow`. */
  push(chunk: Buffer): Buffer | undefined;
  /** The upstream's body ended: what an unterminated last event still gives. */
  close(): Buffer | undefined;
  /** The dialect's terminal event or a finish reason was seen; false after `close` means the stream was cut. */
  readonly isComplete: boolean;
  /** The dialect's terminal event came; nothing after it counts. */
  readonly isDone: boolean;
  /** The upstream said how the answer ended; its usage and the terminal event may still come. Reads what was not read yet. */
  hasEnded(): boolean;
  /** The upstream sent an error event; nothing after it is forwarded. */
  readonly fault: UpstreamFault | undefined;
  /** Events that were no JSON. They are left out. */
  readonly malformedEvents: number;
  /** The usage that the upstream stated at the end of the answer, with no text after it; undefined before it came. */
  usage(): Usage | undefined;
  /** The usage that the upstream stated last, at the end or before: exact for the prompt, a lower bound for the output. */
  usageSoFar(): Usage | undefined;
  /** Bytes of what was pushed that are known to hold no text; absent where nothing is known. */
  readonly frameBytes?: number;
  /** Everything received so far; parses lazily what was not parsed yet. */
  text(): ReplyText;
  /** The usage chunk, if the client asked and the upstream gave none, and the terminal events. `usage` is what is booked. */
  lastFrames(usage?: Usage): Buffer;
  /** The client dialect's error event, for a stream that has begun. */
  errorFrames(error: ClientError, requestId: string): Buffer;
  /** Frees what was kept, once nobody reads the stream any more. May be called more than once. */
  dispose(): void;
}

/** An error as a client sees it, before its dialect gives it a shape. */
export interface ClientError {
  message: string;
  type: string;
  code: string;
  /** An upstream's code that is no text; in dialects with codes the client gets this one instead. */
  statedCode?: number | null;
  /** The client gets its message as it is, without the id of the request. */
  isPlain?: boolean;
  param?: string | null;
}

/** What comes next where an upstream answers in steps, such as a task: another request, so long after the last reply, or the answer put together. */
export type FollowUp = { request: UpstreamRequest; afterMs: number } | { answer: Buffer };

/** What an adapter adds whose upstream may answer in steps, each with a request of its own. */
export interface InSteps {
  /**
   * What comes next, or undefined when the last of `replies` is what `fromReply` reads. Each is the body of a 200. Not asked after a request that
   * is final. What is asked next is authorized like the first request; the number of steps and their time are bounded by the caller.
   */
  followUp?(replies: readonly Buffer[], request: ClientRequest, target: ChannelTarget): FollowUp | undefined;
}

/** What an upstream does for every model, or for some of the names under which it is asked. */
export type ByModel = true | ((model: string) => boolean);

export const runsAt = (runs: ByModel | undefined, model: string): boolean =>
  typeof runs === 'function' ? runs(model) : runs === true;

/** A conversation in some client dialect over some upstream dialect. */
export interface TextAdapter extends InSteps {
  /** Throws `RequestRejected` when the request cannot be expressed in the upstream's dialect. */
  toUpstream(request: ClientRequest, target: ChannelTarget): UpstreamRequest;
  fromReply(body: Buffer, context: ReplyContext): Reply;
  /** The content type that says that a reply is a stream; undefined: `text/event-stream`. */
  streamType?: string;
  openStream(context: ReplyContext): ReplyStream;
  /** Its upstream runs searches. Only that of chat does not say how many it made: it makes one for each answer. */
  runsSearches?: ByModel;
  /** Its upstream runs the functions of `google-tools` itself. */
  runsGoogleTools?: ByModel;
  /** With the client's own bytes, where an operator wants nothing changed in them; undefined: it has to be converted. Throws like `toUpstream`. */
  unchanged?(request: ClientRequest, target: ChannelTarget): UpstreamRequest | undefined;
  /** For an upstream of another dialect: the members of such a body that bound its cost, under their names in chat. */
  boundsUnchanged?(json: JsonObject, model: string): JsonObject | undefined;
}

/** One request and one reply, as for moderations and embeddings. */
export interface PlainAdapter {
  toUpstream(request: ClientRequest, target: ChannelTarget): UpstreamRequest;
  fromReply(body: Buffer, context: ReplyContext): Reply;
}

/** Documents in the order in which they answer a query. Reads `context.asked`. */
export type RerankAdapter = PlainAdapter;

export type EmbeddingsAdapter = PlainAdapter;

/** For clients of POST /v1/images/generations: their words in, `{ created, data: [{ url | b64_json }], usage? }` out. */
export interface ImagesAdapter extends PlainAdapter, InSteps {
  streamType?: string;
  openStream?(context: ReplyContext): ReplyStream;
}

/** For clients of POST /v1/audio/speech. */
export interface SpeechAdapter extends PlainAdapter {
  /** A reply in sound, or in whatever else is no JSON: it goes through as it comes. */
  openBytes(context: ReplyContext): ReplyStream;
  /** Sound as events, where the client asks for them. */
  openStream?(context: ReplyContext): ReplyStream;
}

/** A form with files, such as sound to be written down. `request` of `toUpstream` has its form. */
export interface UploadAdapter extends PlainAdapter {
  openStream?(context: ReplyContext): ReplyStream;
}

/** A session over a web socket, whose events go both ways as they are. */
export interface RealtimeAdapter {
  /** The address, `ws` or `wss`, and the headers of the handshake, the offered protocols among them. */
  toUpstream(
    request: Pick<ClientRequest, 'headers' | 'apiVersion'>,
    target: ChannelTarget,
  ): { url: string; headers: Record<string, string> };
}

/** The upstream's own model list, for the console's "fetch models". */
export interface ModelsAdapter {
  toUpstream(target: ChannelTarget): UpstreamRequest;
  /** Throws when the reply is no model list. */
  fromReply(body: Buffer): string[];
}

/** Capabilities an upstream has; absent ones are refused before any call. */
export interface Capabilities {
  /** For clients of POST /v1/chat/completions. */
  chat?: TextAdapter;
  /** For clients of POST /v1/messages. */
  messages?: TextAdapter;
  /** For clients of Gemini's own API. */
  gemini?: TextAdapter;
  /** For clients of POST /v1/responses. */
  responses?: TextAdapter;
  /** For clients of POST /v1/completions. */
  completions?: TextAdapter;
  embeddings?: EmbeddingsAdapter;
  /** For clients of Gemini's `:embedContent` and `:batchEmbedContents`; `findProvider` adds it wherever there are embeddings. */
  embedContents?: EmbeddingsAdapter;
  /** For clients of POST /v1/rerank. */
  rerank?: RerankAdapter;
  /** For clients of POST /v1/audio/transcriptions. */
  transcriptions?: UploadAdapter;
  /** For clients of POST /v1/audio/translations. */
  translations?: UploadAdapter;
  /** For clients of POST /v1/images/generations. */
  images?: ImagesAdapter;
  /** For clients of GET /v1/realtime. */
  realtime?: RealtimeAdapter;
  /** For clients of POST /v1/images/edits. */
  imageEdits?: UploadAdapter;
  speech?: SpeechAdapter;
  /** For clients of POST /v1/moderations: verdicts without usage. */
  moderations?: PlainAdapter;
  /** For clients of POST /v1/edits: `choices` as of a completion. */
  edits?: PlainAdapter;
  models?: ModelsAdapter;
}

/** A token, and how long it is good for. */
export interface AccessToken {
  token: string;
  lifetimeMs: number;
}

/** How a key is exchanged for a token that proves who sends, for a while. */
export interface TokenExchange {
  /** The same for the same key at the same address, and another one for any other; no secret. */
  id: string;
  ask(): Promise<UpstreamRequest>;
  /** The channel's proxy; empty = none. */
  proxy: string;
  /** Throws `ChannelUnusable` when there is no token in the reply. */
  read(reply: { status: number; body: Buffer }): AccessToken;
}

/** Keeps tokens: one exchange at a time for each, renewed before its end. */
export interface UpstreamTokenSource {
  get(exchange: TokenExchange): Promise<string>;
}

/** What proves who sends a request. */
export interface Proof {
  headers?: Record<string, string>;
  /** Put behind the address. */
  query?: Record<string, string>;
  /** The exchange that gave a token, if one did. */
  grant?: string;
}

/** Media of a request that are addresses, of an upstream that fetches nothing itself. */
export interface RemoteMedia {
  urls: readonly string[];
  /** The same request, with data URIs in their places. */
  inlined(found: ReadonlyMap<string, string>): UpstreamRequest;
}

export interface Provider extends Capabilities {
  /** Behind it are agents or apps, which add text of their own and ask models more than once: no bound of ours holds for the prompt tokens that they state. */
  hasOwnContext?: ByModel;
  /** Its dialect has no limit for the length of an answer: the client's is left out. */
  heedsNoLimit?: true;
  /** What must be fetched and put into a request before it is authorized; undefined: nothing. */
  remoteMedia?(request: UpstreamRequest): RemoteMedia | undefined;
  /**
   * What proves who sends a request, where that takes more than the key. Called last: of the request as it is given, its
   * body included, nothing changes any more. Rejects with `ChannelUnusable` for a key that is none, or that no token is given for.
   */
  authorize?(request: UpstreamRequest, target: ChannelTarget, tokens: UpstreamTokenSource): Promise<Proof>;
  /** An error reply as an `error` object with `type` and `message`, where the upstream's own has another shape. */
  readError?(body: string | undefined, headers: ReplyHeaders): JsonObject;
}
