import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { nothing } from '../call/nothing.js';
import { Refusal } from '../call/refusal.js';
import type { ByteBound, ByteClaim } from './byte-budget.js';

/** A body may unpack to this many times its size, once it is larger than the floor (in bytes). JSON that people write stays below 20. */
const MAX_RATIO = 100;
const RATIO_FLOOR = 1024 * 1024;
/** Room before the first byte, for a body of unknown and of known length. Who announces much and sends little takes little. */
const FIRST_CAPACITY = 16 * 1024;
const MAX_FIRST_CAPACITY = 1024 * 1024;

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export interface BodyBounds {
  /** Bytes, on the wire and unpacked. */
  maxBytes: number;
  /** Milliseconds without a byte after which a body counts as given up. */
  idleMs: number;
}

const invalid = (detail: string): Refusal =>
  new Refusal(400, `Invalid request, 无效的请求, ${detail}`, 'invalid_request');

const tooLarge = (): Refusal => new Refusal(413, '请求体过大', 'body_too_large');

const SHARES: Record<ByteBound, string> = { process: '系统', user: '当前用户', address: '当前 IP' };

/** Too much is in memory at the moment, of everybody's or of this caller's. */
export const noRoom = (bound: ByteBound, what: '请求' | '回复' = '请求'): Refusal =>
  new Refusal(503, `${SHARES[bound]}正在处理的${what}数据过多，请稍后重试`, 'too_many_bytes_in_flight', {
    retryAfter: 1,
  });

/** Bytes in one growing buffer: a list of pieces would cost more than what tiny pieces hold. */
class Collected {
  private buffer: Buffer;
  private length = 0;

  constructor(
    private readonly claim: ByteClaim,
    private readonly expected: number | undefined,
  ) {
    const capacity = Math.min(expected ?? FIRST_CAPACITY, MAX_FIRST_CAPACITY);
    this.take(capacity);
    // Never from the shared pool, whose pages outlive what they hold.
    this.buffer = Buffer.allocUnsafeSlow(capacity);
  }

  get size(): number {
    return this.length;
  }

  append(piece: Buffer): void {
    const needed = this.length + piece.length;
    if (needed > this.buffer.length)
      this.grow(Math.min(Math.max(needed, this.buffer.length * 2), this.expected ?? Infinity));
    piece.copy(this.buffer, this.length);
    this.length = needed;
  }

  result(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private grow(capacity: number): void {
    this.take(capacity);
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.buffer.copy(larger, 0, 0, this.length);
    this.claim.give(this.buffer.length);
    this.buffer = larger;
  }

  private take(bytes: number): void {
    const full = this.claim.take(bytes);
    if (full !== undefined) throw noRoom(full);
  }
}

/** Length of the body on the wire; undefined when the client does not say. */
function statedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined || headers['transfer-encoding'] !== undefined ? undefined : Number(length);
}

/** The codings of the body, checked; empty for one that is sent as it is. */
export function codingOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const name = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return '';
  if (!Object.hasOwn(decoders, name))
    throw new Refusal(415, `Content-Encoding ${name.slice(0, 64)} 不受支持`, 'unsupported_encoding', {});
  return name;
}

/** What unpacks a body; undefined for one that is sent as it is. */
export const decoderOf = (coding: string): Transform | undefined => decoders[coding]?.();

/** Whether so much came of so few bytes that it was packed for that. */
export const isBomb = (unpacked: number, packed: number): boolean =>
  unpacked > RATIO_FLOOR && unpacked > packed * MAX_RATIO;

/**
 * One body on its way into memory. Whatever bound it meets first stops both the reading and the unpacking at once. Its listeners are no members:
 * V8 makes functions old at once that are written out as such, and an old one keeps its request.
 */
class Reading {
  private readonly collected: Collected;
  private readonly decoder: Transform | undefined;
  private readonly timer: NodeJS.Timeout;
  private received = 0;
  private leave = nothing;

  constructor(
    private readonly request: IncomingMessage,
    private readonly bounds: BodyBounds,
    claim: ByteClaim,
    private readonly settle: { resolve(bytes: Buffer): void; reject(error: unknown): void },
  ) {
    const coding = codingOf(request);
    const length = statedLength(request);
    if ((length ?? 0) > bounds.maxBytes) throw tooLarge();
    this.collected = new Collected(claim, coding === '' ? length : undefined);
    this.decoder = decoderOf(coding);
    this.timer = setTimeout(() => this.fail(slow()), bounds.idleMs);
    this.listen();
  }

  private listen(): void {
    const { request, decoder } = this;
    const onData = (piece: Buffer): void => this.take(piece);
    const onEnd = (): void => this.end();
    const onGone = (): void => this.fail(invalid('the body ended early'));
    request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
    const leave = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    this.leave = leave;
    if (!decoder) return;
    decoder.on('data', (piece: Buffer) => this.guarded(() => this.keep(piece)));
    decoder.on('drain', () => request.resume());
    decoder.once('end', () => this.finish());
    decoder.once('error', () => this.fail(badlyPacked(codingOf(request))));
  }

  private take(piece: Buffer): void {
    this.timer.refresh();
    this.guarded(() => {
      this.received += piece.length;
      if (this.received > this.bounds.maxBytes) throw tooLarge();
      if (!this.decoder) this.keep(piece);
      // A few bytes may unpack to very many: no more is read until they are taken.
      else if (!this.decoder.write(piece)) this.request.pause();
    });
  }

  private end(): void {
    this.leave();
    if (this.decoder) this.decoder.end();
    else this.finish();
  }

  private keep(piece: Buffer): void {
    this.collected.append(piece);
    const { size } = this.collected;
    if (size > this.bounds.maxBytes) throw tooLarge();
    if (this.decoder && isBomb(size, this.received)) throw tooLarge();
  }

  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  private finish(): void {
    this.stop();
    this.settle.resolve(this.collected.result());
  }

  private fail(error: unknown): void {
    this.stop();
    this.request.pause();
    this.settle.reject(error);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.leave();
    this.decoder?.removeAllListeners().on('error', () => undefined);
    this.decoder?.destroy();
  }
}

/** The refusal of a body that does not unpack; with an empty body, as the reference answers it. */
export const badlyPacked = (coding: string): Refusal =>
  coding === 'gzip'
    ? new Refusal(400, 'bad gzip body', 'invalid_request', { isEmpty: true })
    : invalid('bad compressed body');

const slow = (): Refusal => new Refusal(408, '请求体接收超时', 'body_timeout');

/**
 * The body as the client meant it, unpacked. Throws the refusal of the first bound it meets: its size on the wire or unpacked (413),
 * how far it unpacks (413), the memory of all bodies (503), the time without a byte (408).
 */
export function readBody(request: IncomingMessage, bounds: BodyBounds, claim: ByteClaim): Promise<Buffer> {
  return arrived(request, claim) ?? whole(request, bounds, claim);
}

/** Most bodies are so small that they came with their head: then there is nothing to wait for, and nothing to watch. */
function arrived(request: IncomingMessage, claim: ByteClaim): Promise<Buffer> | undefined {
  const length = statedLength(request);
  // All of it may be here before Node has looked at where the request ends.
  const isThere = length !== undefined && length > 0 && request.readableLength === length;
  if (!isThere || length > MAX_FIRST_CAPACITY || codingOf(request) !== '') return undefined;
  const full = claim.take(length);
  if (full !== undefined) return Promise.reject(noRoom(full));
  // A copy: what was read lies in a page of the connection's, which would live as long as it does.
  const bytes = Buffer.allocUnsafeSlow(length);
  (request.read() as Buffer).copy(bytes);
  return Promise.resolve(bytes);
}

function whole(request: IncomingMessage, bounds: BodyBounds, claim: ByteClaim): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    new Reading(request, bounds, claim, { resolve, reject });
  });
}
