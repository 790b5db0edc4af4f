import { z } from 'zod';

/** How far the books are proved: journal, balances and usage log tell the same about every request admitted before. */
export const booksStateSchema = z.object({
  /** Unix seconds; 0 before the first look. */
  balanced_up_to: z.int(),
  /** Unix seconds since when that was compared without a gap: before, the usage log was not written or was cleared, or nobody looked yet. */
  compared_from: z.int(),
  /** Of the last look; 0 before it. */
  checked_at: z.int(),
  /** What did not add up inside of billing then. */
  faults: z.int(),
  /** The first of them, in words. */
  first: z.string(),
});
export type BooksState = z.infer<typeof booksStateSchema>;
