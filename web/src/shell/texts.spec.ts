import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { texts as zh } from '../app/i18n/zh.js';
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

/** The name of the Chinese language is in Chinese in every dictionary. */
const ownNames = new Set(['shell.languageName.zh']);

/** An English text with a count that has only a plural form. */
const manyOnly = /{{count}}(?: [a-z]+)? [a-z]+s\b/;
/** Texts whose count is never one: a repetition, the limit of an export, more rows than a list shows. */
const neverOne = new Set(['app.toast.again', 'log.export.hint', 'approval.correction.rows']);

describe.each(namespaces)('dictionary "%s"', (namespace) => {
  it('has the same keys in both languages', async () => {
    // In Chinese most errors have the server's own message.
    if (namespace === 'errors') return;
    expect(keysOf(await loadDictionary('en', namespace))).toEqual(keysOf(await loadDictionary('zh', namespace)));
  });

  it('has the same placeholders in both languages', async () => {
    const english = flatten(await loadDictionary('en', namespace));
    for (const [key, text] of flatten(await loadDictionary('zh', namespace))) {
      const others = english.filter(([other]) => withoutPlural(other) === withoutPlural(key));
      for (const [, other] of others) expect([key, placeholders(other)]).toEqual([key, placeholders(text)]);
    }
  });

  it('has singular and plural forms in English', async () => {
    const english = flatten(await loadDictionary('en', namespace));
    const counted = english.filter(([key, text]) => manyOnly.test(text) && !/_(one|other)$/.test(key));
    expect(counted.map(([key]) => `${namespace}.${key}`).filter((key) => !neverOne.has(key))).toEqual([]);
  });

  it('avoids "please" in English, and uses the word token', async () => {
    const chinese = new Map(flatten(await loadDictionary('zh', namespace)));
    const english = flatten(await loadDictionary('en', namespace));
    expect(english.filter(([, text]) => /\bplease\b/i.test(text))).toEqual([]);
    const tokens = english.filter(([key]) => chinese.get(withoutPlural(key))?.includes(zh.posting.token));
    expect(tokens.filter(([, text]) => /\bkeys?\b/i.test(text) && !/\btokens?\b/i.test(text))).toEqual([]);
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

const folderOf = (namespace: string): RegExp =>
  namespace === 'command' ? /^shell\/command\// : new RegExp(`^pages/${namespace}/`);
const textOf = (file: string): string => readFileSync(join(source, file), 'utf8');
/** The texts that a file uses, by its folder or by the namespaces it requests. */
const drawsTextsOf =
  (namespace: string) =>
  (file: string): boolean =>
    folderOf(namespace).test(file) || textOf(file).includes(`useTranslation('${namespace}')`);
const literalsOf = (file: string): string[] => [...textOf(file).matchAll(/'([\w:.-]+)'/g)].map(([, text = '']) => text);
/** Patterns of composed keys; each variable matches any single word. */
const patternsOf = (file: string): string[] => [
  ...[...textOf(file).matchAll(/\btextOf\('(\w+)'/g)].flatMap(([, first = '']) => [
    `${first}.\${one}`,
    `${first}.\${one}.\${other}`,
  ]),
  ...[...textOf(file).matchAll(/`((?:[\w:.-]|\$\{[^}]*\})+)`/g)]
    .map(([, text = '']) => text)
    .filter((text) => text.includes('${') && /\w\.|\.\w/.test(text.replace(/\$\{[^}]*\}/g, ''))),
];
/** Also `${texts}:export.done`, where the namespace is a variable. */
const within = (namespace: string) => (key: string) =>
  key.startsWith(`${namespace}:`) || /^\$\{\w+\}:/.test(key) ? [key.slice(key.indexOf(':') + 1)] : [];
const toPattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split(/\$\{[^}]*\}/)
      .map((part) => part.replaceAll('.', '\\.'))
      .join('[\\w-]+')}$`,
  );

// The types prove the reverse, that every key in use exists.
describe('the dictionaries', () => {
  it.each(namespaces.filter((namespace) => namespace !== 'errors'))(
    'contain no unused text of "%s"',
    async (namespace) => {
      const own = namespace === 'app' ? files : files.filter(drawsTextsOf(namespace));
      const literals = new Set([...own.flatMap(literalsOf), ...files.flatMap(literalsOf).flatMap(within(namespace))]);
      const patterns = [...own.flatMap(patternsOf), ...files.flatMap(patternsOf).flatMap(within(namespace))].map(
        toPattern,
      );
      const isUsed = (key: string): boolean => literals.has(key) || patterns.some((pattern) => pattern.test(key));
      expect(keysOf(await loadDictionary('zh', namespace)).filter((key) => !isUsed(key))).toEqual([]);
    },
  );
});

describe('detectLanguage', () => {
  it('uses the stored choice, then the browser language, then Chinese', () => {
    expect(detectLanguage('en', ['zh-CN'])).toBe('en');
    expect(detectLanguage(null, ['fr-FR', 'en-GB', 'zh'])).toBe('en');
    expect(detectLanguage(null, ['zh-TW', 'en'])).toBe('zh');
    expect(detectLanguage('xx', ['fr'])).toBe('zh');
    expect(detectLanguage(null, [])).toBe('zh');
  });
});
