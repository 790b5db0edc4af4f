/**
 * A query that returns one row per inconsistency: `subject` names it, `expected` is the value by the evidence, `found` the value in the
 * table. `:from` and `:to` stand for Unix seconds, `:fromId` and `:toId` for the smallest time-ordered ids of those times.
 */
export interface BookCheck {
  /** What must hold, as a sentence. */
  name: string;
  /** The table or store to blame for findings. */
  store: string;
  query: string;
  /**
   * For checks that SQL cannot express: the query then returns evidence rows with a `subject`, few enough to read all, and this returns the
   * finding for a row, if any.
   */
  judge?: (row: Record<string, unknown>) => BookFinding | undefined;
}

export interface BookFinding {
  expected: string;
  found: string;
}

/** Applies `judge` to a check's evidence rows and keeps the findings. */
export const judged = <Row extends { subject: string }>(
  rows: readonly Row[],
  judge: NonNullable<BookCheck['judge']>,
): (BookFinding & { subject: string })[] =>
  rows.flatMap((row) => {
    const finding = judge(row as unknown as Record<string, unknown>);
    return finding ? [{ subject: row.subject, ...finding }] : [];
  });
