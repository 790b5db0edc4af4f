import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { optionKeys } from '@tollgate/contracts';

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

/** Options are read from the store only, so nothing else that has the name of an option counts. */
function keysRead(source: string): string[] {
  const calls = withoutRemarks(source).matchAll(/\boptions\s*\.(?:get|text)\(([^()]*)\)/g);
  return [...calls].flatMap(([, passed = '']) => [...passed.matchAll(/'([^']+)'/g)].map(([, key = '']) => key));
}

describe('every option', () => {
  it('is read by some source', () => {
    const read = new Set(
      ['libs', 'services', 'web'].flatMap(sourcesOf).flatMap((file) => keysRead(readFileSync(file, 'utf8'))),
    );
    expect(optionKeys.length).toBeGreaterThan(100);
    expect(optionKeys.filter((key) => !read.has(key))).toEqual([]);
  });

  it('is read by a call of the store, whose key may depend on something', () => {
    expect(keysRead("this.options.get('Notice')")).toEqual(['Notice']);
    expect(keysRead("options.text('About')")).toEqual(['About']);
    expect(keysRead("options.get(kind === 'refund' ? 'Notice' : 'About')")).toEqual(['refund', 'Notice', 'About']);
  });

  it.each(['status.Notice', "{ Notice: 'Notice' }", "headers.get('Notice')", "// this.options.get('Notice')"])(
    'is not read by %s',
    (source) => {
      expect(keysRead(source)).toEqual([]);
    },
  );
});
