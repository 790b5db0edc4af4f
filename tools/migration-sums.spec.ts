import { describe, expect, it } from '@jest/globals';
import { listedSums, migrationFiles, sumOf, SUMS_FILE } from './migration-sums.js';

describe('migrations', () => {
  const listed = listedSums();
  const files = migrationFiles();

  it(`are all in ${SUMS_FILE}; "npm run docs" adds a new one`, () => {
    expect(files.length).toBeGreaterThan(50);
    expect([...listed.keys()]).toEqual(files);
  });

  it('are as they were when they were added: what is to be different needs a migration of its own', () => {
    expect(files.filter((file) => listed.has(file) && listed.get(file) !== sumOf(file))).toEqual([]);
  });
});
