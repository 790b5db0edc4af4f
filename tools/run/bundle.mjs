/**
 * Bundles programs of `dist/services` with all libraries that they import: one folder of few files for each, from which
 * the product runs. Arguments are the names of the programs; without arguments, all. ADR 0047 gives the reasons.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ALL_IN_ONE, BUNDLES, programs } from './bundles.mjs';
import { inRoot } from './paths.mjs';

// Vite's bundler, in the version of the lock file.
const { resolve } = createRequire(createRequire(import.meta.url).resolve('vite'));
const { rolldown } = await import(pathToFileURL(resolve('rolldown')));

/** Parts of it are replaced by their paths at run time, so it stays a package. The image has such packages too. */
const EXTERNAL = [/^kafkajs(\/|$)/];
/** Optional packages of libraries, which are not installed and which these libraries do without. */
const OPTIONAL = new Set([
  '@fastify/multipart',
  '@fastify/view',
  '@nats-io/transport-node',
  '@nestjs/platform-express',
  '@nestjs/websockets/socket-module.js',
  'amqp-connection-manager',
  'class-transformer',
  'class-validator',
  'mqtt',
]);
const isExpected = ({ code, message }) =>
  code === 'UNRESOLVED_IMPORT' && OPTIONAL.has(/Could not resolve '([^']+)'/.exec(message)?.[1]);

const compiled = (service, file) => inRoot('dist/services', service, 'src', `${file}.js`);

function entriesOf(name) {
  const entries = { main: compiled(name, 'main') };
  if (name === ALL_IN_ONE) entries.command = compiled(name, 'command');
  // Worker threads are started from a file of their own.
  if (name === ALL_IN_ONE || name === 'relay')
    entries['count-tokens.worker'] = compiled('relay', 'usage/count-tokens.worker');
  return entries;
}

/** Passes the compiler's source maps on, so that the bundle's map leads to the TypeScript files. */
const sourceMaps = {
  name: 'source-maps',
  load: {
    filter: { id: /\/dist\/(libs|services)\/.*\.js$/ },
    handler: (id) => ({ code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) }),
  },
};

async function bundle(name) {
  const warnings = [];
  const build = await rolldown({
    input: entriesOf(name),
    platform: 'node',
    external: EXTERNAL,
    plugins: [sourceMaps],
    onLog: (_level, log) => isExpected(log) || warnings.push(log.message),
    transform: { define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
  });
  const fresh = inRoot(BUNDLES, `.${name}`);
  rmSync(fresh, { recursive: true, force: true });
  await build.write({
    dir: fresh,
    format: 'esm',
    entryFileNames: '[name].js',
    // In one folder with the entries, because a worker's file is found relative to the file that starts it.
    chunkFileNames: '[name]-[hash].js',
    // Nest and the ORM read names of classes, and the log names of errors.
    keepNames: true,
    // V8 keeps the whole text of a file in memory, with two bytes for each character if one of them needs two.
    charset: 'ascii',
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  if (warnings.length > 0) throw new Error(`the bundle of ${name}:\n${warnings.join('\n')}`);
  replace(inRoot(BUNDLES, name), fresh);
}

/**
 * Moves the files of a finished bundle to their place, chunks before the entries that name them. The chunks of the
 * bundle before stay, because a program that runs loads some of them only when it needs them.
 */
function replace(dir, fresh) {
  mkdirSync(dir, { recursive: true });
  const list = path.join(dir, '.files');
  const before = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : [];
  const files = readdirSync(fresh);
  const isChunk = (file) => /-[\w-]{8}\.js(\.map)?$/.test(file);
  for (const file of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))])
    renameSync(path.join(fresh, file), path.join(dir, file));
  const kept = new Set([...files, ...before, '.files']);
  for (const file of readdirSync(dir)) if (!kept.has(file)) rmSync(path.join(dir, file), { recursive: true });
  writeFileSync(list, files.join('\n'));
  rmSync(fresh, { recursive: true });
}

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : programs()) await bundle(name);
