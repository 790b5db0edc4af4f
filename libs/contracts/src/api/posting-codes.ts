/** What a row of the journal is about, free of the schema library. */
export const postingCodes = [
  'consumption',
  'setup-grant',
  'new-user-gift',
  'invitee-gift',
  'inviter-reward',
  'affiliate-transfer',
  'admin-adjustment',
  'redemption',
  'top-up',
  'refund',
  'token-budget',
  'task-refund',
  'correction',
] as const;
export type PostingCode = (typeof postingCodes)[number];
