import { randomUUID } from 'node:crypto';
import type { KeyValue } from '@tollgate/chassis';

const TTL_SECONDS = 30;
const RENEW_MS = 10_000;

/** A lock for work that only one process may do at a time; it expires when its holder dies. */
export class RunLock {
  private readonly timer: NodeJS.Timeout;
  private renewed = Promise.resolve();
  /** False once the lock has expired and another process has taken it. */
  isHeld = true;

  private constructor(
    private readonly keyValue: KeyValue,
    private readonly key: string,
    private readonly holder: string,
  ) {
    this.timer = setInterval(() => void (this.renewed = this.renew()), RENEW_MS);
    this.timer.unref();
  }

  static async take(keyValue: KeyValue, key: string): Promise<RunLock | undefined> {
    const holder = randomUUID();
    return (await keyValue.setIfAbsent(key, holder, TTL_SECONDS)) ? new RunLock(keyValue, key, holder) : undefined;
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    // A renewal that arrives after the release would take the lock for nobody.
    await this.renewed;
    await this.keyValue.deleteIf(this.key, this.holder);
    this.isHeld = false;
  }

  /** A failed renewal is retried; an expired lock is taken again unless another process has it. */
  private async renew(): Promise<void> {
    try {
      if (await this.keyValue.extend(this.key, this.holder, TTL_SECONDS)) return;
      this.isHeld &&= await this.keyValue.setIfAbsent(this.key, this.holder, TTL_SECONDS);
    } catch {
      // While the store is unreachable, no other process can take the lock either; the next renewal finds out.
    }
  }
}
