import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
import { readStored, writeStored } from '../stored.js';
import { formatters } from './formatters.js';
import type { Language } from './language.js';
import { LANGUAGE_KEY, detectLanguage, htmlLang } from './language.js';

export const currentLanguage = (): Language => (i18n.language === 'en' ? 'en' : 'zh');

type Texts = Record<string, unknown>;
type LoadDictionary = (language: Language, namespace: string) => Promise<Texts>;

/** Shell texts come with the shell, page texts with their page, always in the current language only. */
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

/** Of these namespaces the ones that are not there after another try. What failed once i18next neither asks for again by itself nor tells from what is there. */
async function missingOf(language: string, namespaces: readonly string[]): Promise<string[]> {
  const missing = () => namespaces.filter((namespace) => !i18n.hasResourceBundle(language, namespace));
  if (missing().length > 0) await i18n.reloadResources([language], missing());
  return missing();
}

/** Rejects when the file does not come: without its texts a page would show their keys. */
export async function loadTexts(namespace: string): Promise<void> {
  await i18n.loadNamespaces(namespace);
  const missing = await missingOf(i18n.language, [namespace]);
  if (missing.length > 0) throw new Error(`no texts in ${i18n.language} of ${namespace}`);
}

/** In the other language where the file of this one does not come; rejects when neither does. */
async function haveShellTexts(language: Language): Promise<void> {
  if ((await missingOf(language, ['app'])).length === 0) return;
  const other = language === 'zh' ? 'en' : 'zh';
  if ((await missingOf(other, ['app'])).length > 0) throw new Error('no texts of the shell');
  await i18n.changeLanguage(other);
}

/** Resolves when the shell's texts are there. */
export async function startI18n(
  load: LoadDictionary,
  language = detectLanguage(readStored(LANGUAGE_KEY), navigator.languages),
): Promise<void> {
  i18n.on('languageChanged', (next) => {
    document.documentElement.lang = htmlLang[next as Language];
    // In Chinese the server speaks for itself.
    if (next !== 'zh') void i18n.loadNamespaces('errors');
  });
  await i18n
    .use(backendOf(load))
    .use(initReactI18next)
    .init({
      lng: language,
      supportedLngs: ['zh', 'en'],
      // A second dictionary is never loaded at run time; a test proves that both are complete.
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

/** The language that was chosen last, while its files are on their way. */
let chosen: Language | undefined;

/** Rejects when a file of it does not come; the language stays, since pages would show keys. Of several that are chosen in a row the last one counts. */
export async function switchLanguage(language: Language): Promise<void> {
  chosen = language;
  const shown = Object.keys(i18n.store.data[i18n.language] ?? {});
  const missing = await missingOf(language, shown);
  if (missing.length > 0) throw new Error(`no texts in ${language} of ${missing.join(', ')}`);
  if (language !== chosen) return;
  writeStored(LANGUAGE_KEY, language);
  await i18n.changeLanguage(language);
}
