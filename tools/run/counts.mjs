/** Counts of tests, of suites that could not run, and of checks, added up for the one line that CI reads. */
export const noCounts = { passed: 0, failed: 0, skipped: 0 };

export const addCounts = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

export const countsLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
