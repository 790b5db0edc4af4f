import { existsSync } from 'node:fs';
import { bin } from './build.mjs';
import { runToEnd } from './child.mjs';
import { addCounts, noCounts } from './counts.mjs';
import { NX_QUIET, pathWithTools } from './node.mjs';
import { inRoot } from './paths.mjs';

/** The native compiler takes seconds where the JavaScript one takes minutes. Lint still uses the latter. */
const typesOf = (config) => [bin('typescript-native', 'tsc'), '--noEmit', '-p', config];

/** In parts, because one process that held the types of all files would need more memory than Node gives it by itself. */
const lintOf = (...files) => [bin('eslint', 'eslint'), '--max-warnings', '0', ...files];

/** Checks with `alone` write files that would disturb the others. */
const checks = [
  // First, because they take the longest.
  { name: 'lint of the services', args: () => lintOf('services') },
  { name: 'lint of the console', args: () => lintOf('web') },
  { name: 'lint of the rest', args: () => lintOf('.', '--ignore-pattern', 'services', '--ignore-pattern', 'web') },
  { name: 'types of the server', args: () => typesOf('tsconfig.json') },
  {
    name: 'types of the console',
    needs: 'web/tsconfig.json',
    args: () => typesOf('web/tsconfig.json'),
  },
  {
    name: 'types of the journeys',
    needs: 'web/e2e/tsconfig.json',
    args: () => typesOf('web/e2e/tsconfig.json'),
  },
  { name: 'format', args: () => [bin('prettier', 'prettier'), '--check', '--log-level', 'warn', '.'] },
  { name: 'every spec file in one jest project', args: () => [inRoot('dist/tools/check-tests.js')] },
  { name: 'generated documents', args: () => [inRoot('dist/tools/docs.js'), '--check'] },
  { name: 'lint rules bite', alone: true, args: () => [inRoot('dist/tools/check-boundaries.js')] },
];

/** Runs the static checks, two at a time, and prints the output of those that fail. */
export async function runChecks(node, say) {
  const wanted = checks.filter(({ needs }) => !needs || existsSync(inRoot(needs)));
  // Without a project graph the boundary rule passes in silence.
  const graph = { name: 'project graph', args: () => [bin('nx', 'nx'), 'graph', '--file=.nx/graph.json'] };
  let counts = await runCheck(graph, node, say);
  const queue = wanted.filter(({ alone }) => !alone);
  const worker = async () => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      const own = await runCheck(check, node, say);
      // Added after the await, because the other worker may have changed the counts meanwhile.
      counts = addCounts(counts, own);
    }
  };
  await Promise.all([worker(), worker()]);
  for (const check of wanted.filter(({ alone }) => alone)) counts = addCounts(counts, await runCheck(check, node, say));
  return counts;
}

async function runCheck({ name, args }, node, say) {
  const started = performance.now();
  const { code, output } = await runToEnd(node, args(), {
    show: false,
    env: { ...NX_QUIET, PATH: pathWithTools() },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${code === 0 ? 'ok' : 'FAILED'}: ${name} (${seconds} s)${code === 0 ? '' : `\n${output}`}`);
  return code === 0 ? { ...noCounts, passed: 1 } : { ...noCounts, failed: 1 };
}

/**
 * The `typecheck` target of one project: compiles the whole server side (or the web) and reports only errors of this
 * project.
 */
export async function typecheckProject(node, project) {
  const config = project === 'web' ? 'web/tsconfig.json' : 'tsconfig.json';
  const { code, output } = await runToEnd(node, typesOf(config), { show: false });
  const own = output
    .split('\n')
    .filter((line) => line.includes(': error ') && (project === 'web' || line.startsWith(`${project}/`)));
  if (own.length > 0) process.stdout.write(`${own.join('\n')}\n`);
  if (own.length > 0) return 1;
  // A crash or an error in the configuration names no file, so every project reports it.
  const isElsewhere = output.split('\n').some((line) => /^\S+\(\d+,\d+\): error /.test(line));
  if (code === 0 || isElsewhere) return 0;
  process.stdout.write(output);
  return 1;
}
