import { createRequire } from 'node:module';

// Of the jest that runs: a part of it and no dependency of ours.
const jestCore = createRequire(createRequire(import.meta.url).resolve('jest')).resolve('@jest/core');
const { default: Sequencer } = createRequire(jestCore)('@jest/test-sequencer');

/**
 * Suites that take minutes. Where nothing is known of an earlier run, as on a fresh clone, jest begins with the largest files, and these
 * are small: one that comes last keeps a single core busy while the others have nothing left to do.
 */
const LONG = [
  'faults/faults.int-spec.ts',
  'cluster/cluster.int-spec.ts',
  'attacks/cluster.int-spec.ts',
  'cluster/rolling-upgrade.int-spec.ts',
  'e2e/console-pages.e2e.ts',
  'e2e/console-states.e2e.ts',
  '/attacks/',
];

export const rankOf = (file) => {
  const rank = LONG.findIndex((part) => file.includes(part));
  return rank < 0 ? LONG.length : rank;
};

/** The long ones first, all others as jest has them: by the time of their last run, or by size. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a.path) - rankOf(b.path));
  }
}
