import type { DialectSettings } from './channel/dialect-settings.js';

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
  /** The token in use and the exchange that issued it; the token is discarded when the upstream rejects it. */
  grant?: { id: string; token: string };
}
