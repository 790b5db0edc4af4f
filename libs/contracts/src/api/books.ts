import { z } from 'zod';

/** Up to when the books are verified: journal, balances and usage log agree about every request admitted before. */
export const booksStateSchema = z.object({
  /** Unix seconds; 0 before the first check. */
  balanced_up_to: z.int(),
  /**
   * Unix seconds from which the comparison has no gap. Before that, the usage log was not written, was cleared, or had not been checked.
   */
  compared_from: z.int(),
  /** Time of the last check; 0 before the first one. */
  checked_at: z.int(),
  /** Number of inconsistencies within billing that the last check found. */
  faults: z.int(),
  /** Description of the first one. */
  first: z.string(),
});
export type BooksState = z.infer<typeof booksStateSchema>;
