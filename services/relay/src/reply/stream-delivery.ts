import type { ServerResponse } from 'node:http';
import { isFiller, type ReplyStream, SseOverflow } from '@tollgate/providers';
import { nothing } from '../call/nothing.js';
import { writePiece } from '../call/pieces.js';
import type { ReadOn } from '../upstream/departure.js';
import { UpstreamFailure, type UpstreamResponse } from '../upstream/upstream-response.js';

type StreamEnd = 'completed' | 'upstream_cut' | 'client_abort' | 'quota_exhausted';

export interface DeliveryHooks {
  /**
   * Called before the first byte is sent: writes the record that is booked if the process dies. A rejection ends the
   * delivery with its error.
   */
  beforeFirst(stream: ReplyStream): Promise<void>;
  /** Called every 200 ms while the stream grows. */
  progress(stream: ReplyStream): void;
  head(response: ServerResponse): void;
  /** Called when the client has left: how much of the answer is still read for its usage; `undefined` for nothing. */
  readOn(stream: ReplyStream): ReadOn | undefined;
  /** Whether the client can pay for more after these `bytes`, of which `text` may be text. */
  affords(bytes: number, text: number): boolean | Promise<boolean>;
  /**
   * What is sent after so many milliseconds without a byte to the client, so that proxies keep the connection open;
   * `undefined` for nothing.
   */
  ping?: { everyMs: number; bytes: Buffer };
  /** The stream consists of plain bytes rather than events, so none of it is a mere comment. */
  isBytes?: boolean;
}

export interface Delivered {
  end: StreamEnd;
  /** False when the client got nothing yet, so that another channel may still be tried. */
  started: boolean;
  failure?: unknown;
}

export const PROGRESS_MS = 200;
/**
 * How long an upstream may keep a reply open after its terminal event, in milliseconds. Most end it at once; then their
 * connection is reused.
 */
const CLOSE_MS = 5000;
/** Larger than any event may be; an upstream that sends this much without a complete event is broken. */
const MAX_SILENT_BYTES = 16 * 1024 * 1024;

const tooLarge = (cause: SseOverflow): UpstreamFailure => new UpstreamFailure('too-large', { cause });

const frameBytesOf = ({ frameBytes = 0 }: ReplyStream): number => frameBytes;

type Upstream = Pick<UpstreamResponse, 'pipe' | 'pause' | 'resume' | 'abort'>;

/**
 * Carries a stream from an upstream to a client with back-pressure in both directions. It ends without having sent the
 * terminal event, because the caller records the outcome first. When the client leaves, the upstream is aborted at
 * once, or read on for a while.
 */
export class StreamDelivery {
  private readonly backlog: Buffer[] = [];
  private settled = false;
  /** Bytes received from the upstream. */
  received = 0;
  /** Bytes received since the last frame for the client. */
  private silentBytes = 0;
  private isBeginning = false;
  /** Set after the client left: up to which byte, and until when, the upstream is still read. */
  private alone: { until: number; timer: NodeJS.Timeout } | undefined;
  /** The client's buffer is full; `giveUpOnIdle` disconnects a client that never takes more. */
  private isStalled = false;
  private closing: NodeJS.Timeout | undefined;
  private chain: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = 0;
  /** Pending calls of `affords`, which may wait for billing. */
  private questions = 0;
  /** Whether something was received that the last progress record does not include. */
  private hasUnrecorded = false;
  private resolve: (delivered: Delivered) => void = nothing;
  private reject: (error: unknown) => void = nothing;

  constructor(
    private readonly upstream: Upstream,
    private readonly stream: ReplyStream,
    private readonly response: ServerResponse,
    private readonly hooks: DeliveryHooks,
  ) {}

  /** Rejects when the client got nothing yet and the failure is our own: the record could not be written, or a bug. */
  run(): Promise<Delivered> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.response.once('close', () => {
        if (!this.response.writableEnded) this.leave();
      });
      this.upstream.pipe({
        data: (chunk) => this.receive(chunk),
        end: () => this.then(() => this.ended()),
        error: (failure) => this.then(() => this.cut(failure)),
      });
      if (this.response.destroyed) this.leave();
    });
  }

  /** Stops reading an answer whose client has left, because the process stops. */
  stopReading(): void {
    if (this.alone) this.finish({ end: 'client_abort', started: this.hasHead });
  }

  /** Reads on for the usage only, as far as the hooks allow. */
  private leave(): void {
    if (this.settled || this.alone) return;
    const bound = this.hooks.readOn(this.stream);
    if (!bound || this.stream.isDone) return this.finish({ end: 'client_abort', started: this.hasHead });
    const timer = setTimeout(() => this.stopReading(), bound.ms);
    this.alone = { until: this.received + bound.bytes, timer };
    this.isStalled = false;
    // The record is written first in any case, because the process may die before the end.
    if (this.hasHead) this.resume();
    else this.startBeginning();
  }

  /** A parser's size limit ends the stream; any other error is a bug. */
  private receive(chunk: Buffer): void {
    try {
      this.take(chunk);
    } catch (error) {
      if (error instanceof SseOverflow) this.then(() => this.cut(tooLarge(error)));
      else this.fail(error);
    }
  }

  /** Runs `work` after everything queued before; a failure ends the delivery, so the chain never rejects. */
  private then(work: () => Promise<void> | void): void {
    this.chain = this.chain
      .then(() => (this.settled ? undefined : work()))
      .catch((error: unknown) => (error instanceof SseOverflow ? this.cut(tooLarge(error)) : this.fail(error)));
  }

  private take(chunk: Buffer): void {
    if (this.settled) return;
    this.hasUnrecorded = true;
    this.received += chunk.length;
    const framed = frameBytesOf(this.stream);
    const frames = this.stream.push(chunk);
    const text = chunk.length - (frameBytesOf(this.stream) - framed);
    this.silentBytes = frames ? 0 : this.silentBytes + chunk.length;
    if (this.silentBytes > MAX_SILENT_BYTES) throw new SseOverflow(MAX_SILENT_BYTES);
    if (frames && !this.alone) this.send(frames);
    if (this.stream.fault) this.then(() => this.cut());
    if (this.stream.isDone) this.closing ??= setTimeout(() => this.then(() => this.endForUpstream()), CLOSE_MS);
    if (this.alone && (this.stream.isDone || this.received > this.alone.until)) this.then(() => this.cut());
    this.charge(this.hooks.affords(chunk.length, text));
  }

  /** Pauses the upstream until billing has replied. */
  private charge(affords: boolean | Promise<boolean>): void {
    if (affords === true) return;
    this.questions += 1;
    this.upstream.pause();
    this.then(async () => {
      const mayGoOn = await affords;
      this.questions -= 1;
      // A complete answer is read to its end even so, because its usage follows.
      if (!mayGoOn && !this.stream.isComplete) return this.exhaust();
      this.resume();
    });
  }

  private send(frames: Buffer): void {
    if (this.hasHead) return this.write(frames);
    // A comment is no part of an answer: as long as nothing else comes, another channel may still be tried.
    if (!this.isBeginning && !this.hooks.isBytes && isFiller(frames)) return;
    // Frames that arrive while the first record is being written are kept until then.
    this.backlog.push(frames);
    this.startBeginning();
  }

  private startBeginning(): void {
    if (this.isBeginning) return;
    this.isBeginning = true;
    this.upstream.pause();
    this.then(() => this.begin());
  }

  private async begin(): Promise<void> {
    // `hasUnrecorded` stays set, because the first record is written before anything could be counted.
    await this.hooks.beforeFirst(this.stream);
    if (this.settled) return;
    if (!this.alone) this.hooks.head(this.response);
    this.timer = setInterval(() => this.watch(), PROGRESS_MS);
    for (const frames of this.backlog) this.write(frames);
    // Last, because resuming may deliver the next chunk synchronously.
    this.resume();
  }

  /** Resumes the upstream unless the client or billing still has to be waited for. */
  private resume(): void {
    if (!this.settled && !this.isStalled && this.questions === 0) this.upstream.resume();
  }

  /** Writes progress records, and pings once the head was sent; before that `OpeningPings` sends them. */
  private watch(): void {
    if (this.hasUnrecorded) this.hooks.progress(this.stream);
    this.hasUnrecorded = false;
    const { ping } = this.hooks;
    if (ping && !this.isStalled && performance.now() - this.writtenAt >= ping.everyMs) this.write(ping.bytes);
  }

  private write(frames: Buffer): void {
    if (this.settled || this.response.destroyed) return;
    if (this.hooks.ping) this.writtenAt = performance.now();
    if (writePiece(this.response, frames) || this.isStalled) return;
    this.upstream.pause();
    this.isStalled = true;
    this.response.once('drain', () => {
      this.isStalled = false;
      this.resume();
    });
  }

  private ended(): void {
    const rest = this.stream.close();
    if (rest && !this.alone) this.send(rest);
    this.then(() => this.cut());
  }

  /**
   * Handles the end of the upstream's bytes. The dialect's terminal event decides whether the answer is complete or was
   * cut.
   */
  private cut(failure?: unknown): void {
    if (this.alone) return this.finish({ end: 'client_abort', started: this.hasHead });
    const end = this.stream.isComplete && !this.stream.fault ? 'completed' : 'upstream_cut';
    this.finish({ end, started: this.hasHead, ...(failure !== undefined && { failure }) });
  }

  /** The answer is complete, so the upstream, which keeps the reply open, is not waited for. */
  private endForUpstream(): void {
    this.cut();
    this.upstream.abort();
  }

  private exhaust(): void {
    this.finish({ end: this.alone ? 'client_abort' : 'quota_exhausted', started: this.hasHead });
  }

  private fail(error: unknown): void {
    if (this.hasHead) return this.finish({ end: 'upstream_cut', started: true, failure: error });
    if (!this.end()) return;
    this.upstream.abort();
    this.reject(error);
  }

  private finish(delivered: Delivered): void {
    if (!this.end()) return;
    if (delivered.end !== 'completed') this.upstream.abort();
    this.resolve(delivered);
  }

  private get hasHead(): boolean {
    return this.timer !== undefined;
  }

  private end(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearInterval(this.timer);
    clearTimeout(this.alone?.timer);
    clearTimeout(this.closing);
    return true;
  }
}
