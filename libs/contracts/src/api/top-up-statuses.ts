/**
 * Of an order, free of the schema library. `refused`: a notice of the provider itself contradicted the order, or the provider made no checkout. A late or corrected payment
 * still leads from `expired` and `refused` to `paid`, since the money has come.
 */
export const topUpStatuses = ['pending', 'paid', 'expired', 'refused', 'refunded'] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

/** What was decided about a callback. */
export const topUpVerdicts = [
  'credited',
  'late',
  // Right, but whoever was to get it is deleted: the money is in the wallet, for an administrator to refund.
  'owner-gone',
  // Believed, but more than the wallet can count: the order stays as it was, and the provider tells again.
  'not-credited',
  'repeated',
  'amount-mismatch',
  'wrong-merchant',
  'wrong-provider',
  'not-paid',
  'bad-signature',
  'not-configured',
  'unreadable',
  // Signed by the provider, and not in the form that it documents.
  'malformed',
  'unknown-order',
] as const;
export type TopUpVerdict = (typeof topUpVerdicts)[number];
