import { existsSync } from 'node:fs';
import { bin } from './build.mjs';
import { runToEnd } from './child.mjs';
import { addCounts, noCounts } from './counts.mjs';
import { NX_QUIET, pathWithTools } from './node.mjs';
import { inRoot } from './paths.mjs';

/** The native compiler takes seconds where that of JavaScript takes minutes; the lint still needs the latter's programs. */
const typesOf = (config) => [bin('typescript-native', 'tsc'), '--noEmit', '-p', config];

/** `alone` checks plant files that the others would stumble over. */
const checks = [
  // First, because it takes as long as the others together.
  { name: 'lint', args: () => [bin('eslint', 'eslint'), '--max-warnings', '0', '.'] },
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

/** Runs the static checks, two at a time, and shows what a failed one said. */
export async function runChecks(node, say) {
  const wanted = checks.filter(({ needs }) => !needs || existsSync(inRoot(needs)));
  // The boundary rule is silent without a project graph.
  const graph = { name: 'project graph', args: () => [bin('nx', 'nx'), 'graph', '--file=.nx/graph.json'] };
  let counts = await runCheck(graph, node, say);
  const queue = wanted.filter(({ alone }) => !alone);
  const worker = async () => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      const own = await runCheck(check, node, say);
      // Added after the wait: the other worker may have counted meanwhile.
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

/** For the `typecheck` target of one project: one program for the server side, the errors of this project only. */
export async function typecheckProject(node, project) {
  const config = project === 'web' ? 'web/tsconfig.json' : 'tsconfig.json';
  const { code, output } = await runToEnd(node, typesOf(config), { show: false });
  const own = output
    .split('\n')
    .filter((line) => line.includes(': error ') && (project === 'web' || line.startsWith(`${project}/`)));
  if (own.length > 0) process.stdout.write(`${own.join('\n')}\n`);
  if (own.length > 0) return 1;
  // A crash or a fault of the configuration names no file of a project, so it is everybody's.
  const isElsewhere = output.split('\n').some((line) => /^\S+\(\d+,\d+\): error /.test(line));
  if (code === 0 || isElsewhere) return 0;
  process.stdout.write(output);
  return 1;
}
