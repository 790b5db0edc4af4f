import type { IncomingHttpHeaders } from 'node:http';
import type { FakeDialect, JsonObject } from '../dialects.js';

/** A call to a provider with its own paths, keys and wire format. */
export interface NativeCall {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** An empty object if the body is not JSON. */
  json: JsonObject;
  /** Origin of the fake upstream itself. */
  origin: string;
}

export interface NativeError {
  status: number;
  message: string;
  type: string;
  code: string;
}

/** A conversation to answer. */
export interface NativeTurn {
  dialect: FakeDialect;
  model: string;
  isStream: boolean;
  /** The prompt in OpenAI's format, for counting tokens and for the settings in its last text. */
  prompt: JsonObject;
  limit?: unknown;
  /** The error for an invalid key. */
  refusal?: NativeError | undefined;
}

/** Any other reply of a provider, such as an access token. */
export interface NativeReply {
  status: number;
  json: JsonObject;
  headers?: Record<string, string>;
  /** Body to send instead of the JSON. */
  bytes?: Buffer;
}

/** Returns undefined for a path that is not this provider's. */
export type Native = (call: NativeCall) => NativeTurn | NativeReply | undefined;

export const objectIn = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

export const listIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectIn) : []);

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
