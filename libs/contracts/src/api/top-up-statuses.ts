/**
 * Statuses of an order, in a file without the schema library, so that the console can import it cheaply. `refused`: a notice of the
 * provider contradicted the order, or the provider created no checkout. A late or corrected payment still changes `expired` and `refused`
 * to `paid`, because the money has arrived.
 */
export const topUpStatuses = ['pending', 'paid', 'expired', 'refused', 'refunded'] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

/** Verdicts on a payment callback. */
export const topUpVerdicts = [
  'credited',
  'late',
  // Valid, but the recipient is deleted: the money is in the wallet, for an administrator to refund.
  'owner-gone',
  // Valid, but more than the wallet can count: the order is unchanged, and the provider will repeat the callback.
  'not-credited',
  'repeated',
  'amount-mismatch',
  'wrong-merchant',
  'wrong-provider',
  'not-paid',
  'bad-signature',
  'not-configured',
  'unreadable',
  // Signed by the provider, but not in its documented form.
  'malformed',
  'unknown-order',
] as const;
export type TopUpVerdict = (typeof topUpVerdicts)[number];
