import type { Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { decoderOf, isBomb } from '../body/unpacking.js';

type Headers = Record<string, string | string[] | undefined>;

/** Why a call got no usable reply. */
export class UpstreamFailure extends Error {
  constructor(
    readonly reason: 'network' | 'timeout' | 'refused' | 'aborted' | 'too-large',
    options?: ErrorOptions,
  ) {
    super(`upstream: ${reason}`, options);
    this.name = 'UpstreamFailure';
  }
}

export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  error(failure: UpstreamFailure): void;
}

/** Bytes that are buffered before there is a reader; most replies are smaller and arrive together with their head. */
const EARLY_BYTES = 64 * 1024;

/** Accounts for the memory of a reply; `take` throws when there is none left. */
export interface ReplyMemory {
  take(bytes: number): void;
}

/** One reply. Shortly after its head it is paused until there is a reader. */
export class UpstreamResponse {
  private sink: BodySink | undefined;
  private readonly earlyChunks: Buffer[] = [];
  private earlyBytes = 0;
  /** Paused because there is no reader yet, not by a reader. */
  private isHeld = false;
  private decoder: Transform | undefined;
  private packedBytes = 0;
  private unpackedBytes = 0;
  private early: UpstreamFailure | 'end' | undefined;
  private aborted = false;

  constructor(
    readonly status: number,
    readonly headers: Headers,
    private readonly controller: Dispatcher.DispatchController,
  ) {
    const encoding = String(headers['content-encoding'] ?? '').toLowerCase();
    const decoder = decoderOf(encoding);
    if (!decoder) return;
    this.useDecoder(decoder);
    this.hold();
  }

  get contentType(): string {
    return String(this.headers['content-type'] ?? '').toLowerCase();
  }

  /** Starts the flow to the reader; call once. */
  pipe(sink: BodySink): void {
    this.sink = sink;
    for (const chunk of this.earlyChunks.splice(0)) sink.data(chunk);
    if (this.early === 'end') sink.end();
    else if (this.early) sink.error(this.early);
    else if (this.isHeld) this.resume();
  }

  /**
   * Whether the body begins as `test` wants it, which gets more and more of it while it returns `undefined`. A reader
   * gets the body from its beginning all the same.
   */
  begins(test: (head: Buffer) => boolean | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const chunks = this.earlyChunks;
      let size = 0;
      const decide = (verdict: boolean): void => {
        this.sink = undefined;
        resolve(verdict);
      };
      const close = (result: UpstreamFailure | 'end'): void => {
        this.early = result;
        decide(false);
      };
      this.pipe({
        data: (chunk) => {
          chunks.push(chunk);
          size += chunk.length;
          const verdict = this.sink && test(Buffer.concat(chunks));
          if (verdict !== undefined || size > EARLY_BYTES) decide(verdict === true);
        },
        end: () => close('end'),
        error: close,
      });
    });
  }

  private hold(): void {
    this.isHeld = true;
    this.controller.pause();
  }

  pause(): void {
    if (this.aborted) return;
    this.isHeld = false;
    this.decoder?.pause();
    this.controller.pause();
  }

  resume(): void {
    if (this.aborted) return;
    this.decoder?.resume();
    if (!this.decoder?.writableNeedDrain) this.controller.resume();
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.decoder?.destroy();
    this.controller.abort(new UpstreamFailure('aborted'));
  }

  /** The whole body, at most `limit` bytes. Rejects with the error that `memory` throws. */
  read(limit: number, memory?: ReplyMemory): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      this.pipe({
        data: (chunk) => {
          size += chunk.length;
          try {
            if (size > limit) throw new UpstreamFailure('too-large');
            memory?.take(chunk.length);
            chunks.push(chunk);
          } catch (error) {
            // Rejects before aborting: the abort reports its own error at once, which would hide the cause.
            reject(error);
            chunks.length = 0;
            this.abort();
          }
        },
        end: () => resolve(joined(chunks)),
        error: (failure) => {
          reject(failure);
          this.abort();
        },
      });
    });
  }

  /** @internal Called by the dispatcher. */
  onData(chunk: Buffer): void {
    this.packedBytes += chunk.length;
    if (!this.decoder) this.deliver(chunk);
    // A few bytes may unpack to very many, so no more is read until the decoder has drained.
    else if (!this.decoder.destroyed && !this.decoder.write(chunk)) this.controller.pause();
  }

  private deliver(chunk: Buffer): void {
    if (this.sink) return this.sink.data(chunk);
    this.earlyChunks.push(chunk);
    this.earlyBytes += chunk.length;
    if (this.earlyBytes > EARLY_BYTES) this.hold();
  }

  /** @internal Called by the dispatcher. */
  onEnd(): void {
    if (!this.decoder) this.finish('end');
    else if (!this.decoder.destroyed) this.decoder.end();
  }

  /** @internal Called by the dispatcher. */
  onError(failure: UpstreamFailure): void {
    this.finish(failure);
  }

  private finish(result: UpstreamFailure | 'end'): void {
    if (!this.sink) this.early ??= result;
    else if (result === 'end') this.sink.end();
    else this.sink.error(result);
  }

  private deliverUnpacked(chunk: Buffer): void {
    if (this.aborted) return;
    this.unpackedBytes += chunk.length;
    if (!isBomb(this.unpackedBytes, this.packedBytes)) return this.deliver(chunk);
    this.finish(new UpstreamFailure('too-large'));
    this.abort();
  }

  private useDecoder(decoder: Transform): void {
    this.decoder = decoder;
    decoder.on('data', (chunk: Buffer) => this.deliverUnpacked(chunk));
    decoder.on('drain', () => {
      if (!this.aborted && !decoder.isPaused()) this.controller.resume();
    });
    decoder.on('end', () => this.finish('end'));
    decoder.on('error', (cause) => this.finish(new UpstreamFailure('network', { cause })));
  }
}

/** A reply that came in one piece is not copied. */
const joined = (chunks: readonly Buffer[]): Buffer => (chunks.length === 1 && chunks[0]) || Buffer.concat(chunks);
