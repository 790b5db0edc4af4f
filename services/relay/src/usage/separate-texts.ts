/** Separates texts that are counted independently; one character that no tokenizer merges with its neighbours. */
export const BETWEEN_TEXTS = '\u0000';
