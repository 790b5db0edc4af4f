const literal = (keyword: string): string => keyword.replace(/[\\%_]/g, '\\$&');

/** A pattern that finds `keyword` anywhere, with `%`, `_` and `\` as ordinary characters. */
export const likePattern = (keyword: string): string => `%${literal(keyword)}%`;

/** The same for what begins with `keyword`. */
export const startPattern = (keyword: string): string => `${literal(keyword)}%`;
