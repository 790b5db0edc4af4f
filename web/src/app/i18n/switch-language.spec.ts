import { beforeEach, describe, expect, it } from '@jest/globals';
import i18n from 'i18next';
import { readStored } from '../stored.js';
import { currentLanguage, loadTexts, startI18n, switchLanguage } from './index.js';
import type { Language } from './language.js';
import { LANGUAGE_KEY } from './language.js';

let missing = new Set<string>();
/** Dictionaries load when this promise resolves. */
let held: Promise<void> | undefined;
const load = async (language: Language, namespace: string) => {
  await held;
  if (missing.has(`${language}/${namespace}`)) throw new Error('gone');
  return { hello: `${language} ${namespace}` };
};

describe('another language', () => {
  /** A text that exists for this test only. */
  const hello = () => i18n.getResource(i18n.language, 'page', 'hello') as unknown;

  beforeEach(async () => {
    localStorage.clear();
    missing = new Set();
    await startI18n(load, 'zh');
    await i18n.loadNamespaces('page');
  });

  it('is not shown while one of its files fails to load, and is shown once it loads', async () => {
    missing.add('en/page');
    await expect(switchLanguage('en')).rejects.toThrow();
    expect(currentLanguage()).toBe('zh');
    expect(hello()).toBe('zh page');
    expect(readStored(LANGUAGE_KEY)).toBeNull();
    missing.clear();
    await switchLanguage('en');
    expect(currentLanguage()).toBe('en');
    expect(hello()).toBe('en page');
    expect(readStored(LANGUAGE_KEY)).toBe('en');
  });
});

describe('the English texts of errors', () => {
  it('are there as soon as the language is English, since messages are drawn once', async () => {
    await startI18n(load, 'zh');
    i18n.removeResourceBundle('en', 'errors');
    let seen: unknown;
    i18n.on('languageChanged', () => (seen ??= i18n.getResource('en', 'errors', 'hello')));
    await switchLanguage('en');
    expect(seen).toBe('en errors');
  });
});

describe('two languages chosen in quick succession', () => {
  it('end with the last choice, even when the files of the first load later', async () => {
    localStorage.clear();
    missing = new Set();
    await startI18n(load, 'zh');
    i18n.removeResourceBundle('en', 'app');
    let come: () => void = () => undefined;
    held = new Promise<void>((resolve) => (come = resolve));
    const first = switchLanguage('en');
    await switchLanguage('zh');
    come();
    held = undefined;
    await first;
    expect(currentLanguage()).toBe('zh');
    expect(readStored(LANGUAGE_KEY)).toBe('zh');
  });
});

describe('the texts of a page', () => {
  beforeEach(async () => {
    localStorage.clear();
    missing = new Set();
    await startI18n(load, 'zh');
  });

  it('are requested again after their file failed to load', async () => {
    missing.add('zh/late');
    await expect(loadTexts('late')).rejects.toThrow();
    await expect(loadTexts('late')).rejects.toThrow();
    missing.clear();
    await loadTexts('late');
    expect(i18n.getResource('zh', 'late', 'hello')).toBe('zh late');
  });
});

describe('the start of the console', () => {
  beforeEach(() => {
    localStorage.clear();
    i18n.removeResourceBundle('en', 'app');
    i18n.removeResourceBundle('zh', 'app');
  });

  it('uses the other language when the file of the chosen one fails to load', async () => {
    missing = new Set(['en/app']);
    await startI18n(load, 'en');
    expect(currentLanguage()).toBe('zh');
    expect(i18n.t('hello' as never)).toBe('zh app');
    expect(readStored(LANGUAGE_KEY)).toBeNull();
  });

  it('fails when neither language loads, so that no page shows keys', async () => {
    missing = new Set(['en/app', 'zh/app']);
    await expect(startI18n(load, 'en')).rejects.toThrow();
  });
});
