import type { Attempt, Usage } from '@tollgate/contracts';
import type { ByModel } from './by-model.js';
import type { DialectSettings } from './channel/dialect-settings.js';
import type { TextRoom } from './stream/kept-text.js';
import type { ReplyText } from './stream/reply-text.js';

export type { DialectSettings } from './channel/dialect-settings.js';
export type { ReplyText } from './stream/reply-text.js';
export { ChannelUnusable, RequestRejected, TOKEN_REFUSED } from './faults/request-faults.js';

// All knowledge of upstream dialects is behind these interfaces. Adapters are pure: no network, clock or logging, so that a test needs only
// a recorded reply. The caller does the I/O and passes the time in.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };
export type JsonObject = { [key: string]: Json | undefined };

/** The wire format in which a client sends requests and expects replies and errors. */
export type Dialect = 'openai' | 'anthropic' | 'gemini' | 'responses';

/** The ways in which a request asks its upstream for searches that are charged per search. */
export type SearchDialect = 'chat' | 'messages' | 'responses' | 'gemini';

/** A multipart form with a file, as it arrives from the client. */
export interface ClientForm {
  /** The same form with fields changed, or left out by `undefined`, ready to send: what has arrived at once, the rest as it arrives. */
  with(fields: Map<string, string | undefined>): { headers: Record<string, string>; upload: AsyncIterable<Buffer> };
  /** For a form with a single file: streams that file without the form, with its length if known. */
  file?(): { headers: Record<string, string>; upload: AsyncIterable<Buffer> };
}

export interface ClientRequest {
  dialect: Dialect;
  /** The parsed body; adapters must not modify it. */
  json: JsonObject;
  /** The bytes that `json` was parsed from. An upstream of the client's dialect receives these bytes with only some members replaced. */
  bytes: Buffer;
  /** Lower-case names. Adapters forward only the headers on their own allow-list. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Azure's `api-version`, if the client set it as a query parameter. */
  apiVersion?: string;
  /** Path and query of the client's call. */
  pathAndQuery?: string;
  /** Set when the path, not the body, asks for a stream (Gemini). */
  isStream?: boolean;
  /** The form, if the client sent one instead of JSON; `json` then holds its fields. */
  form?: ClientForm;
  /** Our request id, for upstreams that require an end-user name. */
  requestId?: string;
  /** Most output tokens that the caller's quota covers: a larger limit in the request is lowered to it, a missing one is added. */
  outputLimit?: number;
}

export interface ChannelTarget {
  channelType: number;
  /** Empty: the default address of the channel type. */
  baseUrl: string;
  key: string;
  /** The upstream's name for the model, after the channel's mapping. */
  model: string;
  /** The model name that the client sent. */
  requestedModel: string;
  organization: string;
  other: string;
  setting: ChannelSetting;
  paramOverride: JsonObject;
  settings: DialectSettings;
  /** Time of the call, for upstreams whose credentials are signed per call. */
  nowMs: number;
}

/** The channel's `setting` column, with its wire names; unknown members are ignored. */
export interface ChannelSetting {
  force_format?: boolean;
  thinking_to_content?: boolean;
  /** What happens to a running answer after its client has left: `stop` (default), `drain` or `reported`. */
  abort_policy?: string;
  proxy?: string;
  /** In seconds: until the first byte of an answer, between two chunks, and for the whole answer. */
  first_byte_timeout?: number;
  idle_timeout?: number;
  total_timeout?: number;
  /** Names of the client's headers that the upstream gets. */
  forward_headers?: readonly string[];
}

export interface UpstreamRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
  /** Streamed to the upstream as it arrives; replaces `body`. */
  upload?: AsyncIterable<Buffer>;
  /** For an upstream that answers in steps: the reply to this request is the answer, and no step follows. */
  isFinal?: boolean;
  /** Effort requested by a suffix of the model name or by a member; shown in the log. */
  reasoningEffort?: string;
  /** The model that the body names, if the channel's parameter override replaces the mapped one. */
  model?: string;
  /** What the upstream gets instead of pictures in texts of earlier answers, if it does not get the texts as they are. */
  pictureTexts?: 'pictures' | 'nothing';
  /** The model may reason for long before it answers, so it counts as silent only after twice the usual time. */
  thinksLong?: true;
  /** The address is a WebSocket: the body is sent as its only message, and each message received is an event of the stream. */
  socket?: { isLast(message: string): boolean };
  /** Id of the exchange that issued the token in use; the token is discarded when the upstream rejects it. */
  grant?: string;
}

/** Lower-case names. */
export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Facts about the request that an adapter needs to read the reply. */
export interface ReplyContext {
  /** Our request id; ids of converted replies are derived from it. */
  requestId: string;
  /** Model name shown to the client when the upstream states none. */
  model: string;
  /** The upstream's name for the model, if the dialect of the reply depends on it; `undefined` when it equals `model`. */
  upstreamModel?: string;
  /** Whether the client asked for the usage chunk at the end of a stream. */
  includeUsage: boolean;
  setting: ChannelSetting;
  /** Omit the steps that an agent or workflow reports before its answer. */
  hidesSteps?: boolean;
  /** Unix seconds, for `created` of converted replies. */
  nowSeconds: number;
  /** Our own count of the prompt, shown by dialects that state prompt tokens before the upstream has stated them. */
  promptTokens: number;
  /** Values of the channel that must be masked in messages, see `secretsOf`. */
  secrets: readonly string[];
  /** Memory budget for the kept text of all running streams of the process; `undefined` for no bound. */
  room?: TextRoom;
  /** Headers of the upstream's reply, if it is not streamed. */
  headers?: ReplyHeaders | undefined;
  /** The client's body; some replies repeat parts of it. */
  request?: JsonObject;
}

/** A failure that an upstream reported, with its original status and with addresses, keys and accounts masked. */
export interface UpstreamFault {
  class: Attempt['class'];
  message: string;
  /** The upstream stated no message that we can read, so it is one of ours. Not for clients. */
  isUnstated?: true;
  type: string;
  code: string;
  /** The code as the upstream wrote it, when it is not a string; clients get it unchanged. */
  statedCode?: number | null;
  /** Of an error in a reply with status 200: the status that it states, which a plain refusal would have had. */
  status?: number;
  param?: string;
}

export interface Reply {
  /** In the client's dialect; the upstream's own bytes when both dialects are the same. */
  body: Buffer;
  /** `undefined` means JSON. */
  contentType?: string;
  /** `undefined` when the upstream stated no usage; a stated zero is a value. */
  usage: Usage | undefined;
  /** The usage is derived from the stated duration of audio instead of a token count. */
  isByLength?: true;
  /** Set when a 200 reply holds an error; `body` must then not be used. */
  fault?: UpstreamFault;
  /** The text of the reply for local counting; called only when `usage` is undefined. */
  text(): ReplyText;
  /** The body with the booked usage inserted, for clients that expect usage the upstream did not state. */
  withUsage?(usage: Usage): Buffer;
}

/**
 * Passes one upstream stream on to one client. The terminal event is held back until `lastFrames`, so that the caller can record the
 * outcome before the client sees the end. `push` returns whole events only.
 *
 * Order of calls: `push` for each chunk, then `close` when the upstream's body has ended, then `lastFrames` if `isComplete`, else
 * `errorFrames`.
 */
export interface ReplyStream {
  /** Bytes to send now; `undefined` when there are none. Throws only `SseOverflow`. */
  push(chunk: Buffer): Buffer | undefined;
  /** Called when the upstream's body has ended: frames from an unterminated last event, if any. */
  close(): Buffer | undefined;
  /** The terminal event or a finish reason was received; if still false after `close`, the stream was cut. */
  readonly isComplete: boolean;
  /** The terminal event was received; everything after it is ignored. */
  readonly isDone: boolean;
  /**
   * Whether the upstream has stated how the answer ended; its usage and terminal event may still follow. Parses events that were not parsed
   * yet.
   */
  hasEnded(): boolean;
  /** Set when the upstream sent an error event; nothing after it is forwarded. */
  readonly fault: UpstreamFault | undefined;
  /** Number of events that were not valid JSON; they are skipped. */
  readonly malformedEvents: number;
  /** The usage stated at the end of the answer, with no text after it; `undefined` before that. */
  usage(): Usage | undefined;
  /** The last usage stated, at the end or before: exact for the prompt, a lower bound for the output. */
  usageSoFar(): Usage | undefined;
  /** Bytes pushed so far that are known to hold no text; absent when that is unknown. */
  readonly frameBytes?: number;
  /** Everything received so far; parses events that were not parsed yet. */
  text(): ReplyText;
  /** The usage chunk, if the client asked for it and the upstream sent none, and the terminal events. `usage` is the booked usage. */
  lastFrames(usage?: Usage): Buffer;
  /** The error event of the client's dialect, for a stream that has begun. */
  errorFrames(error: ClientError, requestId: string): Buffer;
  /** Frees memory once the stream is not read any more. May be called repeatedly. */
  dispose(): void;
}

/** An error for a client, before it is written in a dialect. */
export interface ClientError {
  message: string;
  type: string;
  code: string;
  /** An upstream's code that is not a string; dialects with a code member send it instead of `code`. */
  statedCode?: number | null;
  /** The HTTP status of a whole reply with this error; events of dialects that name the status send it. */
  status?: number;
  /** Send the message without appending the request id. */
  isPlain?: boolean;
  param?: string | null;
  /** What Anthropic's clients read beside the message, as `error.details`; no other dialect has it. */
  details?: JsonObject;
}

/** The next step of an upstream that answers in steps: a request `afterMs` after the last reply, or the assembled answer. */
export type FollowUp = { request: UpstreamRequest; afterMs: number } | { answer: Buffer };

/** For adapters whose upstream may answer in steps, each with its own request. */
export interface InSteps {
  /**
   * The next step, or `undefined` when the last of `replies` is to be read by `fromReply`. Each reply is the body of a 200. Not called
   * after a request with `isFinal`. Further requests are authorized like the first one; the caller bounds the number of steps and their
   * time.
   */
  followUp?(replies: readonly Buffer[], request: ClientRequest, target: ChannelTarget): FollowUp | undefined;
}

/** Serves a conversation in a client's dialect through an upstream's dialect. */
export interface TextAdapter extends InSteps {
  /** Throws `RequestRejected` when the upstream's dialect cannot express the request. */
  toUpstream(request: ClientRequest, target: ChannelTarget): UpstreamRequest;
  fromReply(body: Buffer, context: ReplyContext): Reply;
  /** Content type of a streamed reply; `undefined` means `text/event-stream`. */
  streamType?: string;
  openStream(context: ReplyContext): ReplyStream;
  /** The upstream can run web searches. Only a chat upstream does not report their number: it makes one for each answer. */
  runsSearches?: ByModel;
  /** Pictures in texts of earlier answers are not sent as text. */
  convertsPictureTexts?: ByModel;
  /** The upstream itself runs the functions named in `google-tools`. */
  runsGoogleTools?: ByModel;
  /**
   * The request with the client's own bytes, for channels that pass bodies on unchanged; `undefined` when it must be converted. Throws like
   * `toUpstream`.
   */
  unchanged?(request: ClientRequest, target: ChannelTarget): UpstreamRequest | undefined;
  /** For an upstream of another dialect: the members of an unchanged body that bound its cost, under their names in chat. */
  boundsUnchanged?(json: JsonObject, model: string): JsonObject | undefined;
}

/** One request and one unstreamed reply, as for moderations and embeddings. */
export interface PlainAdapter {
  toUpstream(request: ClientRequest, target: ChannelTarget): UpstreamRequest;
  fromReply(body: Buffer, context: ReplyContext): Reply;
}

/** Returns documents ordered by relevance to a query. Reads `context.request`. */
export type RerankAdapter = PlainAdapter;

export type EmbeddingsAdapter = PlainAdapter;

/** For clients of POST /v1/images/generations: takes their members, returns `{ created, data: [{ url | b64_json }], usage? }`. */
export interface ImagesAdapter extends PlainAdapter, InSteps {
  streamType?: string;
  openStream?(context: ReplyContext): ReplyStream;
}

/** For clients of POST /v1/audio/speech. */
export interface SpeechAdapter extends PlainAdapter {
  /** Reads a reply of audio, or of any type but JSON, which is passed on as it arrives. */
  openBytes(context: ReplyContext): ReplyStream;
  /** Reads audio as events, if the client asked for them. */
  openStream?(context: ReplyContext): ReplyStream;
}

/** A multipart form with files, such as audio to transcribe. `toUpstream` gets a request with `form`. */
export interface UploadAdapter extends PlainAdapter {
  openStream?(context: ReplyContext): ReplyStream;
}

/** A session over a WebSocket; events pass unchanged in both directions. */
export interface RealtimeAdapter {
  /** The address (`ws` or `wss`) and the headers of the handshake, including the offered subprotocols. */
  toUpstream(
    request: Pick<ClientRequest, 'headers' | 'apiVersion'>,
    target: ChannelTarget,
  ): { url: string; headers: Record<string, string> };
}

/** The upstream's model list, for "fetch models" in the console. */
export interface ModelsAdapter {
  toUpstream(target: ChannelTarget): UpstreamRequest;
  /** Throws when the reply is not a model list. */
  fromReply(body: Buffer): string[];
}

/** The capabilities of an upstream; calls that need an absent one are refused before any request. */
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
  /** For clients of Gemini's `:embedContent` and `:batchEmbedContents`; `findProvider` adds it to every provider with embeddings. */
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
  /** For clients of POST /v1/moderations; replies have no usage. */
  moderations?: PlainAdapter;
  models?: ModelsAdapter;
}

/** A token and its lifetime. */
export interface AccessToken {
  token: string;
  lifetimeMs: number;
}

/** The exchange of a key for a short-lived token. */
export interface TokenExchange {
  /** Identifies the combination of key and address; not secret. */
  id: string;
  buildRequest(): Promise<UpstreamRequest>;
  /** The channel's proxy; empty for none. */
  proxy: string;
  /** Throws `ChannelUnusable` when the reply contains no token. */
  read(reply: { status: number; body: Buffer }): AccessToken;
}

/** A cache of tokens: runs one exchange at a time for each id and renews tokens before they end. */
export interface UpstreamTokenSource {
  get(exchange: TokenExchange): Promise<string>;
}

/** What authenticates a request. */
export interface Proof {
  headers?: Record<string, string>;
  /** Appended to the address. */
  query?: Record<string, string>;
  /** Id of the exchange that issued the token, if one did. */
  grant?: string;
}

/** Media that a request references by URL, for an upstream that does not fetch URLs itself. */
export interface RemoteMedia {
  /** Each as often as the request names it, because the data will stand in each of those places. */
  urls: readonly string[];
  /** Some models of the upstream fetch URLs themselves, so what cannot be fetched here stays a URL. */
  isOptional?: true;
  /** The same request with the URLs found replaced by data URIs. */
  inlined(found: ReadonlyMap<string, string>): UpstreamRequest;
}

export interface Provider extends Capabilities {
  /** Agents or apps that add text of their own and call models repeatedly, so our bound for the prompt tokens does not hold. */
  hasOwnContext?: ByModel;
  /** The dialect cannot limit the length of an answer; the client's limit is dropped. */
  heedsNoLimit?: true;
  /** URLs to fetch and inline before the request is authorized; `undefined` for none. */
  remoteMedia?(request: UpstreamRequest, client: Dialect): RemoteMedia | undefined;
  /**
   * Authenticates a request, if that takes more than sending the key. Called last: nothing of the request, including its body, may change
   * afterwards. Rejects with `ChannelUnusable` for a malformed key or one for which no token is issued.
   */
  authorize?(request: UpstreamRequest, target: ChannelTarget, tokens: UpstreamTokenSource): Promise<Proof>;
  /** Converts an error reply to an `error` object with `type` and `message`, if the upstream's own has another form. */
  readError?(body: string | undefined, headers: ReplyHeaders): JsonObject;
}
