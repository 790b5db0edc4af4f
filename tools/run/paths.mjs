import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const inRoot = (...parts) => path.join(root, ...parts);
/** A path relative to the root, with forward slashes as in the patterns and lists of the repository. */
export const relativeToRoot = (file) => path.relative(root, file).split(path.sep).join('/');
