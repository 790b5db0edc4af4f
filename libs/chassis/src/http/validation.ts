import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { ErrorReply } from '@tollgate/contracts';
import { z } from 'zod';
import { AppError } from '../errors/app-error.js';

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[];
}

const HAN = /\p{Script=Han}/u;
export const INVALID_INPUT = '无效的参数';

const pathOf = (issue: Issue): string =>
  (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');

/** What a schema says by itself is a library's English, and nobody's business. */
const wordsOf = ({ message }: Issue): string => (HAN.test(message) ? message : INVALID_INPUT);

/** Schemas state the documented Chinese texts. */
export function toInvalid(issues: readonly Issue[]): AppError {
  const message = issues.find((issue) => HAN.test(issue.message))?.message ?? INVALID_INPUT;
  const fields: NonNullable<ErrorReply['fields']> = issues
    .slice(0, 20)
    .map((issue) => ({ path: pathOf(issue), code: 'invalid', params: { reason: wordsOf(issue) } }));
  return new AppError('invalid', 'invalid-input', message, { fields });
}

/** For a body whose schema stands in the query: parses it or refuses it as a declared one would be. */
export function parsedBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (!result.success) throw toInvalid(result.error.issues);
  return result.data;
}

/** One global pipe: checks whatever a parameter declares by `@Body({ schema })`, `@Query({ schema })` or `@Param({ schema })`. */
export const validation = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({ exceptionFactory: toInvalid });

/** `:id` of a path: a positive integer. */
export const idParamSchema = z.object({
  id: z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int().positive(),
  ),
});
export interface IdParam {
  id: number;
}
