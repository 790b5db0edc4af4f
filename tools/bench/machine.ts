import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const kernel = (): string => readFileSync('/proc/version', 'utf8').split(' ').slice(0, 3).join(' ');

/** The machine that the figures were measured on. */
export const machine = (): string =>
  `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, ${kernel()}`;
