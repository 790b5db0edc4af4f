interface Findable {
  /** The displayed name. */
  name: string;
  /** Text that the search compares, in lower case; the name if it is missing. */
  words?: string;
}

/** Rows that contain every word of the text; those that begin with the whole text come first. */
export function matching<Row extends Findable>(rows: readonly Row[], text: string): Row[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const parts = wanted.split(/\s+/);
  const wordsOf = ({ words, name }: Row): string => words ?? name.toLowerCase();
  const rank = (row: Row): number => (wordsOf(row).startsWith(wanted) ? 0 : 1);
  return rows
    .filter((row) => parts.every((part) => wordsOf(row).includes(part)))
    .toSorted((one, other) => rank(one) - rank(other));
}
