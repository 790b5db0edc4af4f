import type { ServerResponse } from 'node:http';
import { type ReplyStream, SseOverflow } from '@tollgate/providers';
import type { UpstreamFailure, UpstreamResponse } from './upstream.client.js';

export type StreamEnd = 'completed' | 'upstream_cut' | 'client_abort';

export interface DeliveryHooks {
  /** Before the first byte: the record that survives our death must be on disk. */
  beforeFirst(stream: ReplyStream): Promise<void>;
  /** Every 200 ms of a live stream. */
  progress(stream: ReplyStream): void;
  head(response: ServerResponse): void;
}

export interface Delivered {
  end: StreamEnd;
  /** False: the client got nothing yet, so another channel may still be tried. */
  started: boolean;
  failure?: UpstreamFailure | SseOverflow;
}

export const PROGRESS_MS = 200;

/**
 * Carries a stream from an upstream to a client with back-pressure both ways. Ends without having sent the terminal event:
 * the caller records the outcome first. A client that leaves aborts the upstream at once.
 */
export class StreamDelivery {
  private started = false;
  private settled = false;
  private chain: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private resolve: (delivered: Delivered) => void = () => undefined;

  constructor(
    private readonly upstream: UpstreamResponse,
    private readonly stream: ReplyStream,
    private readonly response: ServerResponse,
    private readonly hooks: DeliveryHooks,
  ) {}

  run(): Promise<Delivered> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      const onClose = (): void => {
        if (!this.response.writableEnded) this.finish({ end: 'client_abort', started: this.started });
      };
      if (this.response.destroyed) return onClose();
      this.response.once('close', onClose);
      this.upstream.pipe({
        data: (chunk) => this.guard(reject, () => this.take(chunk)),
        end: () => this.then(reject, () => this.ended()),
        error: (failure) => this.then(reject, () => this.cut(failure)),
      });
    });
  }

  /** A parser's limit ends the stream; anything else unexpected is a bug of ours. */
  private guard(reject: (error: unknown) => void, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof SseOverflow) this.cut(error);
      else reject(error);
    }
  }

  private then(reject: (error: unknown) => void, work: () => void): void {
    this.chain = this.chain.then(() => this.guard(reject, work)).catch(reject);
  }

  private take(chunk: Buffer): void {
    if (this.settled) return;
    const frames = this.stream.push(chunk);
    if (frames) this.send(frames);
    if (this.stream.fault) this.cut();
  }

  private send(frames: Buffer): void {
    if (this.started) {
      // While the first record is being written, later frames wait behind it.
      if (this.timer === undefined) this.chain = this.chain.then(() => this.write(frames));
      else this.write(frames);
      return;
    }
    this.started = true;
    this.upstream.pause();
    this.chain = this.chain
      .then(() => this.hooks.beforeFirst(this.stream))
      .then(() => {
        if (this.settled) return;
        this.hooks.head(this.response);
        this.timer = setInterval(() => this.hooks.progress(this.stream), PROGRESS_MS);
        this.write(frames);
        this.upstream.resume();
      });
    this.chain.catch((error: unknown) => this.fail(error));
  }

  private write(frames: Buffer): void {
    if (this.settled || this.response.destroyed) return;
    if (this.response.write(frames)) return;
    this.upstream.pause();
    this.response.once('drain', () => this.upstream.resume());
  }

  private ended(): void {
    const rest = this.stream.close();
    if (rest && !this.started) {
      this.send(rest);
      this.chain = this.chain.then(() => this.conclude());
      return;
    }
    if (rest) this.write(rest);
    this.conclude();
  }

  private conclude(): void {
    this.finish({
      end: this.stream.isComplete && !this.stream.fault ? 'completed' : 'upstream_cut',
      started: this.started,
    });
  }

  private cut(failure?: UpstreamFailure | SseOverflow): void {
    const end = this.stream.isComplete && !this.stream.fault ? 'completed' : 'upstream_cut';
    this.finish({ end, started: this.started, ...(failure && { failure }) });
  }

  private fail(error: unknown): void {
    this.upstream.abort();
    this.finish({ end: 'upstream_cut', started: false, failure: error as UpstreamFailure });
  }

  private finish(delivered: Delivered): void {
    if (this.settled) return;
    this.settled = true;
    clearInterval(this.timer);
    if (delivered.end !== 'completed') this.upstream.abort();
    this.resolve(delivered);
  }
}
