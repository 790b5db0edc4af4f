import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { bin } from './build.mjs';
import { runToEnd } from './child.mjs';
import { pathWithTools } from './node.mjs';
import { inRoot } from './paths.mjs';
import { runRounds } from './rounds.mjs';

export const WORKERS = Math.max(2, availableParallelism() - 1);

/** Browsers come after what needs none, and a platform in containers wants the machine for itself: it comes last. */
const ROUNDS = [
  ['--selectProjects', 'unit', 'int', 'web', '--maxWorkers', String(WORKERS)],
  // A journey waits for its browser and the browser for the product: two of them use two cores.
  ['--selectProjects', 'e2e', '--maxWorkers', '2'],
  ['--selectProjects', 'containers', '--runInBand'],
];

const FAULTS = ['--selectProjects', 'int', '--runInBand', '--testPathPatterns', 'faults.int-spec'];

const MILLION = ['--selectProjects', 'int', '--runInBand', '--testPathPatterns', 'million.int-spec'];

const KUBE = ['--selectProjects', 'containers', '--runInBand', '--testPathPatterns', 'containers/kube/'];

const jest = () => [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=TimeoutNegativeWarning',
  bin('jest', 'jest'),
  '--reporters=default',
  `--reporters=${inRoot('tools/run/count-reporter.mjs')}`,
  `--testSequencer=${inRoot('tools/run/longest-first.mjs')}`,
  // A list takes every word that follows, so the caller's own come behind a switch.
  '--workerIdleMemoryLimit=1GB',
  '--passWithNoTests',
];

const say = (line) => process.stderr.write(`tollgate: ${line}\n`);
const listed = () => JSON.parse(readFileSync(inRoot('tools/run/unsteady.json'), 'utf8'));

/** Runs every suite, and once more what failed. `ended` gets what each came to. */
export const runAll = (node, ended) =>
  runRounds(ROUNDS, (round) => runRound(node, round), { twice: true, listed: listed(), ended, say });

/** Runs what the caller's own arguments ask jest for. */
export const runSome = (node, args) => runRounds([args], (round) => runRound(node, round), { say });

/** Runs every row of the table of faults; the suites of `runJest` have only its short form. */
export const runFaults = (node, args) =>
  runRounds([[...FAULTS, ...args]], (round) => runRound(node, round, { TOLLGATE_FAULTS: 'full' }), { say });

/** So many mixed requests while processes and servers are killed, at most for so many minutes; a seed repeats the kills. */
export const runMillion = (node, [count = '1000000', minutes = '240', seed = '7']) => {
  const env = { TOLLGATE_MILLION: count, TOLLGATE_MILLION_MINUTES: minutes, TOLLGATE_MILLION_SEED: seed };
  return runRounds([MILLION], (round) => runRound(node, round, env), { say });
};

/** Installs the chart on a Kubernetes, where one can be brought up. */
export const runKube = (node, args, ended) =>
  runRounds([[...KUBE, ...args]], (round) => runRound(node, round), { ended, say });

/** Runs jest once and resolves to its exit code and, if it got to its end, to what each suite came to. */
export async function runRound(node, args, env = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-results-'));
  const results = path.join(folder, 'suites.json');
  try {
    const { code } = await runToEnd(node, [...jest(), ...args], {
      env: { RESULTS_FILE: results, PATH: pathWithTools(), ...env },
    });
    return { code, suites: existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
