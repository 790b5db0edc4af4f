import { toInvalid } from '@tollgate/chassis';
import type { z } from 'zod';

/** Parses a body that is checked only after something else has been; refuses it as the validation pipe would. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw toInvalid(result.error.issues);
  return result.data;
}
