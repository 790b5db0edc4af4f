import { nothing } from '../call/nothing.js';

/** Most bytes of request bodies, with what is made of them, that may be in memory at a time. */
export interface ByteLimits {
  process: number;
  user: number;
  address: number;
}

export type ByteBound = keyof ByteLimits;

/** What one request has in memory. */
export class ByteClaim {
  private bytes = 0;
  private isReleased = false;
  private tell = nothing;

  constructor(
    private readonly budget: ByteBudget,
    readonly userId: number,
    readonly address: string,
  ) {}

  /**
   * Before the bytes are allocated. Answers the bound that has no room for them, and then counts nothing. Nor does it once the request is over:
   * nobody would give them back.
   */
  take(bytes: number): ByteBound | undefined {
    if (this.isReleased) return undefined;
    const full = this.budget.add(this, bytes);
    if (full === undefined) this.bytes += bytes;
    return full;
  }

  /** Gives back bytes that were let go. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.bytes);
    this.bytes -= given;
    this.budget.remove(this, given);
  }

  /** Gives everything back at the end of the request; further calls change nothing. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.give(this.bytes);
    this.tell();
  }

  /** Calls `tell` when the request ends, for whoever still reads its body then; at once when it is over already. */
  onRelease(tell: () => void): void {
    if (this.isReleased) tell();
    else this.tell = tell;
  }
}

/** Bytes in flight of the process, of each user and of each client address. Nobody waits for room: who finds none is told to come again. */
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

  /** @internal The claim's side. */
  add({ userId, address }: ByteClaim, bytes: number): ByteBound | undefined {
    if (this.total + bytes > this.limits.process) return 'process';
    if ((this.users.get(userId) ?? 0) + bytes > this.limits.user) return 'user';
    if ((this.addresses.get(address) ?? 0) + bytes > this.limits.address) return 'address';
    this.total += bytes;
    shift(this.users, userId, bytes);
    shift(this.addresses, address, bytes);
    return undefined;
  }

  /** @internal The claim's side. */
  remove({ userId, address }: ByteClaim, bytes: number): void {
    this.total -= bytes;
    shift(this.users, userId, -bytes);
    shift(this.addresses, address, -bytes);
  }
}

/** Who has nothing in flight is forgotten. */
function shift<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
