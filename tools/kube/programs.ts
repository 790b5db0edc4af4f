import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The folder in which the scripts that start a cluster install programs. */
const kubeHome = (): string => process.env.KUBE_HOME ?? join(homedir(), '.cache', 'kube');

/**
 * Finds a program: the path in the environment variable `variable`, else in PATH, else beside the programs of the
 * cluster scripts. Returns undefined if there is none.
 */
export function findProgram(name: string, variable: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(kubeHome(), 'bin')];
  return [process.env[variable] ?? '', ...folders.map((folder) => join(folder, name))].find(
    (file) => file !== '' && existsSync(file),
  );
}

/** Reports which suite is skipped and how to enable it; a missing program is no reason to fail. */
export function missing(what: string, variable: string): void {
  process.stderr.write(`SKIPPED: ${what}; set ${variable} to the program\n`);
}
