import { createRequire } from 'node:module';

// Resolved from jest, as a part of it that is no dependency of ours.
const jestCore = createRequire(createRequire(import.meta.url).resolve('jest')).resolve('@jest/core');
const { default: Sequencer } = createRequire(jestCore)('@jest/test-sequencer');

/**
 * Suites that take minutes. Without durations of an earlier run, as on a fresh clone, jest begins with the largest
 * files, and these files are small: a long suite that starts last would occupy a single core while the others have
 * nothing left to do.
 */
const LONG = [
  'faults/faults.int-spec.ts',
  'cluster/cluster.int-spec.ts',
  'attacks/cluster.int-spec.ts',
  'cluster/rolling-upgrade.int-spec.ts',
  'e2e/on-cluster.e2e.ts',
  'e2e/console-pages.e2e.ts',
  'e2e/console-states.e2e.ts',
  '/attacks/',
];

export const rankOf = (file) => {
  const rank = LONG.findIndex((part) => file.includes(part));
  return rank < 0 ? LONG.length : rank;
};

/** The long suites first, then all others in jest's order: by their last duration, or by size. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a.path) - rankOf(b.path));
  }
}
