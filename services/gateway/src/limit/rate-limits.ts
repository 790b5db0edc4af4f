import type { RateClass } from '@tollgate/contracts';

export interface RateLimit {
  /** Admissions in any window of this length. */
  limit: number;
  windowMs: number;
  /** `account` counts a signed-in caller by its id and everybody else by address. */
  by: 'account' | 'address';
  /** Stands between a stranger and a secret: refuses while nobody can count, where others then admit. */
  isStrict: boolean;
}

const TWENTY_MINUTES = 20 * 60_000;
const sensitive: RateLimit = { limit: 20, windowMs: TWENTY_MINUTES, by: 'address', isStrict: true };

/** The one table of limits by address and account. Each flow has a bucket of its own. Relay calls have the model rate limit instead. */
export const rateLimits: Record<RateClass, RateLimit | undefined> = {
  api: { limit: 180, windowMs: 180_000, by: 'account', isStrict: false },
  // All notices of a payment provider come from a few addresses.
  callback: { limit: 1200, windowMs: 60_000, by: 'address', isStrict: false },
  login: sensitive,
  register: sensitive,
  code: sensitive,
  oauth: sensitive,
  relay: undefined,
  none: undefined,
};
