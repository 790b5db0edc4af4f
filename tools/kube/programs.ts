import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where the scripts that bring up a cluster keep their programs. */
const kubeHome = (): string => process.env.KUBE_HOME ?? join(homedir(), '.cache', 'kube');

/** The file of a program: named by `variable`, on the path, or beside the programs of a cluster; undefined without it. */
export function findProgram(name: string, variable: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(kubeHome(), 'bin')];
  return [process.env[variable] ?? '', ...folders.map((folder) => join(folder, name))].find(
    (file) => file !== '' && existsSync(file),
  );
}

/** Says what is not tried here, and why; without the program is no reason to fail. */
export function missing(what: string, variable: string): void {
  process.stderr.write(`SKIPPED: ${what}; set ${variable} to the program\n`);
}
