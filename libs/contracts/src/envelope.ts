import { z } from 'zod';
import { errorKindSchema, paramsSchema } from './errors.js';

/**
 * Every documented console reply is `{ success, message, data }`. An error has additional machine-readable members: `message` is the
 * documented Chinese text, `code` and `params` are for translations, `fields` for the form that was sent.
 */
export const errorReplySchema = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.string(),
  kind: errorKindSchema,
  params: paramsSchema.optional(),
  fields: z.array(z.object({ path: z.string(), code: z.string(), params: paramsSchema.optional() })).optional(),
});
export type ErrorReply = z.infer<typeof errorReplySchema>;

interface Success<T = unknown> {
  success: true;
  message: string;
  data?: T;
}
export type Envelope<T = unknown> = Success<T> | ErrorReply;

/** A page of a list, with the total number of rows. */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  page_size: number;
}

const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;

/** Reads an integer from a query; invalid values, such as fractions, become the fallback instead of an error. */
const lenientInteger = (fallback: number) =>
  z.preprocess((value) => {
    const number = /^\s*[+-]?\d+\s*$/.test(String(value)) ? Number(value) : Number.NaN;
    return Number.isSafeInteger(number) ? number : fallback;
  }, z.number());

const clampSize = (size: number): number => (size < 1 ? DEFAULT_PAGE_SIZE : Math.min(size, MAX_PAGE_SIZE));

/** For lists whose first page is 1 (users, logs, redemptions); 0 returns the same page. Output: 1-based `page`, `size`. */
export const pageFromOneSchema = z
  .object({ p: lenientInteger(1), page_size: lenientInteger(0), size: lenientInteger(0) })
  .transform(({ p, page_size: pageSize, size }) => ({
    page: Math.min(Math.max(p, 1), 1_000_000),
    size: clampSize(pageSize || size),
  }));

/** For lists whose first page is 0 (tokens, channels, tasks). Output: 1-based `page`, `size`. */
export const pageFromZeroSchema = z
  .object({ p: lenientInteger(0), page_size: lenientInteger(0), size: lenientInteger(0) })
  .transform(({ p, page_size: pageSize, size }) => ({
    page: Math.min(Math.max(p, 0), 1_000_000) + 1,
    size: clampSize(size || pageSize),
  }));

/** `page` counts from 1; `size` is between 1 and 100. */
export interface PageQuery {
  page: number;
  size: number;
}
export { lenientInteger };
