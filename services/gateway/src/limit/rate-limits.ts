import type { Env } from '@tollgate/chassis';
import type { RateClass } from '@tollgate/contracts';

export interface RateLimit {
  /** Maximum of admitted requests in a sliding window. */
  limit: number;
  windowMs: number;
  /** `account` counts signed-in callers by user id and all others by address. */
  by: 'account' | 'address';
  /** Maximum of all signed-in callers of an address together, where each is counted by account. */
  limitOfAccounts?: number;
  /**
   * For calls that protect a secret: they are refused when the counter cannot be reached, while other calls are then
   * admitted.
   */
  isStrict: boolean;
}

const TWENTY_MINUTES = 20 * 60_000;
const sensitive: RateLimit = { limit: 20, windowMs: TWENTY_MINUTES, by: 'address', isStrict: true };
/**
 * Strangers at the address of a signed-in user use up nothing of theirs. Whoever has many accounts still cannot guess
 * or send mails without end.
 */
const sensitiveByAccount: RateLimit = { ...sensitive, by: 'account', limitOfAccounts: 200 };

const fixed = {
  // All callbacks of a payment provider come from a few addresses.
  callback: { limit: 1200, windowMs: 60_000, by: 'address', isStrict: false },
  // A page may show a hundred pictures, and an office has one address.
  picture: { limit: 1200, windowMs: 60_000, by: 'address', isStrict: false },
  login: sensitive,
  register: sensitive,
  code: sensitiveByAccount,
  oauth: sensitiveByAccount,
} satisfies Partial<Record<RateClass, RateLimit>>;

export type RateLimitEnv = Pick<
  Env,
  'TOLLGATE_RATE_LIMITS' | 'GLOBAL_API_RATE_LIMIT_ENABLE' | 'GLOBAL_API_RATE_LIMIT' | 'GLOBAL_API_RATE_LIMIT_DURATION'
>;

function apiLimit(env: RateLimitEnv): RateLimit | undefined {
  if (!env.GLOBAL_API_RATE_LIMIT_ENABLE) return undefined;
  const windowMs = env.GLOBAL_API_RATE_LIMIT_DURATION * 1000;
  return { limit: env.GLOBAL_API_RATE_LIMIT, windowMs, by: 'account', isStrict: false };
}

/** Limits by address and account; each rate class is counted separately. Relay calls are limited per model instead. */
export const rateLimitsOf = (env: RateLimitEnv): Partial<Record<RateClass, RateLimit | undefined>> =>
  env.TOLLGATE_RATE_LIMITS === 'off' ? {} : { ...fixed, api: apiLimit(env) };
