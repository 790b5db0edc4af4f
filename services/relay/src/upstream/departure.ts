import { type AbortPolicy, isAbortPolicy } from '@tollgate/contracts';
import type { ChannelSetting } from '@tollgate/providers';

/** How far an answer is read on that nobody waits for any more. */
export interface ReadOn {
  ms: number;
  bytes: number;
}

/** What comes between an answer's end and its usage is one event; slow upstreams need a moment for it. */
const TAIL: ReadOn = { ms: 5000, bytes: 1024 * 1024 };
const DRAIN: ReadOn = { ms: 120_000, bytes: 16 * 1024 * 1024 };
const MAX_DRAINS = 64;

export const abortPolicyOf = ({ abort_policy: policy }: ChannelSetting): AbortPolicy =>
  isAbortPolicy(policy) ? policy : 'stop';

/** The answers that this process reads on after their clients left: a bounded number, and none once the process ends. */
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

  /** False: the process ends, nothing is read on any more. */
  register(cut: () => void): boolean {
    if (!this.isOver) this.readers.add(cut);
    return !this.isOver;
  }

  unregister(cut: () => void): void {
    this.readers.delete(cut);
  }

  /** The process ends: what is still read on is cut, and booked as far as it came. */
  end(): void {
    this.isOver = true;
    for (const cut of [...this.readers]) cut();
  }
}

/** What becomes of one try's answer when its client leaves: whether it is read on, and for how long. */
export class Departure {
  private drains = false;
  private wasRefused = false;
  private bytesLeft = Infinity;
  /** On the clock that never jumps, once a drain has begun. */
  private drainedUntil: number | undefined;
  private readonly cuts = new Set<() => void>();

  constructor(
    private readonly wanted: AbortPolicy,
    private readonly all: Drains,
    private readonly now = (): number => performance.now(),
  ) {}

  /** What was done, which is `stop` where the channel wants its answers drained and no more could be. */
  get policy(): AbortPolicy {
    return this.wasRefused ? 'stop' : this.wanted;
  }

  /**
   * Undefined: the upstream is told to stop. An answer whose end was seen is always read on to its usage. `cut` ends the reading before its
   * time, should the process end. Whoever asks again, such as the stream after its head, gets what is left of the drain.
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

  /** Whether so many bytes more may be taken, of an answer that comes in one piece. */
  takes(bytes: number): boolean {
    this.bytesLeft -= bytes;
    return this.bytesLeft >= 0;
  }

  /** The try is over; call once. */
  end(): void {
    if (this.drains) this.all.leave();
    for (const cut of this.cuts) this.all.unregister(cut);
  }
}
