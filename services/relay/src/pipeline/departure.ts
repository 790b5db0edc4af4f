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

/** How many answers without a client one process reads on at once; the others are stopped. */
export class Drains {
  private count = 0;

  constructor(private readonly most = MAX_DRAINS) {}

  enter(): boolean {
    if (this.count >= this.most) return false;
    this.count += 1;
    return true;
  }

  leave(): void {
    this.count -= 1;
  }
}

/** One try's client, should it leave: whether the answer is read on, and for how long. */
export class Departure {
  private drains = false;

  constructor(
    readonly policy: AbortPolicy,
    private readonly all: Drains,
  ) {}

  /** Undefined: the upstream is told to stop. An answer whose end was seen is always read on to its usage. */
  readOn(hasEnded: boolean): ReadOn | undefined {
    if (this.policy === 'drain') this.drains ||= this.all.enter();
    if (this.drains) return DRAIN;
    return hasEnded ? TAIL : undefined;
  }

  /** The try is over; call once. */
  end(): void {
    if (this.drains) this.all.leave();
  }
}
