/** Kinds of journal rows, in a file without the schema library, so that the console can import it cheaply. */
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
