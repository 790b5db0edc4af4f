/**
 * Verifies that every test file is run by exactly one jest project and by the target of its folder's Nx project, because a test that is
 * never run cannot fail, and that the list of unsteady suites is short and correct.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDERS = ['libs', 'services', 'tools', 'web'];
const LOOKS_LIKE_TEST = /[.-](spec|test|e2e)\.[cm]?[jt]sx?$/;
const UNSTEADY = 'tools/run/unsteady.json';
/** Limit on the length of the list. Lower it with each suite that is mended, and never raise it. */
const MOST_UNSTEADY = 2;
const root = process.cwd();

interface JestConfig {
  projects: { displayName: string }[];
}

function filesOnDisk(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => LOOKS_LIKE_TEST.test(file) && !file.includes('node_modules'))
      .map((file) => path.join(root, folder, file)),
  );
}

/** Asks jest itself for the files, so that a pattern means the same here as in a run. */
function filesOf(project: string): string[] {
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const args = ['--experimental-vm-modules', jest, '--listTests', '--json', '--selectProjects', project];
  const answer = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(answer) as string[];
}

/** The Nx target that runs a jest project's suites, as in `tools/run/cached.mjs`. */
const TARGETS: Record<string, string> = { unit: 'test', web: 'test', int: 'int', e2e: 'e2e', containers: 'containers' };

function lacksTarget(file: string, jestProject: string): string | undefined {
  let folder = path.dirname(file);
  while (!existsSync(path.join(folder, 'project.json'))) folder = path.dirname(folder);
  const { targets } = JSON.parse(readFileSync(path.join(folder, 'project.json'), 'utf8')) as { targets: object };
  const wanted = TARGETS[jestProject] ?? jestProject;
  return wanted in targets ? undefined : `${path.relative(root, folder)}/project.json has no target "${wanted}"`;
}

interface UnsteadySuite {
  suite: string;
  /** The day the suite was first seen to be unsteady, as 2026-11-22. */
  since: string;
  why: string;
}

function faultsOfUnsteady(): string[] {
  const rows = JSON.parse(readFileSync(path.join(root, UNSTEADY), 'utf8')) as UnsteadySuite[];
  const faults = rows
    .filter(({ suite, since, why }) => !existsSync(path.join(root, suite)) || !/^\d{4}-\d\d-\d\d$/.test(since) || !why)
    .map(({ suite }) => `${UNSTEADY}: ${suite} is no suite, or lacks since when and why it is listed`);
  if (rows.length > MOST_UNSTEADY) faults.push(`${UNSTEADY} has more than ${MOST_UNSTEADY} rows: mend a suite first`);
  return faults;
}

const { default: config } = (await import(path.join(root, 'jest.config.mjs'))) as { default: JestConfig };
const names = config.projects.map(({ displayName }) => displayName);
const byProject = new Map(names.map((name) => [name, filesOf(name)]));

const faults = faultsOfUnsteady();
for (const file of filesOnDisk()) {
  const owners = names.filter((name) => byProject.get(name)?.includes(file));
  const lack = owners[0] && lacksTarget(file, owners[0]);
  if (lack && !faults.includes(lack)) faults.push(lack);
  if (owners.length === 1) continue;
  const found = owners.length === 0 ? 'in no jest project' : `in several jest projects: ${owners.join(', ')}`;
  faults.push(`${path.relative(root, file)} is ${found}`);
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${names.map((name) => `${name} ${byProject.get(name)?.length ?? 0}`).join(', ')} spec files\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
