/** A pattern that finds `keyword` anywhere, with `%`, `_` and `\` as ordinary characters. */
export const likePattern = (keyword: string): string => `%${keyword.replace(/[\\%_]/g, '\\$&')}%`;
