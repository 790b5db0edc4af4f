import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version in the repository's package.json, prefixed with `v`. Walks up the folders, because the depth of the built file varies. */
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
