import { addCounts, noCounts } from './counts.mjs';

/** If more suites fail, it is no coincidence, and repeating each alone would take longer than the run did. */
const MOST_SECOND_RUNS = 10;

const failedOf = (suites) => suites.filter(({ failed }) => failed > 0);

/**
 * Runs the rounds one after the other. `runRound` takes jest's arguments and resolves to `{ code, suites }`, without
 * `suites` when jest did not run to its end. With `twice`, failed suites run once more after all rounds, each alone,
 * and the second outcome replaces the first. Returns the sum of the counts, and reports last which suites failed and
 * which are unsteady; `listed` are the known unsteady ones. `ended` is called with the results of each suite.
 */
export async function runRounds(rounds, runRound, { twice = false, listed = [], ended = () => {}, say }) {
  const first = [];
  for (const args of rounds) first.push(...suitesOf(args, await runRound(args)));
  const again = twice ? await secondRuns(failedOf(first), runRound, say) : new Map();
  const final = first.flatMap((suite) => again.get(suite) ?? [suite]);
  const unsteady = [...again.keys()].filter((suite) => failedOf(again.get(suite)).length === 0);
  report({ unsteady, failed: failedOf(final), listed, say });
  ended(final);
  return final.reduce(addCounts, noCounts);
}

/**
 * The suites of a run. A run that did not get to its end, or that failed although no suite did, becomes a failed suite
 * of its own.
 */
function suitesOf(args, { code, suites }) {
  const run = { ...noCounts, suite: `jest ${args.join(' ')}`, failed: 1 };
  if (!suites) return [{ ...run, failures: [`it did not get to its end (code ${code})`], args }];
  if (code === 0 || failedOf(suites).length > 0) return suites;
  return [...suites, { ...run, failures: ['no suite failed, but jest did: its teardown?'], args }];
}

/** Repeats each failed suite alone. Resolves to the new results by suite. */
async function secondRuns(failed, runRound, say) {
  const outcomes = new Map();
  if (failed.length > MOST_SECOND_RUNS) {
    say(`${failed.length} suites failed, more than by chance: none runs a second time`);
    return outcomes;
  }
  for (const suite of failed) {
    say(`once more, alone: ${suite.suite}`);
    const args = suite.args ?? alone(suite);
    // Jest also complains of snapshot files without a suite, whichever suites it was told to run. Those are counted
    // already.
    const isMeant = (other) => suite.args || other.args || other.suite === suite.suite;
    const second = suitesOf(args, await runRound(args)).filter(isMeant);
    // Jest succeeds when it finds no suite at all; then the first outcome stands.
    outcomes.set(suite, second.some(({ passed, failed }) => passed + failed > 0) ? second : [suite]);
  }
  return outcomes;
}

const alone = ({ project, suite }) => [
  ...(project ? ['--selectProjects', project] : []),
  '--runInBand',
  '--runTestsByPath',
  suite,
];

function report({ unsteady, failed, listed, say }) {
  for (const { suite, failures } of failed) say(`FAILED: ${suite}\n${indented(failures)}`);
  if (unsteady.length === 0) return;
  say('UNSTEADY: these failed in the run and passed alone');
  for (const { suite, failures } of unsteady) {
    const known = listed.find((row) => row.suite === suite);
    const note = known
      ? `listed since ${known.since}: ${known.why}`
      : 'NOT LISTED: mend it, or put it on the list in tools/run/unsteady.json with what was seen';
    say(`  ${suite} (${note})\n${indented(failures)}`);
  }
}

const indented = (failures) => failures.join('\n').replaceAll(/^/gm, '    ');
