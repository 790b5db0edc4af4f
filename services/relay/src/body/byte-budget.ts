import { nothing } from '../call/nothing.js';

/** Most bytes of request bodies, and of the objects made from them, that may be in memory at a time. */
interface ByteLimits {
  process: number;
  user: number;
  address: number;
}

export type ByteBound = keyof ByteLimits;

/** The bytes that one request has in memory. */
export class ByteClaim {
  private bytes = 0;
  private isReleased = false;
  private notifyReleased = nothing;

  constructor(
    private readonly budget: ByteBudget,
    readonly userId: number,
    readonly address: string,
  ) {}

  /**
   * Counts bytes before they are allocated. Returns the bound that has no room for them, and then counts nothing. After
   * the request has ended nothing is counted either, because it would never be given back.
   */
  take(bytes: number): ByteBound | undefined {
    if (this.isReleased) return undefined;
    const full = this.budget.add(this, bytes);
    if (full === undefined) this.bytes += bytes;
    return full;
  }

  /** Gives back bytes that were freed. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.bytes);
    this.bytes -= given;
    this.budget.remove(this, given);
  }

  /** Gives back all bytes at the end of the request; further calls have no effect. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.give(this.bytes);
    this.notifyReleased();
  }

  /** Calls `callback` when the request ends, so that a reader of its body can stop; at once when it has ended already. */
  onRelease(callback: () => void): void {
    if (this.isReleased) callback();
    else this.notifyReleased = callback;
  }
}

/**
 * Counts the bytes in memory for the process, each user and each client address. There is no queue: a request that
 * finds no room is refused and may be repeated.
 */
export class ByteBudget {
  private total = 0;
  private readonly users = new Map<number, number>();
  private readonly addresses = new Map<string, number>();

  constructor(private readonly limits: ByteLimits) {}

  get inFlight(): number {
    return this.total;
  }

  claim(userId: number, address: string): ByteClaim {
    return new ByteClaim(this, userId, address);
  }

  /** @internal Called by `ByteClaim`. */
  add({ userId, address }: ByteClaim, bytes: number): ByteBound | undefined {
    if (this.total + bytes > this.limits.process) return 'process';
    if ((this.users.get(userId) ?? 0) + bytes > this.limits.user) return 'user';
    if ((this.addresses.get(address) ?? 0) + bytes > this.limits.address) return 'address';
    this.total += bytes;
    shift(this.users, userId, bytes);
    shift(this.addresses, address, bytes);
    return undefined;
  }

  /** @internal Called by `ByteClaim`. */
  remove({ userId, address }: ByteClaim, bytes: number): void {
    this.total -= bytes;
    shift(this.users, userId, -bytes);
    shift(this.addresses, address, -bytes);
  }
}

/** Adds to a count; an entry that drops to zero is deleted. */
function shift<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
