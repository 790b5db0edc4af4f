import type { z } from 'zod';

/** The enum values that this release supports for a field, and the general value that replaces any other. */
export type GeneralWord = readonly [known: z.ZodEnum, general: string | ((data: Record<string, unknown>) => string)];

/**
 * Replaces enum values that this release does not support with general ones; values that are not strings stay and break the contract. A
 * relay of the next release may run beside consumers of this one, and a request must be booked even if it has a new enum value.
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
