import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './paths.mjs';

const NEEDED = [24, 9];

const isEnough = (version) => {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
};

/** The pinned Node from the dependencies if it runs on this platform, otherwise the current one. */
export function pickNode() {
  const pinned = inRoot('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned)) {
    if (realpathSync(process.execPath) === realpathSync(pinned)) return pinned;
    const answer = spawnSync(pinned, ['--version'], { encoding: 'utf8' });
    if (answer.status === 0 && isEnough(answer.stdout.trim())) return pinned;
  }
  if (isEnough(process.version)) return process.execPath;
  throw new Error(
    `Tollgate needs Node ${NEEDED.join('.')} or newer. This is ${process.version}, and none is bundled for ` +
      `${process.platform}-${process.arch}: install Node 24 and try again.`,
  );
}

/** Keeps Nx from leaving a daemon behind, from sending anything over the network, and from drawing on the terminal. */
export const NX_QUIET = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false' };

const separator = path.delimiter;
const entries = () => (process.env.PATH ?? '').split(separator);

/** PATH for tools that start with `#!/usr/bin/env node`: our Node comes first. */
export const pathWithTools = () => [inRoot('node_modules', '.bin'), ...entries()].join(separator);

/** PATH for npm, which must not run on a Node that it is about to delete. */
export const pathWithoutTools = () =>
  entries()
    .filter((entry) => !entry.startsWith(inRoot('node_modules')))
    .join(separator);
