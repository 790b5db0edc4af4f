/** The class of an error, for programs; `code` identifies it exactly, `message` is for people. */
export const errorKinds = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not-found',
  'conflict',
  'insufficient-quota',
  'rate-limited',
  'upstream',
  'unavailable',
  'internal',
] as const;
export type ErrorKind = (typeof errorKinds)[number];
