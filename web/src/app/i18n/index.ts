import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
import { readStored, writeStored } from '../stored.js';
import { formatters } from './formatters.js';
import type { Language } from './language.js';
import { LANGUAGE_KEY, detectLanguage, htmlLang } from './language.js';

export const currentLanguage = (): Language => (i18n.language === 'en' ? 'en' : 'zh');

type Texts = Record<string, unknown>;
type LoadDictionary = (language: Language, namespace: string) => Promise<Texts>;

/** The shell loads its texts and each page its own, in the current language only. */
const backendOf = (load: LoadDictionary) => ({
  type: 'backend' as const,
  init: () => undefined,
  read(language: string, namespace: string, done: (error: unknown, texts: Texts | null) => void) {
    load(language as Language, namespace).then(
      (texts) => done(null, texts),
      (error: unknown) => done(error, null),
    );
  },
});

/**
 * Loads the missing ones of these namespaces once more and returns those that are still missing. i18next does not retry a namespace that
 * failed, and does not distinguish it from a loaded one.
 */
async function missingOf(language: string, namespaces: readonly string[]): Promise<string[]> {
  const missing = () => namespaces.filter((namespace) => !i18n.hasResourceBundle(language, namespace));
  if (missing().length > 0) await i18n.reloadResources([language], missing());
  return missing();
}

/** Rejects if the file cannot be loaded, because the page would show keys instead of texts. */
export async function loadTexts(namespace: string): Promise<void> {
  await i18n.loadNamespaces(namespace);
  const missing = await missingOf(i18n.language, [namespace]);
  if (missing.length > 0) throw new Error(`no texts in ${i18n.language} of ${namespace}`);
}

/** Uses the other language if the file of this one cannot be loaded; rejects if neither can. */
async function haveShellTexts(language: Language): Promise<void> {
  if ((await missingOf(language, ['app'])).length === 0) return;
  const other = language === 'zh' ? 'en' : 'zh';
  if ((await missingOf(other, ['app'])).length > 0) throw new Error('no texts of the shell');
  await i18n.changeLanguage(other);
}

/** Resolves when the shell's texts are loaded. */
export async function startI18n(
  load: LoadDictionary,
  language = detectLanguage(readStored(LANGUAGE_KEY), navigator.languages),
): Promise<void> {
  i18n.on('languageChanged', (next) => {
    document.documentElement.lang = htmlLang[next as Language];
    // The server's own message is shown until these texts are loaded.
    void i18n.loadNamespaces('errors');
  });
  await i18n
    .use(backendOf(load))
    .use(initReactI18next)
    .init({
      lng: language,
      supportedLngs: ['zh', 'en'],
      // A second dictionary is never loaded at run time; a test proves that both are complete, but for errors, where the
      // server's message, which is Chinese, stands for what has no text.
      fallbackLng: false,
      ns: ['app'],
      defaultNS: 'app',
      fallbackNS: 'app',
      interpolation: { escapeValue: false },
      returnNull: false,
    });
  await haveShellTexts(language);
  for (const [name, format] of Object.entries(formatters)) i18n.services.formatter?.add(name, format);
}

/** The language that was chosen last, while its files are being loaded. */
let chosen: Language | undefined;

/**
 * Loads the texts of everything shown, then switches. If a file cannot be loaded it rejects and the language stays, because pages would
 * show keys. Of several choices in a row the last one applies.
 */
export async function switchLanguage(language: Language): Promise<void> {
  chosen = language;
  const shown = Object.keys(i18n.store.data[i18n.language] ?? {});
  // Nothing is drawn again when this file arrives later.
  const missing = await missingOf(language, [...new Set([...shown, 'errors'])]);
  if (missing.length > 0) throw new Error(`no texts in ${language} of ${missing.join(', ')}`);
  if (language !== chosen) return;
  writeStored(LANGUAGE_KEY, language);
  await i18n.changeLanguage(language);
}
