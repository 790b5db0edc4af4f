import { toInvalid } from '@tollgate/chassis';
import type { z } from 'zod';

/** For a body that can be validated only after another check; throws the same error as the validation pipe. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw toInvalid(result.error.issues);
  return result.data;
}
