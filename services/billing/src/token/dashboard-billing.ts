import type { Balance } from '@tollgate/contracts';

const UNLIMITED = 100_000_000;

export interface TokenFigures {
  remainQuota: number;
  spent: number;
  unlimitedQuota: boolean;
  /** Unix seconds; −1 = never. */
  expiredTime: number;
}

export interface ViewOptions {
  /** Whether to show the token's own amounts instead of its owner's. */
  byToken: boolean;
  inCurrency: boolean;
  quotaPerUnit: number;
}

const shown = (quota: number, { inCurrency, quotaPerUnit }: ViewOptions): number =>
  inCurrency ? quota / quotaPerUnit : quota;

/** OpenAI's description of a key's subscription: the total quota it can spend, and until when. */
export function subscriptionOf(
  token: TokenFigures,
  owner: Pick<Balance, 'quota' | 'usedQuota'>,
  options: ViewOptions,
): object {
  const total = options.byToken ? token.remainQuota + token.spent : owner.quota + owner.usedQuota;
  const limit = token.unlimitedQuota && options.byToken ? UNLIMITED : shown(total, options);
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: token.expiredTime === -1 ? 0 : token.expiredTime,
  };
}

/** `total_usage` is in cents. */
export function usageOf(token: TokenFigures, owner: Pick<Balance, 'usedQuota'>, options: ViewOptions): object {
  const used = options.byToken ? token.spent : owner.usedQuota;
  // Multiplied by a hundred first, because 124 / 500000 * 100 is 0.024800000000000003.
  return { object: 'list', total_usage: shown(used * 100, options) };
}
