import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const hash = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** As RFC 3986 has it, which leaves fewer characters alone than `encodeURIComponent`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

export interface SignedRequest {
  method: string;
  /** As it stands on the request line. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** The request in the one spelling that is signed; `names` are the headers in it. */
const canonicalOf = ({ method, path, headers, body }: SignedRequest, names: string): string =>
  [
    method,
    // Encoded once more than it was sent.
    path.split('/').map(encode).join('/'),
    '',
    ...names.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names,
    hash(body),
  ].join('\n');

/** What AWS would say of a request's signature version 4, worked out from its documentation; undefined for a good one. */
export function signatureFault(request: SignedRequest, keys: ReadonlyMap<string, string>): string | undefined {
  const match = AUTHORIZATION.exec(String(request.headers.authorization ?? ''));
  if (!match) return 'IncompleteSignatureException';
  const [id, day, region, service, names, signature] = match.slice(1) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const secret = keys.get(id);
  if (secret === undefined) return 'UnrecognizedClientException';
  const time = String(request.headers['x-amz-date'] ?? '');
  if (!time.startsWith(day) || !names.split(';').includes('host')) return 'IncompleteSignatureException';
  const canonical = canonicalOf(request, names);
  const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/${service}/aws4_request`, hash(canonical)].join('\n');
  const key = [region, service, 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, day));
  return hmac(key, text).toString('hex') === signature ? undefined : 'InvalidSignatureException';
}

export const signedRequestOf = ({ method = '', url = '', headers }: IncomingMessage, body: Buffer): SignedRequest => ({
  method,
  path: url.split('?')[0] ?? '',
  headers,
  body,
});
