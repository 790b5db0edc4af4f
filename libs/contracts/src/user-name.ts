import { lengthFault, type TextLimit } from './text-limits.js';

/**
 * Letters of other scripts that look like Latin ones, in small or capital form, beside the Latin letters. A selection from the confusables
 * of Unicode Technical Standard 39: without a maintained library it covers Cyrillic and Greek, which have many words that consist of such
 * letters only.
 */
const DRAWN_ALIKE = {
  cyrillic: ['авсԁеһніјкморԛѕтуѵԝхү', 'abcdehhijkmopqstyvwxy'],
  latin: ['ıɑɡ', 'iag'],
  greek: ['αβεζηικμνορτυχγ', 'abezhikmvoptyxy'],
} as const;
const latinOf = new Map(
  Object.values(DRAWN_ALIKE).flatMap(([letters, looks]) =>
    [...letters].map((letter, index): [string, string] => [letter, looks[index] ?? letter]),
  ),
);

/** Alphabets with similar letters. A name that mixes two of them is most likely meant to imitate another name. */
const ALPHABETS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/** The form that is stored and shown: full-width, small and circled forms of a letter become the plain letter. */
export const plainName = (name: string): string => name.normalize('NFKC').trim();

/** The form that must be unique and is looked up: equal for names that look the same to people. */
export const nameKey = (name: string): string =>
  Array.from(plainName(name).toLowerCase().normalize('NFKD'), (letter) => latinOf.get(letter) ?? letter)
    .join('')
    .normalize('NFKC');

/** The name of a user whose data was erased. It is reserved. */
export const erasedName = (userId: number): string => `erased-${userId}`;

export const looksErased = (name: string): boolean => /^erased-\d+$/.test(nameKey(name));

/** U+2800 is a Braille pattern without dots, so it is invisible. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const hasInvisible = (name: string): boolean => INVISIBLE.test(name);

export const mixesAlphabets = (name: string): boolean => ALPHABETS.filter((letters) => letters.test(name)).length > 1;

export type NameFault = 'missing' | 'long' | 'likeEmail' | 'invisible' | 'mixed' | 'erased';

/** The first rule that the plain form of a name breaks. No `@`, because people also sign in with their mail address. */
export function nameFault(name: string, limit: TextLimit): NameFault | undefined {
  if (name === '') return 'missing';
  if (lengthFault(name, limit)) return 'long';
  if (name.includes('@')) return 'likeEmail';
  if (hasInvisible(name)) return 'invisible';
  if (mixesAlphabets(name)) return 'mixed';
  return looksErased(name) ? 'erased' : undefined;
}
