const literal = (keyword: string): string => keyword.replace(/[\\%_]/g, '\\$&');

/** A LIKE pattern for texts that contain `keyword`, with `%`, `_` and `\` matched literally. */
export const likePattern = (keyword: string): string => `%${literal(keyword)}%`;

/** A LIKE pattern for texts that begin with `keyword`. */
export const startPattern = (keyword: string): string => `${literal(keyword)}%`;
