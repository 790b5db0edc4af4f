import { switchLanguage } from '../app/i18n/index.js';
import type { Language } from '../app/i18n/language.js';
import { loadPart } from '../components/basics/lazy-part.js';

/** If a file of the other language is gone, the language stays and the frame shows what to do. */
export const changeLanguage = (language: Language): Promise<void> =>
  loadPart(() => switchLanguage(language)).catch(() => undefined);
