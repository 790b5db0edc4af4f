import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  name?: string;
  version?: string;
}

/**
 * The folder of the product's package.json. It is searched for upwards, because sources, compiled files and bundles lie
 * at different depths.
 */
function findProduct(): { folder: string; version: string } {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    if (name === 'tollgate' && version !== undefined) return { folder, version };
  }
  return { folder: process.cwd(), version: '0.0.0' };
}

const product = findProduct();
export const productFolder = product.folder;
/** Prefixed with `v`. */
export const productVersion = `v${product.version}`;
