import { toInvalid } from '@tollgate/chassis';
import type { z } from 'zod';

/** For bodies that are judged only after something else has been: the refusal is the pipe's own. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw toInvalid(result.error.issues);
  return result.data;
}
