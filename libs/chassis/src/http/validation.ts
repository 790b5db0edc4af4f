import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { ErrorReply } from '@tollgate/contracts';
import { z } from 'zod';
import { AppError } from '../errors/app-error.js';

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[];
  /** Set by a schema of ours: the code of the rule that is broken. */
  params?: { code?: unknown };
  /** Set by the library for values beyond a limit. */
  code?: unknown;
  origin?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  inclusive?: unknown;
}

const HAN = /\p{Script=Han}/u;
export const INVALID_INPUT = '无效的参数';

const pathOf = (issue: Issue): string =>
  (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');

/** Uses only messages that our schemas set, which are Chinese; default messages of the library are English and not meant for users. */
const wordsOf = ({ message }: Issue): string => (HAN.test(message) ? message : INVALID_INPUT);

/** Code and parameters for a limit that the library checks. */
function limitOf({ code, origin, minimum, maximum, inclusive }: Issue): [string, object] | undefined {
  const isText = origin === 'string';
  if (!isText && origin !== 'number' && origin !== 'int') return undefined;
  if (code === 'too_big') return [isText ? 'field-too-long' : 'field-too-large', { most: maximum }];
  if (code !== 'too_small') return undefined;
  if (isText) return minimum === 1 ? ['field-missing', {}] : ['field-too-short', { least: minimum }];
  return [inclusive === false ? 'field-not-above' : 'field-too-small', { least: minimum }];
}

function ruleOf(issue: Issue): [string, object] {
  if (typeof issue.params?.code === 'string') return [issue.params.code, {}];
  return limitOf(issue) ?? ['invalid', {}];
}

/**
 * Turns issues of a schema into an `invalid` error. Our schemas state the documented Chinese texts, and codes of rules
 * of which readers of other languages need to know.
 */
export function toInvalid(issues: readonly Issue[]): AppError {
  const message = issues.find((issue) => HAN.test(issue.message))?.message ?? INVALID_INPUT;
  const paths = new Set(issues.map(pathOf));
  // Of several issues of one field the first counts.
  const fields: NonNullable<ErrorReply['fields']> = [...paths]
    .flatMap((path) => issues.find((issue) => pathOf(issue) === path) ?? [])
    .slice(0, 20)
    .map((issue) => {
      const [code, limit] = ruleOf(issue);
      return { path: pathOf(issue), code, params: { reason: wordsOf(issue), ...limit } };
    });
  return new AppError('invalid', 'invalid-input', message, { fields });
}

/** For a body whose schema depends on the query: parses it, or refuses it as `@Body({ schema })` would. */
export function parsedBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (!result.success) throw toInvalid(result.error.issues);
  return result.data;
}

/** The global pipe: validates parameters that declare a schema by `@Body({ schema })`, `@Query({ schema })` or `@Param({ schema })`. */
export const validation = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({ exceptionFactory: toInvalid });

/** `:id` in a path: a positive integer. */
export const idParamSchema = z.object({
  id: z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int().positive(),
  ),
});
export interface IdParam {
  id: number;
}
