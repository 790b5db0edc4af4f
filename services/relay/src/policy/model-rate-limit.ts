import { Injectable } from '@nestjs/common';
import { admitLeniently, KeyValue, OptionStore } from '@tollgate/chassis';
import { Refusal } from '../call/refusal.js';

const MINUTE_MS = 60_000;

/** Serves one call, and says when it has succeeded. */
type Work = (succeeded: () => void) => Promise<void>;

/**
 * Limits the requests of each user in a sliding window, all requests and the successful ones separately; active only if
 * the option is on. When the counting store cannot be reached, all requests are admitted.
 */
@Injectable()
export class ModelRateLimit {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly options: OptionStore,
  ) {}

  /** Runs `work`, or throws 429 when a limit is reached. Needs no store while the limit is off. */
  counted(userId: number, group: string, work: Work): Promise<void> {
    const minutes = this.options.get('ModelRequestRateLimitDurationMinutes');
    const isOn = this.options.get('ModelRequestRateLimitEnabled') && minutes > 0;
    return isOn ? this.countedIn(minutes, userId, group, work) : work(() => undefined);
  }

  /**
   * A call takes its place among the successful ones before it is served, and gives it back if it did not succeed: of
   * calls that are counted at their end, any number made at once would pass. A process that dies gives nothing back,
   * and the place is free when it leaves the window.
   */
  private async countedIn(minutes: number, userId: number, group: string, work: Work): Promise<void> {
    const [total, limit] = this.limitsOf(group);
    const key = `rateLimit:MRRLS:${userId}`;
    const window = { key, limit, windowMs: minutes * MINUTE_MS, returnsPlace: true };
    const { admitted, place, retryAfterMs } = await admitLeniently(this.keyValue, window);
    if (!admitted) throw refusal(`您已达到请求数限制：${minutes}分钟内最多请求${limit}次`, retryAfterMs);
    let isSuccess = false;
    try {
      if (total > 0) await this.countAll(userId, total, minutes);
      await work(() => (isSuccess = true));
    } finally {
      if (!isSuccess && place !== undefined) void this.keyValue.giveBack(key, place).catch(() => undefined);
    }
  }

  private async countAll(userId: number, limit: number, minutes: number): Promise<void> {
    const window = { key: `rateLimit:MRRL:${userId}`, limit, windowMs: minutes * MINUTE_MS };
    const { admitted, retryAfterMs } = await admitLeniently(this.keyValue, window);
    if (admitted) return;
    const message = `您已达到总请求数限制：${minutes}分钟内最多请求${limit}次，包括失败次数，请检查您的请求是否正确`;
    throw refusal(message, retryAfterMs);
  }

  /** The group's own limits, otherwise the common ones. */
  private limitsOf(group: string): readonly [number, number] {
    const own = this.options.get('ModelRequestRateLimitGroup')[group];
    return (
      own ?? [this.options.get('ModelRequestRateLimitCount'), this.options.get('ModelRequestRateLimitSuccessCount')]
    );
  }
}

const refusal = (message: string, retryAfterMs: number): Refusal =>
  new Refusal(429, message, 'rate_limit_exceeded', { retryAfter: Math.max(1, retryAfterMs / 1000) });
