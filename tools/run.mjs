#!/usr/bin/env node
/**
 * The commands behind `npm start`, `npm test` and the other scripts of package.json. Runs on any Node since 18 with its built-in modules
 * only, because it installs everything else: it synchronises node_modules with the lock file, picks the pinned Node from it, builds what
 * has changed, and then runs the requested command.
 */
import { existsSync } from 'node:fs';
import { bin, ensureBuilt, PARTS } from './run/build.mjs';
import { ALL_IN_ONE, bundled } from './run/bundles.mjs';
import { runChecks, typecheckProject } from './run/checks.mjs';
import { runForeground } from './run/child.mjs';
import { addCounts, countsLine, noCounts } from './run/counts.mjs';
import { ALL, QUICK, runCached, runProject } from './run/cached.mjs';
import { ensureInstalled } from './run/install.mjs';
import { runAll, runFaults, runKube, runMillion, runSome } from './run/jest.mjs';
import { kubeNotes } from './run/kube.mjs';
import { withLock } from './run/lock.mjs';
import { pathWithTools, pickNode } from './run/node.mjs';
import { inRoot } from './run/paths.mjs';

const say = (line) => process.stderr.write(`tollgate: ${line}\n`);

// `tools/cluster/node-flags.ts` gives the reasons.
const NODE_FLAGS = ['--disable-warning=TimeoutNegativeWarning', '--max-semi-space-size=16'];
const RELAY_FLAGS = ['--no-memory-reducer', '--no-allocation-site-pretenuring'];
// glibc would otherwise give each of Node's threads a memory arena of its own and not return freed memory.
process.env.MALLOC_ARENA_MAX ??= '1';
const envFile = () => (existsSync(inRoot('.env')) ? ['--env-file=.env'] : []);
const COMMAND = bundled(ALL_IN_ONE, 'command.js');
const MAIN = bundled(ALL_IN_ONE, 'main.js');
const LOCK = inRoot('.nx', 'run.lock');

function prepare(parts) {
  return withLock(
    LOCK,
    async () => {
      await ensureInstalled(say);
      const node = pickNode();
      await ensureBuilt(node, say, parts);
      return node;
    },
    say,
  );
}

async function program(script, args, parts, { flags = [], ...options } = {}) {
  const node = await prepare(parts);
  if (!existsSync(inRoot(script))) throw new Error(`${script} was not built`);
  return runForeground(node, [...NODE_FLAGS, ...flags, ...envFile(), script, ...args], options);
}

/** Runs `work` and prints the count of tests as the last line, also when `work` throws. */
async function counted(work) {
  let counts = { ...noCounts, failed: 1 };
  try {
    counts = await work();
  } catch (error) {
    say(error.message);
  }
  process.stdout.write(`${countsLine(counts)}\n`);
  return counts.failed === 0 ? 0 : 1;
}

const isCi = () => process.env.CI !== undefined && process.env.CI !== 'false';

async function test(args) {
  if (args[0] === '--quick') return runCached(await prepare([]), QUICK, say);
  const node = await prepare();
  if (args.length > 0) return runSome(node, args);
  if (!isCi()) return runCached(node, ALL, say);
  const checked = await runChecks(node, say);
  return addCounts(checked, await runAll(node, sayOfKube));
}

const sayOfKube = (suites) => kubeNotes(suites).forEach((note) => say(note));

async function testFaults([first, ...rest]) {
  const node = await prepare(PARTS.processes);
  if (first === 'million') return runMillion(node, rest);
  return runFaults(node, first === undefined ? [] : [first, ...rest]);
}

/** Runs the compiled files, because they are replaced one by one. */
async function dev() {
  const node = await prepare(PARTS.tools);
  const env = { PATH: pathWithTools(), TOLLGATE_MAIL_LOG: process.env.TOLLGATE_MAIL_LOG ?? 'on' };
  const watched = ['--watch-path=dist/libs', '--watch-path=dist/services', '--watch-preserve-output'];
  const running = [
    runForeground(node, [bin('@swc/cli', 'swc'), 'libs', 'services', 'tools', '-d', 'dist', '-w'], { env }),
    runForeground(
      node,
      [...watched, ...NODE_FLAGS, ...RELAY_FLAGS, ...envFile(), 'dist/services/all-in-one/src/main.js'],
      { env },
    ),
  ];
  if (existsSync(inRoot('web/index.html'))) running.push(runForeground(node, [bin('vite', 'vite'), 'web'], { env }));
  return Math.max(...(await Promise.all(running)));
}

const commands = {
  start: (args) => program(MAIN, args, PARTS.start, { flags: RELAY_FLAGS, tied: true }),
  tollgate: (args) => program(COMMAND, args, PARTS.command),
  cluster: (args) => program('dist/tools/cluster.js', args, undefined, { tied: true }),
  bench: (args) => program('dist/tools/bench.js', args, PARTS.processes, { tied: true }),
  'bench:scale': (args) => program('dist/tools/scale/measure.js', args, PARTS.processes, { tied: true }),
  'fake-upstream': (args) => program('dist/tools/fake-upstream.js', args, PARTS.tools),
  docs: (args) => program('dist/tools/docs.js', args, PARTS.tools),
  test: (args) => counted(() => test(args)),
  'test:faults': (args) => counted(() => testFaults(args)),
  'test:kube': (args) => counted(async () => runKube(await prepare(), args, sayOfKube)),
  check: () => counted(async () => runChecks(await prepare(PARTS.tools), say)),
  suites: ([kind, folder]) => runProject(pickNode(), kind, folder),
  typecheck: async ([project]) => typecheckProject(pickNode(), project),
  install: async () => {
    await withLock(LOCK, () => ensureInstalled(say), say);
    return 0;
  },
  build: async () => {
    await prepare();
    return 0;
  },
  dev,
};

const TAKE_NO_ARGUMENTS = ['check', 'install', 'build', 'dev'];

const [name = 'start', ...args] = process.argv.slice(2);
const names = Object.keys(commands).join(', ');
if (name === '--help' || name === '-h') {
  say(`commands are ${names}; the README says what they do`);
  process.exit(0);
}
const command = commands[name];
if (!command) {
  say(`unknown command ${name}; there are ${names}`);
  process.exit(2);
}
if (args.length > 0 && TAKE_NO_ARGUMENTS.includes(name)) {
  say(`${name} takes no arguments, so nothing was done: ${args.join(' ')}`);
  process.exit(2);
}
try {
  process.exitCode = await command(args);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
