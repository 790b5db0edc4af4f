import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { baseApi, injectEndpoints } from './base-api.js';

const src = resolve(import.meta.dirname, '..');
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const modules = sources.filter((file) => file.endsWith('.api.ts'));

describe('calls of the console', () => {
  it('are defined by resource in one folder, with unique names', async () => {
    expect(modules.length).toBeGreaterThan(5);
    expect(modules.filter((file) => !/^api[/\\]/.test(file))).toEqual([]);
    for (const file of modules) await import(join(src, file));
    expect(Object.keys(baseApi.endpoints).length).toBeGreaterThan(30);
  });

  it('are added only by the function that refuses duplicates', () => {
    const others = sources.filter((file) => !file.endsWith('base-api.ts') && !file.endsWith('.spec.ts'));
    expect(others.filter((file) => readFileSync(join(src, file), 'utf8').includes('.injectEndpoints('))).toEqual([]);
    const twin = () =>
      injectEndpoints({ endpoints: (build) => ({ countLogs: build.query<null, void>({ query: () => '' }) }) });
    expect(twin).toThrow(/countLogs/);
  });
});
