import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const hash = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** Percent-encoding by RFC 3986, which escapes more characters than `encodeURIComponent`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

interface SignedRequest {
  method: string;
  /** The path as it is written on the request line. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** The canonical request, which is what gets signed; `names` lists the signed headers. */
const canonicalOf = ({ method, path, headers, body }: SignedRequest, names: string): string =>
  [
    method,
    // AWS signs the path with one more encoding than the sent one.
    path.split('/').map(encode).join('/'),
    '',
    ...names.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names,
    hash(body),
  ].join('\n');

/**
 * The error that AWS would report for a request's Signature Version 4, written from its documentation; undefined for a
 * valid one.
 */
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
