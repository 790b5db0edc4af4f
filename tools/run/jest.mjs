import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { bin } from './build.mjs';
import { runToEnd } from './child.mjs';
import { addCounts, noCounts } from './counts.mjs';
import { pathWithTools } from './node.mjs';
import { inRoot } from './paths.mjs';

const COUNTS_FILE = inRoot('dist', '.test-counts.json');
const workers = Math.max(2, availableParallelism() - 1);

/** Browsers want the machine for themselves, so the journeys come last and one at a time. */
const rounds = [
  ['--selectProjects', 'unit', 'int', 'web', '--maxWorkers', String(workers)],
  ['--selectProjects', 'e2e', '--runInBand'],
];

const FAULTS = ['--selectProjects', 'int', '--runInBand', '--testPathPatterns', 'faults.int-spec'];

/** Runs every suite, or what the caller's own arguments ask jest for. */
export async function runJest(node, args) {
  let counts = noCounts;
  for (const round of args.length > 0 ? [args] : rounds) counts = addCounts(counts, await runRound(node, round));
  return counts;
}

/** Runs every row of the table of faults; the suites of `runJest` have only its short form. */
export const runFaults = (node, args) => runRound(node, [...FAULTS, ...args], { TOLLGATE_FAULTS: 'full' });

async function runRound(node, args, env = {}) {
  rmSync(COUNTS_FILE, { force: true });
  const { code } = await runToEnd(
    node,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=TimeoutNegativeWarning',
      bin('jest', 'jest'),
      '--reporters=default',
      `--reporters=${inRoot('tools/run/count-reporter.mjs')}`,
      // A list takes every word that follows, so the caller's own come behind a switch.
      '--workerIdleMemoryLimit=1GB',
      '--passWithNoTests',
      ...args,
    ],
    { env: { COUNTS_FILE, PATH: pathWithTools(), ...env } },
  );
  const counts = existsSync(COUNTS_FILE) ? JSON.parse(readFileSync(COUNTS_FILE, 'utf8')) : noCounts;
  if (code === 0 || counts.failed > 0) return counts;
  process.stderr.write('tollgate: no test failed, but jest did: its set-up, or a snapshot that no test asks for\n');
  return { ...counts, failed: 1 };
}
