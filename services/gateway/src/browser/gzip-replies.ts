import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';

/** Below this the header costs more than the coding saves. */
const MIN_BYTES = 1024;
/** What is held in memory to be compressed; more than that is no reply of the console. */
const MAX_BYTES = 8 * 1024 * 1024;
const TEXTUAL = /^(application\/json|text\/(?!event-stream))/;

/** Whether an `Accept-Encoding` header takes a coding: by name, or by `*` when it is not named. */
export function acceptsCoding(header: string | undefined, coding: 'gzip' | 'br'): boolean {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
}

const bytesOf = (chunk: unknown): Buffer | undefined => {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : undefined;
};

type Loose = (...args: unknown[]) => unknown;

/**
 * Compresses a text of known length when the client asked for it. Anything else, such as a stream of events, goes out as it is:
 * from its first piece on this is no longer in the way.
 */
export function gzipWholeReply(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  const stepAside = (): void => {
    for (const name of ['writeHead', 'flushHeaders', 'write', 'end']) Reflect.deleteProperty(response, name);
  };
  const send = (name: 'flushHeaders' | 'write' | 'end', args: unknown[]): unknown => {
    stepAside();
    return (response[name] as Loose)(...args);
  };
  const keep = (piece: unknown, ...rest: unknown[]): unknown => {
    const bytes = bytesOf(piece);
    if (!bytes || !isWhole(response)) return send('write', [piece, ...rest]);
    pieces.push(bytes);
    const written = rest.find((argument) => typeof argument === 'function') as (() => void) | undefined;
    if (written) process.nextTick(written);
    return true;
  };
  const finish = (...args: unknown[]): unknown => {
    const last = bytesOf(args[0]);
    const bytes = Buffer.concat(last ? [...pieces, last] : pieces);
    if (bytes.length < MIN_BYTES || !isWhole(response)) return send('end', pieces.length > 0 ? [bytes] : args);
    response.setHeader('Vary', 'Accept-Encoding');
    if (!acceptsCoding(String(request.headers['accept-encoding'] ?? ''), 'gzip')) return send('end', [bytes]);
    gzip(bytes, (error, packed) => {
      if (error) return void send('end', [bytes]);
      response.setHeader('Content-Encoding', 'gzip');
      response.setHeader('Content-Length', packed.length);
      send('end', [packed]);
    });
    return response;
  };
  // The head is held back until the body is known, because the body decides two of its lines.
  const holdHead = (status: number, ...rest: (string | OutgoingHttpHeaders | undefined)[]): ServerResponse => {
    response.statusCode = status;
    for (const part of rest) if (typeof part === 'object') setHeaders(response, part);
    return response;
  };
  Object.assign(response, {
    writeHead: holdHead,
    flushHeaders: (...args: unknown[]) => (isWhole(response) ? undefined : send('flushHeaders', args)),
    write: keep,
    end: finish,
  });
}

function setHeaders(response: ServerResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
}

/** A text that is not coded yet and whose owner has said how long it is. */
function isWhole(response: ServerResponse): boolean {
  const length = Number(response.getHeader('content-length') ?? Number.NaN);
  const type = String(response.getHeader('content-type') ?? '');
  return length <= MAX_BYTES && TEXTUAL.test(type) && !response.hasHeader('content-encoding');
}
