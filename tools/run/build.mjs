import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ALL_IN_ONE, bundled, programs } from './bundles.mjs';
import { runToEnd } from './child.mjs';
import { inRoot } from './paths.mjs';

const SERVER_FOLDERS = ['libs', 'services', 'tools'];
const isSpec = (file) => /\.(spec|int-spec|container-spec|e2e)\.tsx?$/.test(file);
const webConfig = () => ['web/vite.config.ts', 'web/vite.config.mjs'].find((file) => existsSync(inRoot(file)));

const server = {
  name: 'server',
  inputs: [...SERVER_FOLDERS, '.swcrc', 'package-lock.json'],
  concerns: (file) => !isSpec(file) && !/\.mjs$/.test(file),
  result: 'dist/services/all-in-one/src/main.js',
  async run(node) {
    const built = await runToEnd(node, [bin('@swc/cli', 'swc'), ...SERVER_FOLDERS, '-d', 'dist'], { show: false });
    if (built.code === 0) SERVER_FOLDERS.forEach(removeOrphans);
    return built;
  },
};

const web = {
  name: 'console',
  inputs: ['web', 'libs/contracts', 'libs/pricing', 'libs/providers', 'tsconfig.base.json', 'package-lock.json'],
  concerns: (file) => !isSpec(file) && !file.startsWith('web/e2e/'),
  result: 'dist/web/index.html',
  run: (node) =>
    runToEnd(
      node,
      [bin('vite', 'vite'), 'build', 'web', '--config', webConfig(), '--outDir', '../dist/web', '--emptyOutDir'],
      {
        show: false,
        env: { NODE_ENV: 'production' },
      },
    ),
};

/** Bundles of compiled programs; `npm start` needs only the one of all services. */
const bundles = (name, last, wanted) => ({
  name,
  inputs: ['libs', 'services', '.swcrc', 'package-lock.json', 'tools/run/bundle.mjs', 'tools/run/bundles.mjs'],
  concerns: (file) => !isSpec(file),
  result: bundled(last, 'main.js'),
  run: (node) => runToEnd(node, [inRoot('tools/run/bundle.mjs'), ...wanted()], { show: false }),
});

const parts = [
  server,
  bundles(ALL_IN_ONE, ALL_IN_ONE, () => [ALL_IN_ONE]),
  bundles('services', 'relay', () => programs().filter((name) => name !== ALL_IN_ONE)),
  web,
];
/** What each command needs. */
export const PARTS = {
  tools: [server.name],
  start: [server.name, ALL_IN_ONE, web.name],
  command: [server.name, ALL_IN_ONE],
  processes: [server.name, ALL_IN_ONE, 'services'],
  all: parts.map(({ name }) => name),
};

/** The script of a command in node_modules/.bin, to be run with the Node that was picked. */
export function bin(name, command) {
  const { bin: entry } = JSON.parse(readFileSync(inRoot('node_modules', name, 'package.json'), 'utf8'));
  return inRoot('node_modules', name, typeof entry === 'string' ? entry : entry[command]);
}

/** Builds the parts whose inputs, compared by a hash, changed since the last build. */
export async function ensureBuilt(node, say, wanted = PARTS.all) {
  for (const part of parts.filter(({ name }) => wanted.includes(name))) {
    if (part === web && !webConfig()) continue;
    await buildIfChanged(part, node, say);
  }
}

async function buildIfChanged(part, node, say) {
  const stamp = inRoot('dist', `.${part.name}.stamp`);
  const hash = hashOf(part);
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === hash && existsSync(inRoot(part.result));
  if (isCurrent) return;
  // A build that fails or is interrupted leaves no stamp, so the next command builds again.
  rmSync(stamp, { force: true });
  const started = performance.now();
  const { code, output } = await part.run(node);
  if (code !== 0) throw new Error(`the ${part.name} does not build:\n${output}`);
  mkdirSync(inRoot('dist'), { recursive: true });
  writeFileSync(stamp, hash);
  say(`built the ${part.name} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function hashOf({ inputs, concerns }) {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const file of filesOf(input)) {
      if (concerns(file))
        hash
          .update(`${file}\0`)
          .update(readFileSync(inRoot(file)))
          .update('\0');
    }
  }
  return hash.digest('hex');
}

function filesOf(input) {
  if (!existsSync(inRoot(input))) return [];
  const entries = readdirOrFile(input);
  if (!entries) return [input];
  return entries
    .filter(({ name }) => name !== 'node_modules')
    .map(({ name }) => `${input}/${name}`)
    .sort()
    .flatMap(filesOf);
}

function readdirOrFile(input) {
  try {
    return readdirSync(inRoot(input), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Removes compiled files whose source was deleted: swc leaves them, and they would keep stale imports working. */
function removeOrphans(folder) {
  const output = inRoot('dist', folder);
  if (!existsSync(output)) return;
  for (const file of readdirSync(output, { recursive: true })) {
    const source = /^(?<stem>.*)\.js(\.map)?$/.exec(file)?.groups.stem;
    if (source && !existsSync(inRoot(folder, `${source}.ts`))) rmSync(path.join(output, file));
  }
}
