/** One planted fault: the file to write, its code, and the rule that must report it. */
export interface BoundaryCase {
  name: string;
  /** Folder in which the file is planted, relative to the repository. */
  folder: string;
  code: string;
  rule: string;
  extension?: 'ts' | 'tsx';
  /** The file's name, where another planted file imports it; a number otherwise. */
  file?: string;
}

/** Prefix of planted files, by which they are found again and removed. */
export const PREFIX = 'boundary-canary-';

const BOUNDARIES = '@nx/enforce-module-boundaries';
const LAYERS: [name: string, folder: string, imported: string][] = [
  ['contracts import the chassis', 'libs/contracts/src', '@tollgate/chassis'],
  ['contracts import Nest', 'libs/contracts/src', '@nestjs/common'],
  ['pricing imports the chassis', 'libs/pricing/src', '@tollgate/chassis'],
  ['pricing imports the ORM', 'libs/pricing/src', '@mikro-orm/core'],
  ['providers import React', 'libs/providers/src', 'react'],
  ['providers import kafkajs', 'libs/providers/src', 'kafkajs'],
  ['the chassis imports a domain library', 'libs/chassis/src', '@tollgate/pricing'],
  ['the chassis imports the database', 'libs/chassis/src', '@tollgate/database'],
  ['the database imports operations', 'libs/database/src', '@tollgate/operations'],
  ['an adapter imports the process', 'libs/adapters/src', '@tollgate/process'],
  ['embedded servers import the database', 'libs/embedded/src', '@tollgate/database'],
  ['operations import the process', 'libs/operations/src', '@tollgate/process'],
  ['a service without tables imports the database', 'services/relay/src', '@tollgate/database'],
  ['a service without tables imports the ORM', 'services/gateway/src', '@mikro-orm/core'],
  ['a service imports an adapter', 'services/billing/src', '@tollgate/adapters'],
  ['a service imports another service', 'services/relay/src', '@tollgate/billing'],
  ['a service imports all-in-one', 'services/billing/src', '@tollgate/all-in-one'],
  ['product code imports the testing library', 'services/billing/src', '@tollgate/testing'],
  ['all-in-one imports a domain library', 'services/all-in-one/src', '@tollgate/pricing'],
  ['testing imports a service', 'libs/testing/src', '@tollgate/billing'],
  ['the web imports the chassis', 'web/src', '@tollgate/chassis'],
  ['the web imports a service', 'web/src', '@tollgate/identity'],
  ['the web imports Nest', 'web/src', '@nestjs/common'],
  ['a relative import reaches into another project', 'services/relay/src', '../../billing/src/index.js'],
];

const LIMITS: BoundaryCase[] = [
  {
    name: 'a page imports another page',
    folder: 'web/src/pages/token',
    code: `export * from '../channel/channel-page.js';\n`,
    rule: 'tollgate/pages-stay-apart',
  },
  {
    name: 'a component imports a page',
    folder: 'web/src/components/tables',
    code: `export * from '../../pages/token/token-page.js';\n`,
    rule: 'tollgate/pages-stay-apart',
  },
  {
    name: 'a folder of a service imports one above it',
    folder: 'services/billing/src/journal',
    code: `export * from '../booking/booking.service.js';\n`,
    rule: 'tollgate/no-import-upwards',
  },
  {
    name: 'a folder of a library imports one above it',
    folder: 'libs/chassis/src/log',
    code: `export type * from '../service/host.js';\n`,
    rule: 'tollgate/no-import-upwards',
  },
  {
    name: 'a folder of the components imports one above it',
    folder: 'web/src/components/basics',
    code: `export * from '../tables/resource-table.js';\n`,
    rule: 'tollgate/no-import-upwards',
  },
  {
    name: 'a component imports the frame around the pages',
    folder: 'web/src/components/layout',
    code: `export * from '../../shell/guard.js';\n`,
    rule: 'tollgate/no-import-upwards',
  },
  ...['web/src/pages/token', 'services/relay/src/budget'].flatMap((folder) =>
    (['one', 'other'] as const).map((file, at, both) => ({
      name: `a file imports one that leads back to it (${folder}, ${file})`,
      folder,
      file,
      code: `export type * from './${PREFIX}${both[1 - at]}.js';\n`,
      rule: 'tollgate/no-import-circles',
    })),
  ),
  {
    name: 'an unlisted package is imported',
    folder: 'libs/chassis/src',
    code: `export * from 'left-pad';\n`,
    rule: 'tollgate/listed-dependencies',
  },
  {
    name: 'product code imports a devDependency',
    folder: 'libs/chassis/src',
    code: `export * from 'supertest';\n`,
    rule: 'tollgate/listed-dependencies',
  },
  {
    name: 'Han outside the dictionaries of the web',
    folder: 'web/src/components',
    code: `export const Planted = () => <p>保存</p>;\n`,
    rule: 'no-restricted-syntax',
    extension: 'tsx',
  },
  {
    name: 'any',
    folder: 'libs/contracts/src',
    code: 'export const planted = (value: any): unknown => value;\n',
    rule: '@typescript-eslint/no-explicit-any',
  },
  {
    name: 'a default export',
    folder: 'libs/contracts/src',
    code: 'export default 1;\n',
    rule: 'no-restricted-exports',
  },
  {
    name: 'five parameters',
    folder: 'libs/contracts/src',
    code: 'export const planted = (a: 1, b: 1, c: 1, d: 1, e: 1): unknown => [a, b, c, d, e];\n',
    rule: 'no-restricted-syntax',
  },
  {
    name: 'a promise nobody waits for',
    folder: 'libs/chassis/src',
    code: 'export const planted = (): void => {\n  Promise.resolve(1);\n};\n',
    rule: '@typescript-eslint/no-floating-promises',
  },
  ...['this.planted = () => this;', 'this.planted = function () {};'].map((line) => ({
    name: `a function is made with each object (${line})`,
    folder: 'services/relay/src',
    code: `export class Planted {\n  planted: unknown;\n\n  constructor() {\n    ${line}\n  }\n}\n`,
    rule: 'tollgate/no-function-members',
  })),
  {
    name: 'a field of a class is a function',
    folder: 'services/relay/src',
    code: 'export class Planted {\n  planted = (): this => this;\n}\n',
    rule: 'tollgate/no-function-members',
  },
  {
    name: 'a rule switched off without a reason',
    folder: 'libs/chassis/src',
    code: '// eslint-disable-next-line no-var\nexport var planted = 1;\n',
    rule: 'tollgate/reasoned-disable',
  },
  {
    name: 'a file of 401 lines',
    folder: 'libs/chassis/src',
    code: `${'//\n'.repeat(400)}export const planted = 1;\n`,
    rule: 'max-lines',
  },
];

export const boundaryCases: BoundaryCase[] = [
  ...LAYERS.map(([name, folder, imported]) => ({
    name,
    folder,
    code: `import * as planted from '${imported}';\nexport { planted };\n`,
    rule: BOUNDARIES,
  })),
  ...LIMITS,
];
