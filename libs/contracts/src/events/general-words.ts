import type { z } from 'zod';

/** The words that a reader knows for a field, and the general one that it takes for any other. */
export type GeneralWord = readonly [known: z.ZodEnum, general: string | ((data: Record<string, unknown>) => string)];

/**
 * Puts the general word where data has one that this release does not know; what is no text stays and breaks the contract. A relay
 * of the next release may run beside readers of this one, and a request must not stay unbooked for a word about it.
 */
export function inGeneralWords(data: unknown, words: Readonly<Record<string, GeneralWord>>): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const fields = data as Record<string, unknown>;
  const strange = Object.entries(words).filter(([name, [known]]) => {
    const word = fields[name];
    return typeof word === 'string' && !known.options.includes(word);
  });
  if (strange.length === 0) return data;
  const put = strange.map(([name, [, general]]) => [name, typeof general === 'string' ? general : general(fields)]);
  return { ...fields, ...Object.fromEntries(put) };
}
