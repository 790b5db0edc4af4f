import type { ServerResponse } from 'node:http';
import { isFiller, type ReplyStream, SseOverflow } from '@tollgate/providers';
import { nothing } from '../call/nothing.js';
import { writePiece } from '../call/pieces.js';
import type { ReadOn } from '../upstream/departure.js';
import type { UpstreamResponse } from '../upstream/upstream.client.js';

export type StreamEnd = 'completed' | 'upstream_cut' | 'client_abort' | 'quota_exhausted';

export interface DeliveryHooks {
  /** Before the first byte: the record that survives our death must be on disk. A rejection ends the delivery with it. */
  beforeFirst(stream: ReplyStream): Promise<void>;
  /** Every 200 ms of a stream that grows. */
  progress(stream: ReplyStream): void;
  head(response: ServerResponse): void;
  /** The client left: how far the answer is read on for its usage; undefined: not at all. */
  readOn(stream: ReplyStream): ReadOn | undefined;
  /** Whether the client can pay for more after so many bytes, of which so many may be text. */
  affords(bytes: number, text: number): boolean | Promise<boolean>;
  /** A client that heard nothing for so long gets a comment, so that nothing on the way takes it for gone; undefined: never. */
  pingMs?: number;
  /** What comes is no events: none of it is a mere comment. */
  isBytes?: boolean;
}

export interface Delivered {
  end: StreamEnd;
  /** False: the client got nothing yet, so another channel may still be tried. */
  started: boolean;
  failure?: unknown;
}

export const PROGRESS_MS = 200;
/** How long an upstream may keep a reply open after its terminal event. Most end it at once, and their connection is kept. */
const CLOSE_MS = 5000;
/** More than any event may have; an upstream that says nothing for so long is broken. */
const MAX_SILENT_BYTES = 16 * 1024 * 1024;
/** A comment of server-sent events, which clients skip. */
const PING = Buffer.from(': PING\n\n');

const frameBytesOf = ({ frameBytes = 0 }: ReplyStream): number => frameBytes;

type Upstream = Pick<UpstreamResponse, 'pipe' | 'pause' | 'resume' | 'abort'>;

/**
 * Carries a stream from an upstream to a client with back-pressure both ways. Ends without having sent the terminal event:
 * the caller records the outcome first. When the client leaves, the upstream is aborted at once, or read on for a while.
 */
export class StreamDelivery {
  private readonly backlog: Buffer[] = [];
  private settled = false;
  /** Bytes that came from the upstream. */
  received = 0;
  /** Bytes since there was something for the client. */
  private silentBytes = 0;
  private isBeginning = false;
  /** The client left, and so much is still read. */
  private alone: { until: number; timer: NodeJS.Timeout } | undefined;
  /** The client is full; whether it ever takes more, `giveUpOnIdle` watches. */
  private isStalled = false;
  private closing: NodeJS.Timeout | undefined;
  private chain: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = 0;
  /** To billing, whether the client can pay for more. */
  private questions = 0;
  /** Whether something came that the last record does not know. */
  private hasNews = false;
  private resolve: (delivered: Delivered) => void = nothing;
  private reject: (error: unknown) => void = nothing;

  constructor(
    private readonly upstream: Upstream,
    private readonly stream: ReplyStream,
    private readonly response: ServerResponse,
    private readonly hooks: DeliveryHooks,
  ) {}

  /** Rejects when the client has nothing yet and it is nobody's fault but ours: the record could not be written, or a bug. */
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

  /** Nobody waits for the rest, and nobody has time for it any more. */
  stopReading(): void {
    if (this.alone) this.finish({ end: 'client_abort', started: this.hasHead });
  }

  /** What still comes is read for its usage only, as far as the hooks allow. */
  private leave(): void {
    if (this.settled || this.alone) return;
    const bound = this.hooks.readOn(this.stream);
    if (!bound || this.stream.isDone) return this.finish({ end: 'client_abort', started: this.hasHead });
    const timer = setTimeout(() => this.stopReading(), bound.ms);
    this.alone = { until: this.received + bound.bytes, timer };
    this.isStalled = false;
    // The record comes first in any case: we may die before the end.
    if (this.hasHead) this.resume();
    else this.startBeginning();
  }

  /** A parser's limit ends the stream; anything else unexpected is a bug of ours. */
  private receive(chunk: Buffer): void {
    try {
      this.take(chunk);
    } catch (error) {
      if (error instanceof SseOverflow) this.then(() => this.cut(error));
      else this.fail(error);
    }
  }

  /** Behind everything that waits already; nothing of the chain is ever left unhandled. */
  private then(work: () => Promise<void> | void): void {
    this.chain = this.chain
      .then(() => (this.settled ? undefined : work()))
      .catch((error: unknown) => (error instanceof SseOverflow ? this.cut(error) : this.fail(error)));
  }

  private take(chunk: Buffer): void {
    if (this.settled) return;
    this.hasNews = true;
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

  /** While billing is asked, nothing more comes. */
  private charge(affords: boolean | Promise<boolean>): void {
    if (affords === true) return;
    this.questions += 1;
    this.upstream.pause();
    this.then(async () => {
      const mayGoOn = await affords;
      this.questions -= 1;
      // What has its end already is read on to its usage.
      if (!mayGoOn && !this.stream.isComplete) return this.exhaust();
      this.resume();
    });
  }

  private send(frames: Buffer): void {
    if (this.hasHead) return this.write(frames);
    // Nothing of an answer: as long as no more comes, another channel may still be tried.
    if (!this.isBeginning && !this.hooks.isBytes && isFiller(frames)) return;
    // While the first record is being written, later frames wait.
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
    // Stays news: the first record is written before anything could be counted.
    await this.hooks.beforeFirst(this.stream);
    if (this.settled) return;
    if (!this.alone) this.hooks.head(this.response);
    this.timer = setInterval(() => this.watch(), PROGRESS_MS);
    for (const frames of this.backlog) this.write(frames);
    // Last, because it may hand over the next chunk at once.
    this.resume();
  }

  /** Unless somebody still wants it to wait. */
  private resume(): void {
    if (!this.settled && !this.isStalled && this.questions === 0) this.upstream.resume();
  }

  /** Pings from the first byte on; before it `OpeningPings` does. */
  private watch(): void {
    if (this.hasNews) this.hooks.progress(this.stream);
    this.hasNews = false;
    const { pingMs } = this.hooks;
    if (pingMs !== undefined && !this.isStalled && performance.now() - this.writtenAt >= pingMs) this.write(PING);
  }

  private write(frames: Buffer): void {
    if (this.settled || this.response.destroyed) return;
    if (this.hooks.pingMs !== undefined) this.writtenAt = performance.now();
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

  /** Nothing more comes; whether that is an end or a cut, the dialect's terminal event tells. */
  private cut(failure?: unknown): void {
    if (this.alone) return this.finish({ end: 'client_abort', started: this.hasHead });
    const end = this.stream.isComplete && !this.stream.fault ? 'completed' : 'upstream_cut';
    this.finish({ end, started: this.hasHead, ...(failure !== undefined && { failure }) });
  }

  /** The answer is whole; what an upstream still says, or does not, keeps nobody waiting. */
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
