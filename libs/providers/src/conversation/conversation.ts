import type { Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { pictureText } from '../json/picture-text.js';
import type { Citation } from './citations.js';

// A client's request in a form independent of dialects. Each dialect has one reader and one writer for it, so that a new dialect works with
// all others at once. Client and upstream of the same dialect bypass this form: they exchange their own bytes.

/** Path of the part in the client's request, for refusals. */
interface Placed {
  at?: string;
}

/** Base64 data, of an empty type if none is stated, or a URL that the upstream fetches itself. */
export type Source = { mimeType: string; data: string } | { url: string; mimeType?: string };

/** Anthropic's `cache_control` as the client wrote it: marks content for the upstream's prompt cache. */
interface Cacheable {
  cacheControl?: Json;
}

export interface TextPart extends Cacheable {
  type: 'text';
  text: string;
  /** In an answer: the sources of the text. */
  citations?: Citation[];
}

export interface MediaPart extends Cacheable, Placed {
  type: 'image' | 'audio' | 'video' | 'file';
  source: Source;
  /** Name of a file. */
  name?: string;
}

interface ThinkingPart {
  type: 'thinking';
  text: string;
}

export interface ToolCallPart extends Placed {
  type: 'tool-call';
  /** Empty when the client's dialect has no ids; the writer then creates one. */
  id: string;
  name: string;
  /** JSON as the model wrote it, or empty. Other values that a client sends are refused or dropped when the request is read. */
  arguments: string;
  /** Gemini's signature of the thought behind a call, which must be sent back with the call. */
  signature?: string;
}

export interface ToolResultPart extends Placed {
  type: 'tool-result';
  callId: string;
  /** Name of the tool; empty when the client's dialect states the call's id only. */
  name: string;
  content: (TextPart | MediaPart)[];
}

export type Part = TextPart | MediaPart | ThinkingPart | ToolCallPart | ToolResultPart;

export interface Turn {
  role: 'user' | 'assistant';
  parts: Part[];
}

export interface Tool extends Cacheable {
  name: string;
  description?: Json;
  /** JSON Schema; `undefined` for a tool without arguments. */
  parameters?: JsonObject;
  /** Whether the arguments must be valid by the schema. */
  strict?: boolean;
}

export interface ToolChoice {
  /** `any` demands some tool call; `tool` demands this tool. */
  type: 'auto' | 'none' | 'any' | 'tool';
  name?: string;
}

/** The answer must be JSON, by the schema if there is one. */
interface JsonFormat {
  schema?: JsonObject;
  /** Name of the schema. */
  name?: string;
  /** Whether the answer must be valid by the schema. */
  strict?: boolean;
}

interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /** Number of answers wanted. */
  choices?: number;
  stop: string[];
}

export interface Conversation {
  model: string;
  system: TextPart[];
  turns: Turn[];
  tools: Tool[];
  toolChoice?: ToolChoice;
  /** `false` allows one call at a time. */
  parallelTools?: boolean;
  sampling: Sampling;
  /** Limit on the tokens of one answer. */
  maxTokens?: number;
  /** Anthropic's `thinking`, which chat clients send too. */
  thinking?: JsonObject;
  /** OpenAI's `reasoning_effort`. */
  effort?: string;
  json?: JsonFormat;
  stream?: boolean;
  user?: string;
  /** A tier that several providers have, by OpenAI's name. */
  serviceTier?: 'auto' | 'default';
}

/** A finish reason of OpenAI; one that has no counterpart there is kept as the upstream stated it. */
export type FinishReason = string;

/** One of several answers. */
export interface Choice {
  parts: Part[];
  finish: FinishReason;
}

export interface ConversationReply {
  /** Empty when the upstream stated none. */
  id: string;
  model: string;
  choices: Choice[];
}

/** An event of a streamed reply. `choice` is the index of the answer. */
export type StreamEvent =
  | { type: 'start'; id: string; model: string }
  | { type: 'text' | 'reasoning'; choice: number; text: string }
  | { type: 'image'; choice: number; mimeType: string; data: string }
  /** A call begins; its arguments follow. `index` counts the calls of an answer. */
  | { type: 'tool-call'; choice: number; index: number; id: string; name: string; signature?: string }
  | { type: 'tool-arguments'; choice: number; index: number; text: string }
  /** A source of the text before it. */
  | { type: 'citation'; choice: number; citation: Citation }
  | { type: 'finish'; choice: number; reason: FinishReason };

const DATA_URI = /^data:([^;,]*);base64,/;

/** A URL, or the contents of a `data:` URL as base64. */
export function sourceOf(url: string): Source {
  const match = DATA_URI.exec(url);
  return match ? { mimeType: match[1] ?? '', data: url.slice(match[0].length) } : { url };
}

export const urlOfSource = (source: Source): string =>
  'data' in source ? `data:${source.mimeType};base64,${source.data}` : source.url;

export const isText = (part: Part): part is TextPart => part.type === 'text';

/** The concatenated text of all parts of one type. */
export const joined = (parts: Part[], type: 'text' | 'thinking'): string =>
  parts.map((part) => (part.type === type ? part.text : '')).join('');

/** Refuses data whose type is neither stated nor recognised. */
export const UNTYPED = 'the type of the data must be stated, as in data:image/png;base64,…';

/** The text that a part of an answer shows: words or a picture. */
export const shownText = (part: Part): string => {
  if (part.type === 'text') return part.text;
  return part.type === 'image' && 'data' in part.source ? pictureText(part.source.mimeType, part.source.data) : '';
};

/** Throws `RequestRejected` for a part that the upstream's dialect cannot express. */
export function refusePart(part: Part, message: string): never {
  const { at = '' } = part.type === 'text' || part.type === 'thinking' ? {} : part;
  throw new RequestRejected('invalid_text_request', at === '' ? message : `${at}: ${message}`, at);
}

export const citationsOf = (parts: Part[]): Citation[] =>
  parts.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []));

export const callsIn = (parts: Part[]): ToolCallPart[] =>
  parts.filter((part): part is ToolCallPart => part.type === 'tool-call');

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
export const flagOf = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/** A copy without members that are undefined. */
export function stated<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
