const swcOptions = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true, tsx: false },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      react: { runtime: 'automatic' },
    },
  },
};
const tsxOptions = {
  ...swcOptions,
  jsc: { ...swcOptions.jsc, parser: { syntax: 'typescript', tsx: true, decorators: true } },
};

const moduleNameMapper = {
  '^@tollgate/contracts/(.+)$': '<rootDir>/libs/contracts/src/$1.ts',
  '^@tollgate/(contracts|pricing|providers|chassis|database|adapters|embedded|operations|process|testing)$':
    '<rootDir>/libs/$1/src/index.ts',
  '^@tollgate/(gateway|identity|billing|channel|relay|logging|all-in-one)$': '<rootDir>/services/$1/src/index.ts',
  '^(\\.{1,2}/.*)\\.js$': '$1',
};

const base = {
  rootDir: import.meta.dirname,
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions], '^.+\\.tsx$': ['@swc/jest', tsxOptions] },
  moduleNameMapper,
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
};

/** `tools/check-tests.ts` verifies that every spec file belongs to exactly one of these projects. */
export default {
  // Only stops tests that hang; it is no bound on speed, because the machines that run the checks are small and shared.
  testTimeout: 60_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testEnvironment: 'node',
      roots: ['<rootDir>/libs', '<rootDir>/services', '<rootDir>/tools'],
      testMatch: ['**/*.spec.ts'],
    },
    {
      ...base,
      displayName: 'int',
      testEnvironment: 'node',
      roots: ['<rootDir>/libs', '<rootDir>/services', '<rootDir>/tools'],
      testMatch: ['**/*.int-spec.ts'],
      globalSetup: '<rootDir>/libs/testing/src/global-setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/global-teardown.ts',
    },
    {
      ...base,
      displayName: 'containers',
      testEnvironment: 'node',
      roots: ['<rootDir>/services/all-in-one'],
      testMatch: ['**/*.container-spec.ts'],
    },
    {
      ...base,
      displayName: 'web',
      testEnvironment: 'jest-fixed-jsdom',
      roots: ['<rootDir>/web/src'],
      testMatch: ['**/*.spec.ts', '**/*.spec.tsx'],
    },
    {
      ...base,
      displayName: 'e2e',
      testEnvironment: 'node',
      roots: ['<rootDir>/web/e2e'],
      testMatch: ['**/*.e2e.ts'],
      globalSetup: '<rootDir>/libs/testing/src/global-setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/global-teardown.ts',
    },
  ],
};
