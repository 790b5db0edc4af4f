import { Injectable } from '@nestjs/common';
import type { RateClass } from '@tollgate/contracts';
import { admitLeniently, AppError, Host, KeyValue } from '@tollgate/chassis';
import ipaddr from 'ipaddr.js';
import { type RateLimit, rateLimitsOf } from './rate-limits.js';

/** A subscriber usually has a whole /64, so a limit per IPv6 address would be easy to evade. */
function addressBucket(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

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
    const ofAddress = addressBucket(address);
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
