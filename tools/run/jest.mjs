import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { bin } from './build.mjs';
import { runToEnd } from './child.mjs';
import { pathWithTools } from './node.mjs';
import { inRoot } from './paths.mjs';
import { runRounds } from './rounds.mjs';

/** Suites wait for their servers a fifth of the time, so three of them keep two cores busy. */
export const WORKERS = Math.max(3, availableParallelism() - 1);

/**
 * Rounds of a full run. Suites with a browser come after those without; container suites need the whole machine and
 * come last.
 */
const ROUNDS = [
  ['--selectProjects', 'unit', 'int', 'web', '--maxWorkers', String(WORKERS)],
  // While an end-to-end suite waits for its browser and the browser for the product, two of them can share two cores.
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
  // Jest's list options swallow every argument that follows, so the caller's arguments must come after an option that
  // is no list.
  '--workerIdleMemoryLimit=1GB',
  '--passWithNoTests',
];

const say = (line) => process.stderr.write(`tollgate: ${line}\n`);
const listed = () => JSON.parse(readFileSync(inRoot('tools/run/unsteady.json'), 'utf8'));

/** Runs every suite, and those that failed once more. `ended` is called with the results of each suite. */
export const runAll = (node, ended) =>
  runRounds(ROUNDS, (round) => runRound(node, round), { twice: true, listed: listed(), ended, say });

/** Runs jest with the caller's own arguments. */
export const runSome = (node, args) => runRounds([args], (round) => runRound(node, round), { say });

/** Runs every row of the table of faults; an ordinary run covers only a short selection. */
export const runFaults = (node, args) =>
  runRounds([[...FAULTS, ...args]], (round) => runRound(node, round, { TOLLGATE_FAULTS: 'full' }), { say });

/**
 * Sends `count` mixed requests, for at most `minutes`, while processes and servers are killed; the same seed repeats
 * the same kills.
 */
export const runMillion = (node, [count = '1000000', minutes = '240', seed = '7']) => {
  const env = { TOLLGATE_MILLION: count, TOLLGATE_MILLION_MINUTES: minutes, TOLLGATE_MILLION_SEED: seed };
  return runRounds([MILLION], (round) => runRound(node, round, env), { say });
};

/** Installs the chart on a Kubernetes cluster, if one can be started. */
export const runKube = (node, args, ended) =>
  runRounds([[...KUBE, ...args]], (round) => runRound(node, round), { ended, say });

/** Runs jest once. Resolves to its exit code and, if jest ran to its end, to the results of each suite. */
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
