import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './paths.mjs';

/** The folder of the bundles, one folder for each program. */
export const BUNDLES = 'dist/bundle';
export const ALL_IN_ONE = 'all-in-one';

export const bundled = (program, file) => path.posix.join(BUNDLES, program, file);

/** The services and the program that contains them all. */
export const programs = () =>
  readdirSync(inRoot('services')).filter((name) => existsSync(inRoot('services', name, 'src/main.ts')));
