import type { ParseKeys, ResourceNamespaceMap } from 'i18next';
import { useTranslation } from 'react-i18next';

// Each Chinese dictionary adds itself to `ResourceNamespaceMap`: Chinese is the original, and has every key.
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app';
    fallbackNS: 'app';
    returnNull: false;
    // Numbers are given as numbers, and printed by i18next.
    parseInterpolation: false;
  }
}

type Namespaces = keyof ResourceNamespaceMap;
/** A text wherever it is: of the shell by its key, of a page with the name of its dictionary before it. */
export type TextKey =
  ParseKeys | { [Name in Namespaces]: `${Name}:${Exclude<ParseKeys<Name>, ParseKeys>}` }[Namespaces];

/** What `t` of a page takes: its own texts and those of the shell. */
export type TextOf<Page extends Namespaces> = ParseKeys<Page>;

/** For a key that is put together of data. A test of the list that the data comes from has to prove that there is a text. */
export const knownKey = (key: string): TextKey => key as TextKey;

export type Say = (key: TextKey, values?: Record<string, unknown>) => string;

/** Says texts whose keys come as data: heads of columns, toasts, titles of pages. */
export function useSay(): Say {
  return useTranslation().t as unknown as Say;
}
