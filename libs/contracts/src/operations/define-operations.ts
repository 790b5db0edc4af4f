import { z } from 'zod';

/**
 * What the OpenAPI document says of a call besides its row. Query, path and body come from the schemas that the owner's
 * controller declares; `body` and `query` stand here only where the owner checks them itself.
 */
export interface OperationDocument {
  summary: string;
  /** `data` inside the envelope; absent when a success carries none. */
  data?: z.ZodType;
  /** The whole reply of a call that departs from the envelope. */
  reply?: z.ZodType;
  body?: z.ZodType;
  query?: z.ZodType;
  /** With `stream: true` the reply is a stream of server-sent events. */
  streams?: boolean;
  /** The shape of its refusals; the console's unless stated. */
  refusals?: 'openai' | 'anthropic' | 'gemini';
  /** Headers of the reply, with what they say. */
  headers?: Record<string, string>;
}

export const pageOf = (item: z.ZodType) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() });

/** Lists whose documented reply is a bare array give the number of all matches in this header. */
export const totalCount = { 'X-Total-Count': 'Number of all matches.' };
