import type { ParseKeys, ResourceNamespaceMap } from 'i18next';
import { useTranslation } from 'react-i18next';

// Each Chinese dictionary adds itself to `ResourceNamespaceMap`: Chinese is the original, and has every key. That of errors does neither.
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app';
    fallbackNS: 'app';
    returnNull: false;
    // i18next gets numbers as numbers and formats them.
    parseInterpolation: false;
  }
}

type Namespaces = keyof ResourceNamespaceMap;
/** Key of any text: of the shell as it is, of a page with the name of its dictionary before it. */
export type TextKey =
  ParseKeys | { [Name in Namespaces]: `${Name}:${Exclude<ParseKeys<Name>, ParseKeys>}` }[Namespaces];

/** Keys that `t` of a page accepts: its own texts and those of the shell. */
export type TextOf<Page extends Namespaces> = ParseKeys<Page>;

/** For a key composed from data. A test of the list that the data comes from must prove that the text exists. */
export const knownKey = (key: string): TextKey => key as TextKey;

export type Say = (key: TextKey, values?: Record<string, unknown>) => string;

/** Translates keys that come as data, such as column headers, toasts and page titles. */
export function useSay(): Say {
  return useTranslation().t as unknown as Say;
}
