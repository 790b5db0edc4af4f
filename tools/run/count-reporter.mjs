import { writeFileSync } from 'node:fs';

/** Leaves the counts of a jest run in the file named by COUNTS_FILE, for the caller to add up and print last. */
export default class CountReporter {
  onRunComplete(contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A suite that does not even load fails without having run a test.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(process.env.COUNTS_FILE, JSON.stringify(counts));
  }
}
