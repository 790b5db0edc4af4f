import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const here = import.meta.dirname;
const ALWAYS = 'it("holds", () => {});';
/** Makes a suite fail on its first run only, like a suite that other suites disturb. */
const FIRST_TIME = `
  const fs = require('node:fs');
  const isFirst = !fs.existsSync(__filename + '.ran');
  fs.writeFileSync(__filename + '.ran', '');`;

let folder: string;

interface Run {
  counts: { passed: number; failed: number; skipped: number };
  said: string[];
  jest: string;
}

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

/**
 * Runs the suites of the folder as `npm test` does: in a process of its own, because that code has to work before
 * anything is installed.
 */
async function run(options: object = { twice: true }): Promise<Run> {
  write({
    'run.mjs': `
    import { runRound } from '${here}/jest.mjs';
    import { runRounds } from '${here}/rounds.mjs';
    const said = [];
    const say = (line) => said.push(line);
    const round = (args) => runRound(process.execPath, ['--rootDir', '${folder}', '--config', '${folder}/jest.json', ...args], { CI: 'true' });
    const counts = await runRounds([['--selectProjects', 'tried', '--maxWorkers', '1']], round, { ...${JSON.stringify(options)}, say });
    console.log(JSON.stringify({ counts, said }));`,
  });
  const child = spawn(process.execPath, [path.join(folder, 'run.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  await new Promise((resolve) => child.once('close', resolve));
  const lastLine = Buffer.concat(out).toString().trim().split('\n').at(-1) ?? '';
  return { ...(JSON.parse(lastLine) as Run), jest: Buffer.concat(err).toString() };
}

const config = (more: object = {}): string =>
  JSON.stringify({
    projects: [{ displayName: 'tried', rootDir: folder, testMatch: ['**/*.test.cjs'], transform: {}, ...more }],
  });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rounds-'));
  write({ 'jest.json': config() });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a run of the suites', () => {
  it('runs failed suites a second time, alone, and counts the second result', async () => {
    write({
      'steady.test.cjs': ALWAYS,
      'disturbed.test.cjs': `${FIRST_TIME} it("is left alone", () => expect(isFirst).toBe(false)); ${ALWAYS}`,
      'unloadable.test.cjs': `${FIRST_TIME} if (isFirst) throw new Error('no'); ${ALWAYS}`,
      'broken.test.cjs': `it("never holds", () => expect(1).toBe(2)); ${ALWAYS}`,
    });
    const { counts, said } = await run({ twice: true, listed: [] });
    expect(counts).toEqual({ passed: 1 + 2 + 1 + 1, failed: 1, skipped: 0 });
    const text = said.join('\n');
    expect(text).toMatch(/FAILED: \S+broken\.test\.cjs\n +never holds\n( {6}.*\n)+UNSTEADY/);
    expect(text).toMatch(/disturbed\.test\.cjs \(NOT LISTED: .*\n +is left alone/);
    expect(text).toMatch(/unloadable\.test\.cjs \(NOT LISTED: .*\n +it did not run\n {6}no$/m);
  }, 120_000);

  it('runs no suite twice unless asked to', async () => {
    write({ 'disturbed.test.cjs': `${FIRST_TIME} it("is left alone", () => expect(isFirst).toBe(false));` });
    const { counts, said } = await run({});
    expect(counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(said.join('\n')).toMatch(/^FAILED: \S+disturbed\.test\.cjs\n +is left alone\n/);
  });

  it('says how a test failed: the beginning of its message, without colours', async () => {
    const error = "new Error('\\u001b[31mout of view\\u001b[39m\\n\\n' + 'x'.repeat(1000))";
    write({ 'broken.test.cjs': `it("never holds", () => { throw ${error}; });` });
    const { said } = await run({});
    const [, , first, second = ''] = said.join('\n').split('\n');
    expect(first).toBe('      Error: out of view');
    expect(second).toMatch(/^ {6}x+$/);
    expect(second.length).toBeLessThan(300);
  });

  it('fails on an obsolete snapshot, and names it', async () => {
    const file = '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`gone 1`] = `1`;\n';
    write({
      'steady.test.cjs': ALWAYS,
      '__snapshots__/steady.test.cjs.snap': file,
      '__snapshots__/deleted.test.cjs.snap': file,
    });
    const { counts, said } = await run();
    expect(counts).toEqual({ passed: 1, failed: 2, skipped: 0 });
    expect(said.join('\n')).toMatch(/FAILED: \S+steady\.test\.cjs\n +no test asks for the snapshot "gone 1"/);
    expect(said.join('\n')).toMatch(/FAILED: \S+deleted\.test\.cjs\.snap\n +a snapshot file without a suite/);
    expect(said.join('\n')).not.toContain('UNSTEADY');
  });

  it('repeats the whole run when its set-up failed, and fails when it fails again', async () => {
    write({ 'steady.test.cjs': ALWAYS, 'jest.json': config({ globalSetup: './setup.cjs' }) });
    write({ 'setup.cjs': `${FIRST_TIME} module.exports = () => { if (isFirst) throw new Error('no server'); };` });
    const disturbed = await run();
    expect(disturbed.counts).toEqual({ passed: 1, failed: 0, skipped: 0 });
    expect(disturbed.said.join('\n')).toMatch(/UNSTEADY.*\n +jest .*\n +it did not get to its end \(code 1\)/);

    write({ 'setup.cjs': `module.exports = () => { throw new Error('no server'); };` });
    const broken = await run();
    expect(broken.counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(broken.said.join('\n')).toContain('FAILED: jest --selectProjects tried');
  });

  it('fails when a second run finds no suite', async () => {
    write({ 'once.test.cjs': `${FIRST_TIME} fs.unlinkSync(__filename); it("is deleted", () => expect(1).toBe(2));` });
    expect((await run()).counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('repeats no suite when many failed', async () => {
    const suites = Array.from({ length: 11 }, (_, n) => [`s${n}.test.cjs`, 'it("fails", () => expect(1).toBe(2));']);
    write(Object.fromEntries(suites) as Record<string, string>);
    const { counts, said } = await run();
    expect(counts.failed).toBe(11);
    expect(said[0]).toBe('11 suites failed, more than by chance: none runs a second time');
  });
});
