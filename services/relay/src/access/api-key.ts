import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect } from '@tollgate/providers';

const KEY = /^[0-9A-Za-z]{48}$/;
const PROTOCOL_PREFIX = 'openai-insecure-api-key.';

export interface ApiKey {
  /** The 48 characters of the key, or whatever was sent instead. */
  key: string;
  wellFormed: boolean;
  /**
   * The text between the first dash and the next one, by which an administrator's key names a channel. Empty if nothing
   * is there; absent without a dash.
   */
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

interface OwnHeader {
  name: string;
  /** The beginnings of the paths where it counts. */
  paths: readonly string[];
}

/** The header in which the clients of a dialect send their key, where it is another one than `authorization`. */
const ownHeaders: Readonly<Record<Dialect, OwnHeader | undefined>> = {
  openai: undefined,
  responses: undefined,
  anthropic: { name: 'x-api-key', paths: ['/v1/messages', '/v1/models'] },
  gemini: { name: 'x-goog-api-key', paths: ['/v1beta', '/v1/models'] },
};
const OWN_HEADERS = Object.values(ownHeaders).filter((header) => header !== undefined);

function bearerOf(headers: IncomingHttpHeaders, path: string): string {
  const protocols = headers['sec-websocket-protocol'];
  const protocolKey = protocols === undefined ? undefined : protocolKeyOf(protocols);
  if (protocolKey !== undefined) return protocolKey;
  for (const { name, paths } of OWN_HEADERS) {
    const own = single(headers[name]);
    if (own !== '' && paths.some((beginning) => path.startsWith(beginning))) return own;
  }
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
  return { key, wellFormed: KEY.test(key), channel };
}
