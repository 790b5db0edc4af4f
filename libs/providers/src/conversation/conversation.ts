import type { Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import type { Citation } from './citations.js';

// What a client asks a model, in nobody's dialect. Each dialect has one reader and one writer for it, so that a new dialect meets
// all others at once. A client and an upstream of the same dialect never come here: they exchange their own bytes.

/** Where a client wrote it, as a refusal names it. */
interface Placed {
  at?: string;
}

/** Inlined data as base64, or an address that the upstream fetches itself. */
export type Source = { mimeType: string; data: string } | { url: string; mimeType?: string };

/** Anthropic's mark for what should be kept in the upstream's prompt cache, as the client wrote it. */
interface Cacheable {
  cacheControl?: Json;
}

export interface TextPart extends Cacheable {
  type: 'text';
  text: string;
  /** Of an answer: where it has this from. */
  citations?: Citation[];
}

export interface MediaPart extends Cacheable, Placed {
  type: 'image' | 'audio' | 'video' | 'file';
  source: Source;
  /** A file's name. */
  name?: string;
}

export interface ThinkingPart {
  type: 'thinking';
  text: string;
}

export interface ToolCallPart extends Placed {
  type: 'tool-call';
  /** Empty where the dialect has no ids: the writer makes one up. */
  id: string;
  name: string;
  /** JSON as a model wrote it, or empty; whatever else a client sends is refused or left out before it is said. */
  arguments: string;
  /** Gemini's proof of the thought behind a call, which it wants back with the call. */
  signature?: string;
}

export interface ToolResultPart extends Placed {
  type: 'tool-result';
  callId: string;
  /** The tool's name; empty where the dialect names the call only. */
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
  /** JSON Schema; undefined: the tool takes nothing. */
  parameters?: JsonObject;
}

export interface ToolChoice {
  /** `any`: some tool must be called; `tool`: this one. */
  type: 'auto' | 'none' | 'any' | 'tool';
  name?: string;
}

export interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /** Answers wanted. */
  choices?: number;
  stop: string[];
}

export interface Conversation {
  model: string;
  system: TextPart[];
  turns: Turn[];
  tools: Tool[];
  toolChoice?: ToolChoice;
  /** False: one call at a time. */
  parallelTools?: boolean;
  sampling: Sampling;
  /** Tokens of one answer. */
  maxTokens?: number;
  /** Anthropic's `thinking`, which chat clients send too. */
  thinking?: JsonObject;
  /** OpenAI's `reasoning_effort`. */
  effort?: string;
  /** The answer must be JSON, by this schema if there is one. */
  json?: { schema?: JsonObject };
  stream?: boolean;
  user?: string;
  /** Anthropic's `metadata`, where the client speaks of more than its user. */
  metadata?: Json;
  serviceTier?: Json;
}

/** OpenAI's words; a reason without a counterpart keeps the upstream's own. */
export type FinishReason = string;

/** One of the answers. */
export interface Choice {
  parts: Part[];
  finish: FinishReason;
}

export interface ConversationReply {
  /** Empty when the upstream named none. */
  id: string;
  model: string;
  choices: Choice[];
}

/** A piece of a reply that is under way. `choice` counts the answers, from 0. */
export type StreamEvent =
  | { type: 'start'; id: string; model: string }
  | { type: 'text' | 'reasoning'; choice: number; text: string }
  | { type: 'image'; choice: number; mimeType: string; data: string }
  /** A call begins; its arguments follow. `index` counts the calls of the choice. */
  | { type: 'tool-call'; choice: number; index: number; id: string; name: string; signature?: string }
  | { type: 'tool-arguments'; choice: number; index: number; text: string }
  /** Of what was said before it. */
  | { type: 'citation'; choice: number; citation: Citation }
  | { type: 'finish'; choice: number; reason: FinishReason };

const DATA_URI = /^data:([^;,]+);base64,/;

/** Media by address, or the bytes of a `data:` URL as base64. */
export function sourceOf(url: string): Source {
  const match = DATA_URI.exec(url);
  return match ? { mimeType: match[1] ?? '', data: url.slice(match[0].length) } : { url };
}

export const urlOfSource = (source: Source): string =>
  'data' in source ? `data:${source.mimeType};base64,${source.data}` : source.url;

export const isText = (part: Part): part is TextPart => part.type === 'text';

/** All text of one kind, as one. */
export const joined = (parts: Part[], type: 'text' | 'thinking'): string =>
  parts.map((part) => (part.type === type ? part.text : '')).join('');

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

/** The object without members that are undefined. */
export function stated<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
