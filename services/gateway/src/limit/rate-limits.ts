import type { RateClass } from '@tollgate/contracts';

export interface RateLimit {
  /** Maximum of admitted requests in a sliding window. */
  limit: number;
  windowMs: number;
  /** `account` counts signed-in callers by user id and all others by address. */
  by: 'account' | 'address';
  /**
   * For calls that protect a secret: they are refused when the counter cannot be reached, while other calls are then
   * admitted.
   */
  isStrict: boolean;
}

const TWENTY_MINUTES = 20 * 60_000;
const sensitive: RateLimit = { limit: 20, windowMs: TWENTY_MINUTES, by: 'address', isStrict: true };

/** Limits by address and account; each rate class is counted separately. Relay calls are limited per model instead. */
export const rateLimits: Record<RateClass, RateLimit | undefined> = {
  api: { limit: 180, windowMs: 180_000, by: 'account', isStrict: false },
  // All callbacks of a payment provider come from a few addresses.
  callback: { limit: 1200, windowMs: 60_000, by: 'address', isStrict: false },
  login: sensitive,
  register: sensitive,
  code: sensitive,
  oauth: sensitive,
  relay: undefined,
  none: undefined,
};
