import type { IncomingHttpHeaders } from 'node:http';

const KEY = /^[0-9A-Za-z]{48}$/;
const PROTOCOL_PREFIX = 'openai-insecure-api-key.';

export interface ApiKey {
  /** The 48 characters of the key, or whatever was sent instead. */
  key: string;
  wellFormed: boolean;
  /** The text between the first dash and the next one, by which an administrator's key names a channel. */
  channel?: string;
}

const single = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/** The key among the subprotocols of a WebSocket, where browsers put it. */
function protocolKeyOf(protocols: string | string[]): string | undefined {
  return single(protocols)
    .split(',')
    .map((part) => part.trim())
    .find((part) => part.startsWith(PROTOCOL_PREFIX))
    ?.slice(PROTOCOL_PREFIX.length);
}

function bearerOf(headers: IncomingHttpHeaders, path: string): string {
  const protocols = headers['sec-websocket-protocol'];
  const protocolKey = protocols === undefined ? undefined : protocolKeyOf(protocols);
  if (protocolKey !== undefined) return protocolKey;
  const anthropic = single(headers['x-api-key']);
  if (anthropic !== '' && (path.startsWith('/v1/messages') || path.startsWith('/v1/models'))) return anthropic;
  const google = single(headers['x-goog-api-key']);
  if (google !== '' && (path.startsWith('/v1beta') || path.startsWith('/v1/models'))) return google;
  const bearer = single(headers.authorization)
    .replace(/^Bearer(\s+|$)/i, '')
    .trim();
  return bearer === '' || bearer === 'midjourney-proxy'
    ? single(headers['mj-api-secret']).replace(/^Bearer(\s+|$)/i, '')
    : bearer;
}

/** The key of a request, from any of the documented places; `undefined` when there is none. */
export function apiKeyOf(headers: IncomingHttpHeaders, path: string): ApiKey | undefined {
  const text = bearerOf(headers, path).trim().replace(/^sk-/, '');
  if (text === '') return undefined;
  const [key = '', channel] = text.split('-', 2);
  return { key, wellFormed: KEY.test(key), channel: channel === '' ? undefined : channel };
}
