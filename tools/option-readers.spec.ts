import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type OptionKey, optionKeys } from '@tollgate/contracts';

const ROOT = path.resolve(import.meta.dirname, '..');
/**
 * Code that does not count as a reader of an option: the table of options, texts about them, and the form that edits
 * all of them. Every option needs a reader elsewhere.
 */
const SILENT = /\/contracts\/src\/options\/|\/testing\/|\/pages\/setting\/|\/(zh|en)\.ts$|\.(spec|int-spec|e2e)\.tsx?$/;

function sourcesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(ROOT, folder, name))
    .filter((file) => /\.tsx?$/.test(file) && file.includes('/src/') && !SILENT.test(file));
}

/** Removes comments, because naming an option there does not read it. */
const withoutRemarks = (source: string): string => source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

describe('every option', () => {
  const code = ['libs', 'services', 'web']
    .flatMap(sourcesOf)
    .map((file) => withoutRemarks(readFileSync(file, 'utf8')))
    .join('\n');
  const isRead = (key: OptionKey | 'NobodyReadsThis'): boolean =>
    new RegExp(`['.]${key.replaceAll('.', '\\.')}\\b`).test(code);

  it('has a reader', () => {
    expect(optionKeys.length).toBeGreaterThan(100);
    expect(optionKeys.filter((key) => !isRead(key))).toEqual([]);
  });

  it('would be reported without one', () => {
    expect(isRead('NobodyReadsThis')).toBe(false);
  });
});
