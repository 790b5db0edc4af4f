import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import type { JsonObject } from '@tollgate/providers';
import { Refusal } from '../pipeline/refusal.js';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 200;

type Decompress = (input: Buffer, options: ZlibOptions) => Promise<Buffer>;
const decoders: Record<string, Decompress> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
};

const invalid = (detail: string): Refusal =>
  new Refusal(400, `Invalid request, 无效的请求, ${detail}`, 'invalid_request', { type: 'invalid_request_error' });

/** Bytes as the client meant them; a body that grows beyond the limit when unpacked is refused. */
export async function unpack(body: unknown, encoding: string | undefined): Promise<Buffer> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return bytes;
  const decode = decoders[name];
  if (!decode)
    throw new Refusal(415, `Content-Encoding ${name} 不受支持`, 'unsupported_encoding', {
      type: 'invalid_request_error',
    });
  try {
    return await decode(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Refusal(413, '请求体过大', 'body_too_large', { type: 'invalid_request_error' });
    throw invalid('bad compressed body');
  }
}

/** The body as a JSON object. Nesting is bounded before it is parsed, because everything after walks the tree. */
export function parseBody(bytes: Buffer): JsonObject {
  if (bytes.length === 0) throw invalid('EOF');
  if (tooDeep(bytes)) throw invalid('JSON is nested too deeply');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw invalid((error as Error).message.slice(0, 200));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('a JSON object is expected');
  return value as JsonObject;
}

const OPEN = new Set([0x7b, 0x5b]);

/** Counts brackets outside of care for strings: text can only make a body look deeper, so only suspicious ones are walked exactly. */
function tooDeep(bytes: Buffer): boolean {
  let open = 0;
  for (let at = bytes.indexOf(0x5b); at !== -1 && open <= MAX_DEPTH; at = bytes.indexOf(0x5b, at + 1)) open += 1;
  for (let at = bytes.indexOf(0x7b); at !== -1 && open <= MAX_DEPTH; at = bytes.indexOf(0x7b, at + 1)) open += 1;
  return open > MAX_DEPTH && exactDepth(bytes) > MAX_DEPTH;
}

function exactDepth(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (OPEN.has(byte)) deepest = Math.max(deepest, (depth += 1));
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return deepest;
}
