const counts = new Intl.NumberFormat('en-US');

/** A number of things, grouped in the same way in both languages. */
export const formatCount = (count: number): string => counts.format(count);
