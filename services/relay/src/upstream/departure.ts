import { type AbortPolicy, isAbortPolicy } from '@tollgate/contracts';
import type { ChannelSetting } from '@tollgate/providers';

/** How long, and how far, an answer is still read after its client left. */
export interface ReadOn {
  ms: number;
  bytes: number;
}

/**
 * Limits for reading from the end of an answer to its usage, which is one event; slow upstreams take a moment for it.
 */
const TAIL: ReadOn = { ms: 5000, bytes: 1024 * 1024 };
const DRAIN: ReadOn = { ms: 120_000, bytes: 16 * 1024 * 1024 };
const MAX_DRAINS = 64;

export const abortPolicyOf = ({ abort_policy: policy }: ChannelSetting): AbortPolicy =>
  isAbortPolicy(policy) ? policy : 'stop';

/**
 * The answers that this process reads on after their clients left: a bounded number, and none once the process stops.
 */
export class Drains {
  private count = 0;
  private readonly readers = new Set<() => void>();
  private isOver = false;

  constructor(private readonly most = MAX_DRAINS) {}

  enter(): boolean {
    if (this.isOver || this.count >= this.most) return false;
    this.count += 1;
    return true;
  }

  leave(): void {
    this.count -= 1;
  }

  /**
   * Registers a reader with the function that stops it; false when the process is stopping, so nothing may be read on.
   */
  register(cut: () => void): boolean {
    if (!this.isOver) this.readers.add(cut);
    return !this.isOver;
  }

  unregister(cut: () => void): void {
    this.readers.delete(cut);
  }

  /** The process stops: ends all reading; the answers are booked as far as they were received. */
  end(): void {
    this.isOver = true;
    for (const cut of [...this.readers]) cut();
  }
}

/** Decides for one attempt whether its answer is read on when the client leaves, and for how long. */
export class Departure {
  private drains = false;
  private wasRefused = false;
  private bytesLeft = Infinity;
  /** Deadline in monotonic milliseconds, set once a drain has begun. */
  private drainedUntil: number | undefined;
  private readonly cuts = new Set<() => void>();

  constructor(
    private readonly wanted: AbortPolicy,
    private readonly all: Drains,
    private readonly now = (): number => performance.now(),
  ) {}

  /**
   * The policy that was applied: `stop` where the channel wants its answers drained but the limit of drains was
   * reached.
   */
  get policy(): AbortPolicy {
    return this.wasRefused ? 'stop' : this.wanted;
  }

  /**
   * How far to read on; `undefined` when the upstream is to be aborted. An answer whose end was seen is read on to
   * its usage, unless the process stops. `cut` is called to stop reading early when the process stops. A second call, such as that of the
   * stream after its head, gets what is left of the drain.
   */
  readOn(hasEnded: boolean, cut: () => void): ReadOn | undefined {
    if (this.wanted === 'drain' && !this.drains) {
      this.drains = this.all.enter();
      this.wasRefused = !this.drains;
    }
    const bound = this.drains ? DRAIN : hasEnded ? TAIL : undefined;
    if (!bound || !this.all.register(cut)) return undefined;
    this.cuts.add(cut);
    if (!this.drains || this.drainedUntil === undefined) this.bytesLeft = bound.bytes;
    if (!this.drains) return bound;
    this.drainedUntil ??= this.now() + bound.ms;
    return { ms: Math.max(0, this.drainedUntil - this.now()), bytes: Math.max(0, this.bytesLeft) };
  }

  /** Whether this many more bytes may be read, of an answer that comes in one piece. */
  takes(bytes: number): boolean {
    this.bytesLeft -= bytes;
    return this.bytesLeft >= 0;
  }

  /** Ends the attempt; call once. */
  end(): void {
    if (this.drains) this.all.leave();
    for (const cut of this.cuts) this.all.unregister(cut);
  }
}
