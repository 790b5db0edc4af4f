interface Findable {
  /** As it is shown. */
  name: string;
  /** What it is found by, in lower case; the name alone where it is missing. */
  words?: string;
}

/** What holds every word of the text, whole beginnings first. */
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
