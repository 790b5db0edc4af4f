/** Stands between texts that are counted each for itself, one character long: no tokenizer joins what is on either side of it. */
export const BETWEEN_TEXTS = '\u0000';
