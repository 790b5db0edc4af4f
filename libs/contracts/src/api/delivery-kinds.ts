/**
 * What a mail or webhook is about: first notices, then mails about addresses and passwords. In a file without the schema
 * library, so that the console can import it cheaply.
 */
export const deliveryKinds = [
  'quota_exceed',
  'top_up',
  'channel_disabled',
  'channel_enabled',
  'channel_test',
  'delivery_failed',
  'verification-code',
  'address-taken',
  'address-closed',
  'address-given-up',
  'address-unknown',
  'password-reset',
  'reset-refused',
] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];
