import type { ByModel } from './by-model.js';
import type { Reply, ReplyContext, ReplyHeaders, ReplyStream } from './replies.js';
import type { ChannelTarget, ClientRequest, Dialect, JsonObject, UpstreamRequest } from './requests.js';

export type { DialectSettings } from './channel/dialect-settings.js';
export { ChannelUnusable, RequestRejected, TOKEN_REFUSED } from './faults/request-faults.js';
export type * from './replies.js';
export type * from './requests.js';
export type { ReplyText } from './stream/reply-text.js';

// All knowledge of upstream dialects is behind these interfaces. Adapters are pure: no network, clock or logging, so that a test needs only
// a recorded reply. The caller does the I/O and passes the time in.

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
  grant?: UpstreamRequest['grant'];
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
