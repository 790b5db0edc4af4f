import { Injectable } from '@nestjs/common';
import type { RateClass } from '@tollgate/contracts';
import { admitLeniently, AppError, Host, KeyValue, networkOf } from '@tollgate/chassis';
import { type RateLimit, rateLimitsOf } from './rate-limits.js';

@Injectable()
export class RateLimiter {
  private readonly limits: ReturnType<typeof rateLimitsOf>;

  constructor(
    private readonly keyValue: KeyValue,
    host: Host,
  ) {
    this.limits = rateLimitsOf(host.env);
  }

  /** Throws `rate-limited` with the number of seconds to wait. */
  async admit(rate: RateClass, address: string, userId: number | undefined): Promise<void> {
    const rule = this.limits[rate];
    if (!rule) return;
    const ofAddress = networkOf(address);
    if (rule.by === 'address' || userId === undefined) return this.count(`rate:${rate}:ip:${ofAddress}`, rule);
    await this.count(`rate:${rate}:user:${userId}`, rule);
    const { limitOfAccounts: limit } = rule;
    if (limit !== undefined) await this.count(`rate:${rate}:accounts:${ofAddress}`, { ...rule, limit });
  }

  private async count(key: string, { limit, windowMs, isStrict }: RateLimit): Promise<void> {
    const { admitted, retryAfterMs } = isStrict
      ? await this.keyValue.admit(key, limit, windowMs)
      : await admitLeniently(this.keyValue, { key, limit, windowMs });
    if (!admitted) {
      throw new AppError('rate-limited', 'too-many-requests', '请求次数过多，请稍后再试！', {
        retryAfter: retryAfterMs / 1000,
      });
    }
  }
}
