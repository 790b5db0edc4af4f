import { z } from 'zod';

/** What went wrong, for programs; `code` says it exactly, `message` says it to a person. */
export const errorKindSchema = z.enum([
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
]);
export type ErrorKind = z.infer<typeof errorKindSchema>;

export const paramsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
