import { beforeEach, describe, expect, it } from '@jest/globals';
import i18n from 'i18next';
import { readStored } from '../stored.js';
import { currentLanguage, startI18n, switchLanguage } from './index.js';
import type { Language } from './language.js';
import { LANGUAGE_KEY } from './language.js';

let missing = new Set<string>();
const load = async (language: Language, namespace: string) => {
  if (missing.has(`${language}/${namespace}`)) throw new Error('gone');
  return { hello: `${language} ${namespace}` };
};

describe('another language', () => {
  /** A text of a dictionary that is there for this test alone. */
  const hello = () => i18n.getResource(i18n.language, 'page', 'hello') as unknown;

  beforeEach(async () => {
    localStorage.clear();
    missing = new Set();
    await startI18n(load, 'zh');
    await i18n.loadNamespaces('page');
  });

  it('stays away while a file of it does not come, and comes when it does', async () => {
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
