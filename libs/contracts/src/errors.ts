import { z } from 'zod';

/** The class of an error, for programs; `code` identifies it exactly, `message` is for people. */
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
