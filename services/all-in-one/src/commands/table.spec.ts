import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commands } from './table.js';

const ROOT = resolve(import.meta.dirname, '../../../..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
/** For each page, the words that follow a call of the command line. */
const named = (call: RegExp): [page: string, word: string][] =>
  pages.flatMap((page) => [...read(page).matchAll(call)].map((found): [string, string] => [page, found[1] ?? '']));

describe('commands', () => {
  it('are there wherever a page names one', () => {
    const calls = [...named(/npm run tollgate -- ([a-z][\w-]*)/g), ...named(/`tollgate ([a-z][\w-]*)/g)];
    expect(calls.length).toBeGreaterThan(10);
    expect(calls.filter(([, word]) => !(word in commands))).toEqual([]);
  });

  it('are there as scripts wherever a page names one', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const calls = named(/npm run (?!tollgate --)([a-z][\w:-]*)/g);
    expect(calls.filter(([, word]) => !(word in scripts))).toEqual([]);
  });

  it('are taken for commands by the image, and not for services', () => {
    const [, list = ''] = /case \$name in\s+([^)]*)\) main=\S+command\.js/.exec(read('deploy/entrypoint.sh')) ?? [];
    expect(list.split('|').map((word) => word.trim())).toEqual(Object.keys(commands));
  });
});
