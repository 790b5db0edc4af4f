import { randomUUID } from 'node:crypto';
import type { KeyValue } from '@tollgate/chassis';

const TTL_SECONDS = 30;
const RENEW_MS = 10_000;

/** The right to do something that one process at a time may do; it ends by itself when its holder dies. */
export class RunLock {
  private readonly timer: NodeJS.Timeout;
  private renewed = Promise.resolve();
  /** False once another holder took over after a lapse. */
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
    // One that comes after the end would hold for nobody.
    await this.renewed;
    await this.keyValue.deleteIf(this.key, this.holder);
    this.isHeld = false;
  }

  /** A failed renewal is tried again; a lapsed lock is taken back unless somebody else has it. */
  private async renew(): Promise<void> {
    try {
      if (await this.keyValue.extend(this.key, this.holder, TTL_SECONDS)) return;
      this.isHeld &&= await this.keyValue.setIfAbsent(this.key, this.holder, TTL_SECONDS);
    } catch {
      // Without an answer nobody else can take the lease either; the next round tells.
    }
  }
}
