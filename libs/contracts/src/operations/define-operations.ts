import { z } from 'zod';

/**
 * Documentation of a call in the OpenAPI document, in addition to its route row. Query, path and body are taken from the schemas that the
 * owner's controller declares; `body` and `query` are set here only if the owner validates them itself.
 */
export interface OperationDocument {
  summary: string;
  /** `data` inside the envelope; absent if a success has none. */
  data?: z.ZodType;
  /** The whole reply, for a call that departs from the envelope. */
  reply?: z.ZodType;
  body?: z.ZodType;
  query?: z.ZodType;
  /** With `stream: true` the reply is a stream of server-sent events. */
  streams?: boolean;
  /** Format of its errors; the console's by default. */
  errorFormat?: 'openai' | 'anthropic' | 'gemini';
  /** Headers of the reply with their descriptions. */
  headers?: Record<string, string>;
}

export const pageOf = (item: z.ZodType) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() });

/** Lists whose documented reply is a bare array return the number of all matches in this header. */
export const totalCount = { 'X-Total-Count': 'Number of all matches.' };
