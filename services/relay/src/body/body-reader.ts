import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { nothing } from '../call/nothing.js';
import { Refusal } from '../call/refusal.js';
import { bodyTooLarge, bodyTooSlow, invalidBody } from './body-refusals.js';
import type { ByteBound, ByteClaim } from './byte-budget.js';
import { decoderOf, isBomb, isKnownCoding } from './unpacking.js';

/**
 * Bytes that are allocated before the first byte arrives, for a body of unknown length, and at most for one of known
 * length. So a client that announces much and sends little takes little memory.
 */
const FIRST_CAPACITY = 16 * 1024;
const MAX_FIRST_CAPACITY = 1024 * 1024;

interface BodyBounds {
  /** Most bytes, both as received and unpacked. */
  maxBytes: number;
  /** Milliseconds without a byte after which the body counts as abandoned. */
  idleMs: number;
}

const SHARES: Record<ByteBound, string> = { process: '系统', user: '当前用户', address: '当前 IP' };

/** The refusal when too many bytes are in memory: of the process, of this user or of this address. */
export const noRoom = (bound: ByteBound, what: '请求' | '回复' = '请求'): Refusal =>
  new Refusal(503, `${SHARES[bound]}正在处理的${what}数据过多，请稍后重试`, 'too_many_bytes_in_flight', {
    retryAfter: 1,
  });

/** Collects bytes in one growing buffer, because a list of tiny pieces costs more memory than their content. */
class Collected {
  private buffer: Buffer;
  private length = 0;

  constructor(
    private readonly claim: ByteClaim,
    private readonly expected: number | undefined,
  ) {
    const capacity = Math.min(expected ?? FIRST_CAPACITY, MAX_FIRST_CAPACITY);
    this.take(capacity);
    // `allocUnsafeSlow` avoids Node's shared pool, whose pages are retained as long as any slice of them.
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

/** Length of the body as sent; `undefined` when the client does not state it. */
function statedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined || headers['transfer-encoding'] !== undefined ? undefined : Number(length);
}

/** The content coding of the body, empty for one that is not compressed. Throws 415 for an unsupported coding. */
export function codingOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const name = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return '';
  if (!isKnownCoding(name))
    throw new Refusal(415, `Content-Encoding ${name.slice(0, 64)} 不受支持`, 'unsupported_encoding', {});
  return name;
}

/**
 * Reads one body into memory. The first bound that is exceeded stops both reading and unpacking at once. The listeners
 * are local functions rather than members, because V8 moves functions assigned to members to the old generation at
 * once, where they would retain the request.
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
    if ((length ?? 0) > bounds.maxBytes) throw bodyTooLarge();
    this.collected = new Collected(claim, coding === '' ? length : undefined);
    this.decoder = decoderOf(coding);
    this.timer = setTimeout(() => this.fail(bodyTooSlow()), bounds.idleMs);
    this.listen();
  }

  private listen(): void {
    const { request, decoder } = this;
    const onData = (piece: Buffer): void => this.take(piece);
    const onEnd = (): void => this.end();
    const onGone = (): void => this.fail(invalidBody('the body ended early'));
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
      if (this.received > this.bounds.maxBytes) throw bodyTooLarge();
      if (!this.decoder) this.keep(piece);
      // A few bytes may unpack to very many, so no more is read until the decoder has drained.
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
    if (size > this.bounds.maxBytes) throw bodyTooLarge();
    if (this.decoder && isBomb(size, this.received)) throw bodyTooLarge();
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

/** The refusal of a body that cannot be unpacked. For gzip its reply has no body, like in the reference system. */
export const badlyPacked = (coding: string): Refusal =>
  coding === 'gzip'
    ? new Refusal(400, 'bad gzip body', 'invalid_request', { isEmpty: true })
    : invalidBody('bad compressed body');

/**
 * Reads and unpacks the body. Throws the refusal of the first bound that is exceeded: the size as received or unpacked
 * (413), the ratio of the two (413), the memory of all bodies (503), the time without a byte (408).
 */
export async function readBody(request: IncomingMessage, bounds: BodyBounds, claim: ByteClaim): Promise<Buffer> {
  // Node reports a request before it has parsed the body in the same packet; after this turn that body is there.
  if (!hasArrived(request)) await undefined;
  return arrived(request, claim) ?? whole(request, bounds, claim);
}

/**
 * Takes the whole body at once where it arrived together with the head, as most small ones do; no listeners are needed
 * then.
 */
function arrived(request: IncomingMessage, claim: ByteClaim): Buffer | undefined {
  const length = request.readableLength;
  if (!hasArrived(request) || length > MAX_FIRST_CAPACITY || codingOf(request) !== '') return undefined;
  const full = claim.take(length);
  if (full !== undefined) throw noRoom(full);
  // Copied, because the received bytes lie in a page of the connection, which would be retained as long as they are.
  const bytes = Buffer.allocUnsafeSlow(length);
  (request.read() as Buffer).copy(bytes);
  return bytes;
}

/** Whether all bytes are buffered, which may be before Node has emitted `end`. */
const hasArrived = (request: IncomingMessage): boolean =>
  request.readableLength > 0 && request.readableLength === statedLength(request);

function whole(request: IncomingMessage, bounds: BodyBounds, claim: ByteClaim): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    new Reading(request, bounds, claim, { resolve, reject });
  });
}
