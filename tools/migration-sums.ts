import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';

/** The list of the migrations and their SHA-256, in the format that `sha256sum --check` reads. */
export const SUMS_FILE = 'tools/migration-sums.txt';

const byText = (left: string, right: string): number => (left < right ? -1 : 1);

/** Paths of all migrations, in order; like all paths here from the root, where tools and tests run. */
export const migrationFiles = (): string[] => globSync('services/*/src/migrations/Migration*.ts').sort(byText);

export const sumOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** SHA-256 by path, as listed. */
export function listedSums(): Map<string, string> {
  const lines = existsSync(SUMS_FILE) ? readFileSync(SUMS_FILE, 'utf8').split('\n').filter(Boolean) : [];
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/**
 * The list with the migrations that it lacks. What is listed stays, also without its file: a migration that a database has applied is not applied again, so an
 * edited one would leave old and new installations with different tables.
 */
export function migrationSums(): string {
  const listed = listedSums();
  return [...new Set([...listed.keys(), ...migrationFiles()])]
    .sort(byText)
    .map((file) => `${listed.get(file) ?? sumOf(file)}  ${file}\n`)
    .join('');
}
