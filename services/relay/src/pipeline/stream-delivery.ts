import type { ServerResponse } from 'node:http';
import { type ReplyStream, SseOverflow } from '@tollgate/providers';
import type { UpstreamResponse } from './upstream.client.js';

export type StreamEnd = 'completed' | 'upstream_cut' | 'client_abort';

export interface DeliveryHooks {
  /** Before the first byte: the record that survives our death must be on disk. A rejection ends the delivery with it. */
  beforeFirst(stream: ReplyStream): Promise<void>;
  /** Every 200 ms of a stream that grows. */
  progress(stream: ReplyStream): void;
  head(response: ServerResponse): void;
  /** A client that heard nothing for so long gets a comment, so that nothing on the way takes it for gone; undefined: never. */
  pingMs?: number;
}

export interface Delivered {
  end: StreamEnd;
  /** False: the client got nothing yet, so another channel may still be tried. */
  started: boolean;
  failure?: unknown;
}

export const PROGRESS_MS = 200;
/** A client that takes nothing for so long is taken for gone. */
const STALL_MS = 300_000;
/** A comment of server-sent events, which clients skip. */
const PING = Buffer.from(': PING\n\n');

type Upstream = Pick<UpstreamResponse, 'pipe' | 'pause' | 'resume' | 'abort'>;

/**
 * Carries a stream from an upstream to a client with back-pressure both ways. Ends without having sent the terminal event:
 * the caller records the outcome first. A client that leaves aborts the upstream at once.
 */
export class StreamDelivery {
  private readonly backlog: Buffer[] = [];
  private settled = false;
  private stalled: NodeJS.Timeout | undefined;
  private chain: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = 0;
  /** Whether something came that the last record does not know. */
  private hasNews = false;
  private resolve: (delivered: Delivered) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;

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
      const onClose = (): void => {
        if (!this.response.writableEnded) this.finish({ end: 'client_abort', started: this.hasHead });
      };
      if (this.response.destroyed) return onClose();
      this.response.once('close', onClose);
      this.upstream.pipe({
        data: (chunk) => this.guard(() => this.take(chunk)),
        end: () => this.then(() => this.ended()),
        error: (failure) => this.then(() => this.cut(failure)),
      });
    });
  }

  /** A parser's limit ends the stream; anything else unexpected is a bug of ours. */
  private guard(work: () => void): void {
    try {
      work();
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
    const frames = this.stream.push(chunk);
    if (frames) this.send(frames);
    if (this.stream.fault) this.then(() => this.cut());
  }

  private send(frames: Buffer): void {
    if (this.hasHead) return this.write(frames);
    // While the first record is being written, later frames wait.
    this.backlog.push(frames);
    if (this.backlog.length > 1) return;
    this.upstream.pause();
    this.then(() => this.begin());
  }

  private async begin(): Promise<void> {
    this.hasNews = false;
    await this.hooks.beforeFirst(this.stream);
    if (this.settled) return;
    this.hooks.head(this.response);
    this.timer = setInterval(() => this.watch(), PROGRESS_MS);
    for (const frames of this.backlog) this.write(frames);
    // Last, because it may hand over the next chunk at once.
    if (!this.stalled) this.upstream.resume();
  }

  /** Pings only once the reply has begun: before that another channel may still be tried. */
  private watch(): void {
    if (this.hasNews) this.hooks.progress(this.stream);
    this.hasNews = false;
    const { pingMs } = this.hooks;
    if (pingMs !== undefined && !this.stalled && performance.now() - this.writtenAt >= pingMs) this.write(PING);
  }

  private write(frames: Buffer): void {
    if (this.settled || this.response.destroyed) return;
    this.writtenAt = performance.now();
    if (this.response.write(frames) || this.stalled) return;
    this.upstream.pause();
    this.stalled = setTimeout(() => this.response.destroy(), STALL_MS);
    this.response.once('drain', () => {
      clearTimeout(this.stalled);
      this.stalled = undefined;
      if (!this.settled) this.upstream.resume();
    });
  }

  private ended(): void {
    const rest = this.stream.close();
    if (rest) this.send(rest);
    this.then(() => this.cut());
  }

  /** Nothing more comes; whether that is an end or a cut, the dialect's terminal event tells. */
  private cut(failure?: unknown): void {
    const end = this.stream.isComplete && !this.stream.fault ? 'completed' : 'upstream_cut';
    this.finish({ end, started: this.hasHead, ...(failure !== undefined && { failure }) });
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
    clearTimeout(this.stalled);
    return true;
  }
}
