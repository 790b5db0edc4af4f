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
const AT_START = [
  /^services\/logging\/src\/(?:store\/(?:open-log-store|clickhouse-rows)|proof\/column-log)\.ts$/,
  /^libs\/chassis\/src\/(?:errors\/folder-error|crypto\/secret-key-file)\.ts$/,
  /^services\/identity\/src\/hash-key\/hash-keys\.ts$/,
];
const CODE = "'([a-z]+(?:-[a-z]+)+)'";
/** The error's constructor, and the local functions that create one from a code and a text. */
const MADE = [
  new RegExp(`new AppError\\(\\s*'[a-z-]+',\\s*${CODE},`, 'g'),
  new RegExp(`\\b(?:deny|refusal|unauthenticated|refuse)\\(\\s*${CODE},\\s*[\`']`, 'g'),
];
/** Such an error with its parameters, as details of the constructor or as the last argument of a function. */
const WITH_PARAMS = [
  /new AppError\(\s*'[a-z-]+',\s*'([a-z-]+)',(?:(?!new AppError|;\n)[^])*?\bparams: \{([^}]*)\}/g,
  /\b(?:refuse|refusal)\(\s*'([a-z-]+)',(?:(?!;\n)[^])*?, \{([^{}]*)\},?\s*\)/g,
];
/** Parameters that are for programs, repeat what the reader asked for, or are the server's names of things. */
const UNTOLD = new Set([
  ...['final', 'context', 'requestId'],
  ...['id', 'userId', 'requester', 'key', 'day', 'version'],
  ...['status', 'type', 'provider', 'service', 'separator'],
]);

const sources = ['libs', 'services']
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/src`))
  .filter((folder) => !UNSEEN.test(folder))
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => `${folder}/${file}`),
  )
  .filter((file) => !COMMANDS.test(file) && !AT_START.some((unseen) => unseen.test(file)));
const contents = sources.map((file) => readFileSync(join(ROOT, file), 'utf8'));
const codes = [
  ...new Set(
    contents.flatMap((text) => MADE.flatMap((made) => [...text.matchAll(made)].flatMap(([, code]) => code ?? []))),
  ),
].sort();
/** Code and name of each parameter. */
const told = contents.flatMap((text) =>
  WITH_PARAMS.flatMap((made) => [...text.matchAll(made)]).flatMap(([, code = '', params = '']) =>
    params.split(/,(?![^(]*\))/).map((param): [string, string] => [code, param.replace(/:.*/s, '').trim()]),
  ),
);
/** The texts of a code: the one, or one for each `context`. */
const textsOf = (code: string): string[] =>
  Object.entries(english).flatMap(([key, text]) => (key.replace(/_\w+$/, '') === code ? text : []));

describe('the error texts', () => {
  it('are compared with the codes in the sources of the server', () => {
    expect(codes).toEqual(expect.arrayContaining(['username-taken', 'rank-too-high', 'setup-passwords-differ']));
    expect(codes.length).toBeGreaterThan(80);
  });

  it('exist in English for every error code of the server', () => {
    expect(codes.filter((code) => !Object.hasOwn(english, code))).toEqual([]);
  });

  it('exist in Chinese only for codes that have an English text, too', () => {
    expect(Object.keys(chinese).filter((code) => !Object.hasOwn(english, code))).toEqual([]);
  });

  it('contain every parameter of their code, except those that tell a reader nothing', () => {
    expect(told.length).toBeGreaterThan(60);
    const untold = told.filter(
      ([code, name]) => !UNTOLD.has(name) && !textsOf(code).some((text) => text.includes(`{{${name}}}`)),
    );
    expect(untold).toEqual([]);
  });
});
