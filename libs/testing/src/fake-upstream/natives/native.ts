import type { IncomingHttpHeaders } from 'node:http';
import type { FakeDialect, JsonObject } from '../dialects.js';

/** A call of a provider that has paths, keys and words of its own. */
export interface NativeCall {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** Empty where the body is no JSON. */
  json: JsonObject;
  /** Of the stand-in itself. */
  origin: string;
}

export interface NativeError {
  status: number;
  message: string;
  type: string;
  code: string;
}

/** A conversation to be answered. */
export interface NativeTurn {
  dialect: FakeDialect;
  model: string;
  isStream: boolean;
  /** In OpenAI's words, for counting, and for the settings in its last text. */
  prompt: JsonObject;
  limit?: unknown;
  /** What is wrong with the key. */
  refusal?: NativeError | undefined;
}

/** Everything else that a provider answers, such as a token. */
export interface NativeReply {
  status: number;
  json: JsonObject;
  headers?: Record<string, string>;
  /** In place of the JSON. */
  bytes?: Buffer;
}

/** Undefined: not a path of this provider. */
export type Native = (call: NativeCall) => NativeTurn | NativeReply | undefined;

export const objectIn = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

export const listIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectIn) : []);

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
