import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { runToEnd } from './child.mjs';
import { pathWithoutTools } from './node.mjs';
import { inRoot } from './paths.mjs';

const STAMP = inRoot('node_modules', '.tollgate-lock');
const hashOfLock = () =>
  createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
const isInstalled = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashOfLock();

/** Installs what package-lock.json lists, unless node_modules matches it already. */
export async function ensureInstalled(say) {
  if (isInstalled()) return;
  // `npm ci` would empty the folder behind the link, which others may be using.
  if (lstatSync(inRoot('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      'node_modules is a link to dependencies of another version: install where it leads to, or delete the link',
    );
  say('installing dependencies, a minute or two the first time …');
  const { code } = await runToEnd('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    env: { PATH: pathWithoutTools() },
  });
  if (code !== 0) throw new Error(`npm ci ended with code ${code}`);
  writeFileSync(STAMP, hashOfLock());
}
