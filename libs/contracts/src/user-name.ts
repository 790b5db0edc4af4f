/**
 * Letters of other scripts that are drawn like Latin ones, in small or in capital letters, beside what they look like. A choice out of the
 * confusables of Unicode's technical standard 39: without a library that is kept up to date it covers Cyrillic and Greek, whose words of nothing
 * but such letters are common.
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

/** Alphabets that share shapes with each other. Whoever mixes two of them in a name most likely wants to look like somebody else. */
const ALPHABETS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/** As it is kept and shown: wide, small and circled forms of a letter become the letter. */
export const plainName = (name: string): string => name.normalize('NFKC').trim();

/** What must be unique, and what is looked up: equal for names that people take for the same. */
export const nameKey = (name: string): string =>
  Array.from(plainName(name).toLowerCase().normalize('NFKD'), (letter) => latinOf.get(letter) ?? letter)
    .join('')
    .normalize('NFKC');

/** What a user is called whose names were erased. Nobody else may be called so. */
export const erasedName = (userId: number): string => `erased-${userId}`;

export const looksErased = (name: string): boolean => /^erased-\d+$/.test(nameKey(name));

export const mixesAlphabets = (name: string): boolean => ALPHABETS.filter((letters) => letters.test(name)).length > 1;
