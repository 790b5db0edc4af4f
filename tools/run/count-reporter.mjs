import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { relativeToRoot } from './paths.mjs';

/**
 * Writes the counts of each suite of a jest run to the file named by RESULTS_FILE, for the caller to add up and print
 * last.
 */
export default class CountReporter {
  onRunComplete(contexts, { testResults, snapshot, runExecError }) {
    if (runExecError) return; // the run was cut short, so its results are incomplete
    writeFileSync(
      process.env.RESULTS_FILE,
      JSON.stringify([...testResults.map(suiteOf), ...snapshot.filesRemovedList.map(leftover)]),
    );
  }
}

/** The beginning of a message; what a suite failed with the first time is written nowhere else that lasts. */
const MESSAGE_CHARACTERS = 300;

/** A failure and, on indented lines below it, the beginning of its message. */
function withMessage(failure, message = '') {
  const start = stripVTControlCharacters(message).slice(0, MESSAGE_CHARACTERS);
  const lines = start.split('\n').filter((line) => line.trim() !== '');
  return [failure, ...lines.map((line) => `  ${line.trimEnd()}`)].join('\n');
}

function suiteOf(result) {
  const failures = [
    // A suite that fails to load counts as failed without having run a test, and jest fails for snapshots that no test
    // uses.
    ...(result.testExecError ? [withMessage('it did not run', result.testExecError.message)] : []),
    ...result.testResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => withMessage(fullName, failureMessages[0])),
    ...result.snapshot.uncheckedKeys.map((key) => `no test asks for the snapshot "${key}"; -u removes it`),
  ];
  if (failures.length === 0 && result.failureMessage) failures.push('it failed outside its tests');
  return {
    suite: relativeToRoot(result.testFilePath),
    project: result.displayName?.name,
    passed: result.numPassingTests,
    failed: failures.length,
    skipped: result.numPendingTests + result.numTodoTests,
    failures,
    left: result.testResults
      .filter(({ status }) => status === 'pending' || status === 'todo')
      .map(({ fullName }) => fullName),
  };
}

const leftover = (file) => ({
  suite: relativeToRoot(file),
  passed: 0,
  failed: 1,
  skipped: 0,
  failures: ['a snapshot file without a suite; -u removes it'],
});
