/**
 * Verifies that the lint rules work. The boundary rule passes silently if Nx has no project graph, so a passing lint alone proves little:
 * this plants one fault of each kind in a temporary file and requires that it is reported.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ESLint } from 'eslint';
import { PREFIX, boundaryCases, type BoundaryCase } from './boundary-cases.js';

const root = process.cwd();

/** Cases in a project that does not exist would prove nothing. */
const projectOf = ({ folder }: BoundaryCase): string => folder.split('/src')[0] ?? folder;

/** Folders that were created for planted files, to be removed with them. */
const made: string[] = [];

function plant(planted: BoundaryCase, index: number): string {
  const folder = path.join(root, planted.folder);
  const first = mkdirSync(folder, { recursive: true });
  if (first) made.push(first);
  const file = path.join(folder, `${PREFIX}${planted.file ?? index}.${planted.extension ?? 'ts'}`);
  writeFileSync(file, planted.code);
  return file;
}

function clear(): void {
  for (const folder of new Set(boundaryCases.map((planted) => path.join(root, planted.folder)))) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) if (name.startsWith(PREFIX)) rmSync(path.join(folder, name));
  }
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
}

async function rulesReported(files: string[]): Promise<string[][]> {
  const results = await new ESLint({ cwd: root }).lintFiles(files);
  const byFile = new Map(results.map((result) => [result.filePath, result.messages]));
  return files.map((file) => (byFile.get(file) ?? []).map((message) => message.ruleId ?? message.message));
}

async function main(): Promise<number> {
  clear();
  const missing = boundaryCases.filter((planted) => !existsSync(path.join(root, projectOf(planted), 'project.json')));
  const cases = boundaryCases.filter((planted) => !missing.includes(planted));
  let reported: string[][];
  try {
    reported = await rulesReported(cases.map(plant));
  } finally {
    clear();
  }
  const unnoticed = cases.filter((planted, index) => !reported[index]?.includes(planted.rule));
  for (const planted of missing) process.stderr.write(`no project for: ${planted.name}\n`);
  for (const planted of unnoticed) {
    const instead = reported[cases.indexOf(planted)]?.join(', ') || 'nothing';
    process.stderr.write(`not noticed: ${planted.name} (${planted.rule}; reported: ${instead})\n`);
  }
  process.stdout.write(`${cases.length - unnoticed.length} of ${boundaryCases.length} planted faults were noticed\n`);
  return unnoticed.length + missing.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clear();
    process.exit(1);
  });
}
process.exitCode = await main();
