import nx from '@nx/eslint-plugin';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { tollgateRules } from './tools/lint/rules.mjs';

const SERVER_LIBS = ['@nestjs/*', '@mikro-orm/*', 'kafkajs', 'ioredis'];
const SPECS = [
  '**/*.{spec,int-spec,container-spec,e2e}.{ts,tsx}',
  '{libs,services}/*/test/**/*.ts',
  'web/{e2e,src/testing}/**',
  // Suites that are run for every adapter of a port.
  'libs/testing/src/contract-*.ts',
];
// Tools that read these files require a default export.
const CONFIG_FILES = ['*.config.mjs', 'web/*.config.{ts,mts,mjs}', 'libs/testing/src/global-{setup,teardown}.ts'];
const DICTIONARIES = ['web/src/**/{zh,en}.ts'];

/** Which project may import which. `tools/check-boundaries.ts` plants a forbidden import for each line. */
const boundaries = [
  {
    sourceTag: 'layer:contract',
    onlyDependOnLibsWithTags: ['layer:contract'],
    bannedExternalImports: [...SERVER_LIBS, 'react*'],
  },
  {
    sourceTag: 'layer:domain',
    onlyDependOnLibsWithTags: ['layer:contract', 'layer:domain'],
    bannedExternalImports: [...SERVER_LIBS, 'react*'],
  },
  // The libraries that a process consists of, from the lowest to `process`, which combines them.
  { sourceTag: 'layer:chassis', onlyDependOnLibsWithTags: ['layer:contract', 'layer:chassis'] },
  ...['database', 'adapters', 'embedded'].map((ground) => ({
    sourceTag: `layer:${ground}`,
    onlyDependOnLibsWithTags: ['layer:contract', 'layer:chassis', `layer:${ground}`],
  })),
  {
    sourceTag: 'layer:operations',
    onlyDependOnLibsWithTags: [
      'layer:contract',
      'layer:chassis',
      'layer:database',
      'layer:adapters',
      'layer:operations',
    ],
  },
  {
    sourceTag: 'layer:process',
    onlyDependOnLibsWithTags: [
      'layer:contract',
      'layer:chassis',
      'layer:database',
      'layer:adapters',
      'layer:embedded',
      'layer:operations',
      'layer:process',
    ],
  },
  {
    sourceTag: 'layer:service',
    onlyDependOnLibsWithTags: ['layer:contract', 'layer:domain', 'layer:chassis', 'layer:database', 'layer:process'],
  },
  {
    sourceTag: 'tables:none',
    onlyDependOnLibsWithTags: ['layer:contract', 'layer:domain', 'layer:chassis', 'layer:process'],
    bannedExternalImports: ['@mikro-orm/*', 'pg'],
  },
  {
    sourceTag: 'layer:entry',
    onlyDependOnLibsWithTags: [
      'layer:service',
      'layer:chassis',
      'layer:database',
      'layer:adapters',
      'layer:embedded',
      'layer:operations',
      'layer:process',
    ],
  },
  { sourceTag: 'layer:web', onlyDependOnLibsWithTags: ['layer:contract', 'layer:domain'] },
  {
    sourceTag: 'runtime:browser',
    onlyDependOnLibsWithTags: ['runtime:any', 'runtime:browser'],
    bannedExternalImports: SERVER_LIBS,
  },
  { sourceTag: 'runtime:any', onlyDependOnLibsWithTags: ['runtime:any'] },
  { sourceTag: 'layer:tool', onlyDependOnLibsWithTags: ['*'] },
  {
    sourceTag: 'layer:testing',
    onlyDependOnLibsWithTags: ['layer:contract', 'layer:chassis', 'layer:database', 'layer:embedded', 'layer:process'],
  },
];
const moduleBoundaries = (more) => [
  'error',
  {
    // A dynamic import in a test does not make a library lazily loaded.
    checkDynamicDependenciesExceptions: ['.*'],
    // The specs of these libraries use `testing`, which itself depends on the libraries.
    ignoredCircularDependencies: [
      'contracts',
      'chassis',
      'database',
      'adapters',
      'embedded',
      'operations',
      'process',
    ].map((tested) => ['testing', tested]),
    depConstraints: boundaries,
    ...more,
  },
];

const tooManyParameters = (selector) => ({ selector, message: 'At most four parameters; take an object.' });

/** A selector instead of the core rule `max-params`, which cannot exempt constructors with injected parameters. */
const syntax = [
  { selector: 'TSEnumDeclaration', message: 'Use a string union or an `as const` table.' },
  tooManyParameters(':matches(FunctionDeclaration, ArrowFunctionExpression, TSDeclareFunction)[params.length>4]'),
  tooManyParameters(':not(MethodDefinition) > FunctionExpression[params.length>4]'),
  tooManyParameters('MethodDefinition[kind!="constructor"] > FunctionExpression[params.length>4]'),
  tooManyParameters(
    'ClassDeclaration[decorators.length=0] > ClassBody > MethodDefinition[kind="constructor"] > FunctionExpression[params.length>4]',
  ),
];
const HAN = '/[\\u3400-\\u9fff\\uf900-\\ufaff]/';
const han = ['Literal[value=', 'TemplateElement[value.raw=', 'JSXText[value='].map((part) => ({
  selector: `${part}${HAN}]`,
  message: 'Text for people lives in the dictionaries (zh.ts, en.ts).',
}));

export default tseslint.config(
  { ignores: ['dist/', 'data/', 'coverage/', '.nx/', 'node_modules/', '**/__fixtures__/', 'web/public/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{mjs,js}'],
    plugins: { tollgate: tollgateRules },
    rules: {
      'no-unused-vars': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'tollgate/reasoned-disable': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx,mts}'],
    plugins: { '@typescript-eslint': tseslint.plugin, '@nx': nx, tollgate: tollgateRules },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70 }],
      complexity: ['error', 12],
      'max-depth': ['error', 3],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      'no-restricted-syntax': ['error', ...syntax],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/ban-ts-comment': 'error',
      // The rule skips files with decorators, because their imports of classes are needed for decorator metadata.
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: ['it', 'test', 'describe'] }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@nx/enforce-module-boundaries': moduleBoundaries({}),
      'tollgate/listed-dependencies': 'error',
      'tollgate/no-import-circles': 'error',
      'tollgate/no-import-upwards': 'error',
      'tollgate/pages-stay-apart': 'error',
      'tollgate/reasoned-disable': 'error',
    },
  },
  {
    files: ['web/**/*.{ts,tsx}'],
    // An end-to-end test finds elements by their visible texts.
    ignores: [...DICTIONARIES, 'web/e2e/**'],
    rules: { 'no-restricted-syntax': ['error', ...syntax, ...han] },
  },
  {
    files: ['web/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
    },
  },
  {
    files: ['{services/relay,libs/providers}/src/**/*.ts'],
    ignores: SPECS,
    rules: { 'tollgate/no-function-members': 'error' },
  },
  {
    // These are bundled or never shipped, so they may use devDependencies.
    files: ['web/**', 'tools/**', 'libs/testing/**', ...SPECS],
    rules: { 'tollgate/listed-dependencies': ['error', { development: true }] },
  },
  {
    files: SPECS,
    rules: {
      '@nx/enforce-module-boundaries': moduleBoundaries({
        // An end-to-end test runs the whole product.
        allow: ['@tollgate/testing', '@tollgate/contracts', '@tollgate/contracts/*', '@tollgate/all-in-one'],
        allowCircularSelfDependency: true,
      }),
      'max-lines': 'off',
      'max-lines-per-function': 'off',
    },
  },
  { files: CONFIG_FILES, rules: { 'no-restricted-exports': 'off' } },
);
