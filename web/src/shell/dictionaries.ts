import type { Language } from '../app/i18n/language.js';
import { pages } from '../app/page-list.js';

type Texts = Record<string, unknown>;
type Loader = () => Promise<{ texts: Texts }>;

/** The shell's own texts, and those of the server's errors. */
const ofShell: Record<string, Record<Language, Loader>> = {
  app: { zh: () => import('../app/i18n/zh.js'), en: () => import('../app/i18n/en.js') },
  command: { zh: () => import('./command/zh.js'), en: () => import('./command/en.js') },
  errors: { zh: () => import('../app/i18n/errors/zh.js'), en: () => import('../app/i18n/errors/en.js') },
};

/**
 * The bundler resolves such an address to every file that matches it, so only the page is variable; the language is part of the pattern.
 */
const ofPage = (id: string): Record<Language, Loader> => ({
  zh: () => import(`../pages/${id}/zh.ts`),
  en: () => import(`../pages/${id}/en.ts`),
});

export const namespaces = [...Object.keys(ofShell), ...pages.map(({ id }) => id)];

export async function loadDictionary(language: Language, namespace: string): Promise<Texts> {
  if (!namespaces.includes(namespace)) throw new Error(`no dictionary "${namespace}"`);
  return (await (ofShell[namespace] ?? ofPage(namespace))[language]()).texts;
}
