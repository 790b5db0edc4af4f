import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { texts as chinese } from './errors/zh.js';
import { texts as english } from './errors/en.js';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** Errors of this code appear on a terminal or in a log, never in the console. */
const UNSEEN = /^(?:libs\/(?:testing|operations|process|adapters|database|embedded)|services\/all-in-one)\//;
/** So do the errors of the commands for auditors and for locked-out administrators. */
const COMMANDS = /^services\/(?:billing\/src\/(?:rerate\/|seal\/journal-export)|identity\/src\/rescue\/)/;
/** And the errors that prevent a process from starting, or those commands from reading a usage log in ClickHouse. */
const AT_START = /^services\/logging\/src\/(?:store\/(?:open-log-store|clickhouse-rows)|proof\/column-log)\.ts$/;
const CODE = "'([a-z]+(?:-[a-z]+)+)'";
/** The error's constructor, and the local functions that create one from a code and a text. */
const MADE = [
  new RegExp(`new AppError\\(\\s*'[a-z-]+',\\s*${CODE},`, 'g'),
  new RegExp(`\\b(?:deny|refusal|unauthenticated|refuse)\\(\\s*${CODE},\\s*[\`']`, 'g'),
];

const sources = ['libs', 'services']
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/src`))
  .filter((folder) => !UNSEEN.test(folder))
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => `${folder}/${file}`),
  )
  .filter((file) => !COMMANDS.test(file) && !AT_START.test(file));
const codes = [
  ...new Set(
    sources.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return MADE.flatMap((made) => [...text.matchAll(made)].flatMap(([, code]) => code ?? []));
    }),
  ),
].sort();

describe('the error texts', () => {
  it('are compared with the codes in the sources of the server', () => {
    expect(codes).toEqual(expect.arrayContaining(['username-taken', 'rank-too-high', 'setup-passwords-differ']));
    expect(codes.length).toBeGreaterThan(80);
  });

  it.each([
    ['English', english],
    ['Chinese', chinese],
  ])('exist in %s for every error code of the server', (_, texts) => {
    expect(codes.filter((code) => !Object.hasOwn(texts, code))).toEqual([]);
  });

  it('have the same codes in both languages', () => {
    expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort());
  });
});
