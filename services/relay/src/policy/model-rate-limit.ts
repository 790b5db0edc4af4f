import { Injectable } from '@nestjs/common';
import { admitLeniently, KeyValue, OptionStore } from '@tollgate/chassis';
import { Refusal } from '../call/refusal.js';

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

  /** Throws 429. Returns the function to call when the request succeeded. Needs no store while the limit is off. */
  admit(userId: number, group: string): Promise<() => void> | (() => void) {
    if (!this.options.get('ModelRequestRateLimitEnabled')) return countsNothing;
    const minutes = this.options.get('ModelRequestRateLimitDurationMinutes');
    return minutes === 0 ? countsNothing : this.count(userId, group, minutes);
  }

  private async count(userId: number, group: string, minutes: number): Promise<() => void> {
    const [total, success] = this.limitsOf(group);
    const windowMs = minutes * 60_000;
    const successKey = `rateLimit:MRRLS:${userId}`;
    const { admitted: free, retryAfterMs: wait } = await admitLeniently(this.keyValue, {
      key: successKey,
      limit: success,
      windowMs,
      weight: 0,
    });
    if (!free) throw refusal(`您已达到请求数限制：${minutes}分钟内最多请求${success}次`, wait);
    if (total > 0) {
      const { admitted, retryAfterMs } = await admitLeniently(this.keyValue, {
        key: `rateLimit:MRRL:${userId}`,
        limit: total,
        windowMs,
      });
      if (!admitted)
        throw refusal(
          `您已达到总请求数限制：${minutes}分钟内最多请求${total}次，包括失败次数，请检查您的请求是否正确`,
          retryAfterMs,
        );
    }
    return () => void this.keyValue.admit(successKey, success, windowMs).catch(() => undefined);
  }

  /** The group's own limits, otherwise the common ones. */
  private limitsOf(group: string): readonly [number, number] {
    const own = this.options.get('ModelRequestRateLimitGroup')[group];
    return (
      own ?? [this.options.get('ModelRequestRateLimitCount'), this.options.get('ModelRequestRateLimitSuccessCount')]
    );
  }
}

const countsNothing = (): void => undefined;

const refusal = (message: string, retryAfterMs: number): Refusal =>
  new Refusal(429, message, 'rate_limit_exceeded', { retryAfter: Math.max(1, retryAfterMs / 1000) });
