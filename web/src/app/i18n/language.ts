export type Language = 'zh' | 'en';
export const LANGUAGE_KEY = 'i18nextLng';

const asLanguage = (tag: string | null | undefined): Language | undefined => {
  if (!tag) return undefined;
  const primary = tag.toLowerCase().split(/[-_]/)[0];
  return primary === 'zh' || primary === 'en' ? primary : undefined;
};

/** The stored choice, else the first of the browser's languages that the console has, else Chinese. */
export function detectLanguage(stored: string | null, preferred: readonly string[]): Language {
  return asLanguage(stored) ?? preferred.map(asLanguage).find((language) => language !== undefined) ?? 'zh';
}

export const htmlLang: Record<Language, string> = { zh: 'zh-CN', en: 'en' };
