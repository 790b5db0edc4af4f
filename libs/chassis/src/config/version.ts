import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the repository's package.json, wherever this file was built to, with `v` before it. */
function readVersion(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
    if (name === 'tollgate' && version !== undefined) return `v${version}`;
  }
  return 'v0.0.0';
}

export const productVersion = readVersion();
