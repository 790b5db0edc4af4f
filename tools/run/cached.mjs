import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bin } from './build.mjs';
import { runToEnd } from './child.mjs';
import { runRound, WORKERS } from './jest.mjs';
import { NX_QUIET, pathWithTools } from './node.mjs';
import { inRoot } from './paths.mjs';
import { runRounds } from './rounds.mjs';

/** Nx targets and their jest projects. Targets without servers or browsers run two projects side by side. */
const KINDS = {
  test: { projects: ['unit', 'web'], side: 2, workers: 1 },
  int: { projects: ['int'], side: 1, workers: WORKERS },
  e2e: { projects: ['e2e'], side: 1, workers: 2 },
  containers: { projects: ['containers'], side: 1, workers: 1 },
};
export const ALL = Object.keys(KINDS);
export const QUICK = ['test'];

/**
 * Folder of result files. Nx stores them with the target that wrote them, so they are also there for a target whose
 * outcome came from the cache.
 */
const resultsOf = (kind) => inRoot('dist', '.suites', kind);

/**
 * Runs the suites of all projects with Nx, which does not repeat a target that passed on the very same files. A target
 * that failed is never cached.
 */
export const runCached = (node, kinds, say) =>
  runRounds(
    kinds.map((kind) => [kind]),
    ([kind]) => runKind(node, kind),
    { say },
  );

async function runKind(node, kind) {
  rmSync(resultsOf(kind), { recursive: true, force: true });
  const { code } = await runToEnd(
    node,
    [bin('nx', 'nx'), 'run-many', '--targets', kind, '--outputStyle=static', `--parallel=${KINDS[kind].side}`],
    { env: { ...NX_QUIET, FORCE_COLOR: process.stdout.isTTY ? '1' : '0', PATH: pathWithTools() } },
  );
  const suites = resultFiles(kind).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')));
  return { code, suites: suites.length > 0 ? suites : undefined };
}

function resultFiles(kind) {
  if (!existsSync(resultsOf(kind))) return [];
  return readdirSync(resultsOf(kind)).map((file) => path.join(resultsOf(kind), file));
}

/**
 * The command of an Nx target: runs the suites of one kind in the folder of one project, and resolves to jest's exit
 * code.
 */
export async function runProject(node, kind, folder) {
  const { projects, workers } = KINDS[kind];
  const { code, suites } = await runRound(node, [
    '--selectProjects',
    ...projects,
    `--maxWorkers=${workers}`,
    '--testPathPatterns',
    `^${inRoot(folder)}/`,
  ]);
  if (suites) {
    mkdirSync(resultsOf(kind), { recursive: true });
    writeFileSync(path.join(resultsOf(kind), `${process.env.NX_TASK_TARGET_PROJECT}.json`), JSON.stringify(suites));
  }
  return code;
}
