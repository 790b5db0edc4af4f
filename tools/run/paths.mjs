import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const inRoot = (...parts) => path.join(root, ...parts);
/** With slashes, as patterns and lists in the repository have them. */
export const relativeToRoot = (file) => path.relative(root, file).split(path.sep).join('/');
