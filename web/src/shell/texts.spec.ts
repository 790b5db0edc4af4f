import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pages } from '../app/page-list.js';
import { loadDictionary, namespaces } from './dictionaries.js';
import { detectLanguage } from '../app/i18n/language.js';

type Texts = Record<string, unknown>;

const flatten = (texts: Texts, prefix = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + key, value]] : flatten(value as Texts, `${prefix}${key}.`),
  );
const withoutPlural = (key: string): string => key.replace(/_(zero|one|two|few|many|other)$/, '');
const keysOf = (texts: Texts): string[] => [...new Set(flatten(texts).map(([key]) => withoutPlural(key)))].sort();
const placeholders = (text: string): string[] => [...text.matchAll(/{{\s*(\w+)/g)].map(([, name = '']) => name).sort();
const han = /[\u3400-\u9fff\uf900-\ufaff]/;

/** The name of the Chinese language stands in Chinese wherever it is offered. */
const ownNames = new Set(['shell.languageName.zh']);

describe.each(namespaces)('dictionary "%s"', (namespace) => {
  it('has the same keys in both languages', async () => {
    expect(keysOf(await loadDictionary('en', namespace))).toEqual(keysOf(await loadDictionary('zh', namespace)));
  });

  it('has the same placeholders in both languages', async () => {
    const english = flatten(await loadDictionary('en', namespace));
    for (const [key, text] of flatten(await loadDictionary('zh', namespace))) {
      const others = english.filter(([other]) => withoutPlural(other) === withoutPlural(key));
      for (const [, other] of others) expect([key, placeholders(other)]).toEqual([key, placeholders(text)]);
    }
  });

  it('has no Chinese in English and no empty text', async () => {
    const english = flatten(await loadDictionary('en', namespace));
    expect(english.filter(([key, text]) => han.test(text) && !ownNames.has(key))).toEqual([]);
    for (const language of ['zh', 'en'] as const) {
      expect(flatten(await loadDictionary(language, namespace)).filter(([, text]) => text.trim() === '')).toEqual([]);
    }
  });
});

const source = resolve(import.meta.dirname, '..');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.spec\.|(^|\/)(zh|en)\.ts$|^testing\//.test(file),
);

/** Literal keys of `t('…')`, and strings that look like `namespace:key`. */
function usedKeys(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  const called = [...text.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key = '']) => key);
  const qualified = [...text.matchAll(/'((?:[a-z-]+):[a-z][\w.]*)'/gi)].map(([, key = '']) => key);
  const ours = qualified.filter((key) => namespaces.includes(key.split(':')[0] ?? ''));
  return [...called, ...ours];
}

describe('keys used in the source', () => {
  it.each(files)('%s uses only keys that exist', async (file) => {
    const page = /^pages\/([^/]+)\//.exec(file)?.[1];
    const known = new Set<string>();
    for (const namespace of namespaces) {
      for (const key of keysOf(await loadDictionary('zh', namespace))) {
        known.add(`${namespace}:${key}`);
        if (namespace === 'app' || namespace === page) known.add(key);
      }
    }
    expect(usedKeys(file).filter((key) => !known.has(key))).toEqual([]);
  });

  it('has a title for every page', async () => {
    const known = new Set(keysOf(await loadDictionary('zh', 'app')));
    expect(pages.map(({ titleKey }) => titleKey).filter((key) => !known.has(key))).toEqual([]);
  });
});

describe('detectLanguage', () => {
  it('takes the stored choice, then the browser, then Chinese', () => {
    expect(detectLanguage('en', ['zh-CN'])).toBe('en');
    expect(detectLanguage(null, ['fr-FR', 'en-GB', 'zh'])).toBe('en');
    expect(detectLanguage(null, ['zh-TW', 'en'])).toBe('zh');
    expect(detectLanguage('xx', ['fr'])).toBe('zh');
    expect(detectLanguage(null, [])).toBe('zh');
  });
});
