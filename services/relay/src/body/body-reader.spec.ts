import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../call/refusal.js';
import { readBody } from './body-reader.js';
import { ByteBudget } from './byte-budget.js';

const MB = 1024 * 1024;
const budget = new ByteBudget({ process: 64 * MB, user: 8 * MB, address: 64 * MB });

interface Sent {
  headers?: Record<string, string>;
  pieces: (Buffer | string)[];
  /** What happens to the connection after the pieces. */
  then?: 'end' | 'silence' | 'break';
  maxBytes?: number;
}

/** The result of reading a body: its bytes, or status and code of the refusal. */
async function read({ headers = {}, pieces, then = 'end', maxBytes = 4 * MB }: Sent): Promise<unknown> {
  const line = Object.assign(new PassThrough(), { headers });
  for (const piece of pieces) line.write(piece);
  if (then === 'end') line.end();
  if (then === 'break') setImmediate(() => line.destroy(new Error('gone')));
  const claim = budget.claim(1, '192.0.2.7');
  // Unpacking runs in another thread, which may be delayed on a busy machine.
  const idleMs = then === 'silence' ? 20 : 60_000;
  try {
    const bytes = await readBody(line as unknown as IncomingMessage, { maxBytes, idleMs }, claim);
    return bytes.length > 100 ? bytes.length : bytes.toString();
  } catch (error) {
    if (error instanceof Refusal) return [error.status, error.extra.isEmpty ? 'empty' : error.error.code];
    throw error;
  } finally {
    claim.release();
    line.destroy();
    expect(budget.inFlight).toBe(0);
  }
}

const gzip = { 'content-encoding': 'gzip' };

describe('readBody', () => {
  it('returns a body that came with its head at once, as a copy', async () => {
    const pieces = [Buffer.from('abc'), Buffer.from('def')];
    const line = Object.assign(new PassThrough(), { headers: { 'content-length': '6' }, complete: true });
    for (const piece of pieces) line.write(piece);
    line.end();
    const claim = budget.claim(1, '192.0.2.7');
    const reading = readBody(line as unknown as IncomingMessage, { maxBytes: MB, idleMs: 20 }, claim);
    expect([line.readableLength, budget.inFlight]).toEqual([0, 6]);
    const bytes = await reading;
    for (const piece of pieces) piece.fill(0);
    expect([bytes.toString(), bytes.buffer.byteLength]).toEqual(['abcdef', 6]);
    claim.release();
  });

  it.each<[string, Sent, unknown]>([
    ['nothing', { pieces: [] }, ''],
    ['pieces of a known length', { headers: { 'content-length': '6' }, pieces: ['abc', 'def'] }, 'abcdef'],
    ['pieces of any number', { pieces: Array.from({ length: 5000 }, () => 'x'.repeat(300)) }, 1_500_000],
    ['what was packed', { headers: gzip, pieces: [gzipSync('abc')] }, 'abc'],
    ['an unknown coding', { headers: { 'content-encoding': 'lzma' }, pieces: ['x'] }, [415, 'unsupported_encoding']],
    [
      'a stated length that is too large',
      { headers: { 'content-length': '5000000' }, pieces: [] },
      [413, 'body_too_large'],
    ],
    ['what turns out to be too large', { pieces: [Buffer.alloc(5 * MB)] }, [413, 'body_too_large']],
    [
      'what unpacks to too much',
      { headers: gzip, pieces: [gzipSync(Buffer.alloc(5 * MB))], maxBytes: 4 * MB },
      [413, 'body_too_large'],
    ],
    [
      'what unpacks to a thousand times its size, long before the limit',
      { headers: gzip, pieces: [gzipSync(Buffer.alloc(3 * MB))] },
      [413, 'body_too_large'],
    ],
    ['what finds no room', { pieces: [Buffer.alloc(9 * MB)], maxBytes: 64 * MB }, [503, 'too_many_bytes_in_flight']],
    ['what is packed badly', { headers: gzip, pieces: ['no gzip at all'] }, [400, 'empty']],
    ['what was packed and is torn', { headers: gzip, pieces: [gzipSync('abc').subarray(0, 15)] }, [400, 'empty']],
    [
      'what is packed badly in another way',
      { headers: { 'content-encoding': 'br' }, pieces: ['no brotli at all'] },
      [400, 'invalid_request'],
    ],
    [
      'a line that falls silent',
      { headers: { 'content-length': '6' }, pieces: ['abc'], then: 'silence' },
      [408, 'body_timeout'],
    ],
    [
      'a line that breaks',
      { headers: { 'content-length': '6' }, pieces: ['abc'], then: 'break' },
      [400, 'invalid_request'],
    ],
  ])('%s', async (_, sent, expected) => expect(await read(sent)).toEqual(expected));
});
