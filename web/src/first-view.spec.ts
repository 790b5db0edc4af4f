import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
}

const built = resolve(import.meta.dirname, '../../dist/web');
const manifestFile = join(built, '.vite/manifest.json');
const manifest: Record<string, Chunk> = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {};
const isBuilt = Object.keys(manifest).length > 0;

/** Everything a module needs before it runs. */
function closure(keys: string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (key: string): void => {
    if (seen.has(key)) return;
    const chunk = manifest[key];
    if (!chunk) throw new Error(`no chunk for ${key}`);
    seen.add(key);
    chunk.imports?.forEach(visit);
  };
  keys.forEach(visit);
  return seen;
}

const gzipSize = (file: string): number => gzipSync(readFileSync(join(built, file)), { level: 9 }).length;
const sizeOf = (keys: string[]): number =>
  [...new Set([...closure(keys)].map((key) => manifest[key]?.file ?? ''))].reduce(
    (total, file) => total + gzipSize(file),
    0,
  );

/** Shell, page and their texts, as a visitor's browser loads them for the address. */
const firstView = (page: string): string[] => [
  'index.html',
  'src/app/i18n/zh.ts',
  `src/pages/${page}/${page}-page.tsx`,
  `src/pages/${page}/zh.ts`,
];

const KB = 1000;
/** Kilobytes of script, gzip, per page folder. */
const budgets: [page: string, limit: number][] = [
  ['login', 250],
  ['home', 250],
  ['setup', 250],
  ['token', 250],
  ['log', 250],
  ['user', 250],
  ['channel', 265],
  ['detail', 380],
];

const suite = isBuilt || process.env.CI === 'true' ? describe : describe.skip;
suite('script before the first view', () => {
  it.each(budgets.filter(([page]) => !isBuilt || `src/pages/${page}/${page}-page.tsx` in manifest))(
    'stays within the budget of %s (%d kB)',
    (page, limit) => {
      const size = sizeOf(firstView(page)) / KB;
      expect(size).toBeLessThanOrEqual(limit);
    },
  );

  it('has no chunk above 130 kB, gzip', () => {
    const files = [...new Set(Object.values(manifest).map(({ file }) => file))].filter((file) => file.endsWith('.js'));
    const large = files
      .map((file) => [file, Math.round(gzipSize(file) / KB)] as const)
      .filter(([, size]) => size > 130);
    expect(large).toEqual([]);
  });
});
