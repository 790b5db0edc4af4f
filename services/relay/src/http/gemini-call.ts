import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from '../call/refusal.js';
import type { RelayCall } from '../call/relay-call.js';

/** The parts of a call in Gemini's dialect that its path and query hold. */
export interface GeminiCall extends Pick<RelayCall, 'model' | 'isStream' | 'isJsonArray'> {
  /** The method of the model; `countTokens` makes no model call. */
  method: Method;
}

type Method = (typeof METHODS)[number];
const METHODS = [
  'generateContent',
  'streamGenerateContent',
  'embedContent',
  'batchEmbedContents',
  'countTokens',
] as const;

const MAX_MODEL = 255;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Parses `named`, which is `{model}:{method}`. Throws a refusal for a malformed path (404) or a method that is unknown
 * or not served (501).
 */
export function geminiCallOf(named: string, query: URLSearchParams): GeminiCall {
  const colon = named.lastIndexOf(':');
  const model = decoded(named.slice(0, Math.max(0, colon)));
  const method = named.slice(colon + 1);
  if (model === '' || model.length > MAX_MODEL || colon === -1)
    throw new Refusal(404, 'Invalid URL: {model}:{method} is expected', '', { type: 'invalid_request_error' });
  const known = METHODS.find((name) => name === method);
  if (!known) throw new Refusal(501, 'API not implemented', 'api_not_implemented');
  if (known !== 'streamGenerateContent') return { method: known, model, isStream: false };
  return { method: known, model, isStream: true, ...(query.get('alt') !== 'sse' && { isJsonArray: true }) };
}

/** Google's clients may pass the key in the query. It is moved to a header, because headers are never logged. */
export function withQueryKey({ headers, url }: IncomingMessage, path: string): IncomingHttpHeaders {
  if (!path.startsWith('/v1beta') && !path.startsWith('/v1/models')) return headers;
  const key = queryOf(url).get('key');
  return key === null || headers['x-goog-api-key'] !== undefined ? headers : { ...headers, 'x-goog-api-key': key };
}

/** The query of a URL without its host. */
export function queryOf(url = ''): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}
