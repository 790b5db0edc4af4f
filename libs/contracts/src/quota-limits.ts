/**
 * The most units that anything but a payment may leave in a wallet or token budget: two thousand million USD at 500 000 units each. Above
 * it there is room for hundreds of the largest payments before a wallet can no longer be counted exactly.
 */
export const mostBalance = 1_000_000_000_000_000;

/** The most units of one order, one code, or one batch of codes: twenty million USD. */
export const mostAtOnce = 10_000_000_000_000;

/** The largest ratio, and the largest price of a call in USD, that can be saved. */
export const mostRatio = 1_000_000;
