import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const here = import.meta.dirname;
let folder: string;

/** Runs code in a process of its own, as `tools/run` runs: before anything is installed. */
function start(code: string): ChildProcess {
  const file = path.join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(file, code);
  return spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
}

const ended = (child: ChildProcess): Promise<{ code: number | null; said: string }> => {
  const said: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, said: Buffer.concat(said).toString().trim() })),
  );
};

const firstWord = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.stdout?.once('data', () => resolve()));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('withLock', () => {
  const worker = (): string => `
    import { appendFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    import { withLock } from '${here}/lock.mjs';
    await withLock('${folder}/lock', async () => {
      appendFileSync('${folder}/trace', 'in ');
      await setTimeout(50);
      appendFileSync('${folder}/trace', 'out ');
    });`;

  it('lets one process in at a time', async () => {
    await Promise.all([start(worker()), start(worker()), start(worker())].map(ended));
    expect(readFileSync(`${folder}/trace`, 'utf8')).toBe('in out in out in out ');
  });

  it('takes over the lock of a process that died', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    mkdirSync(`${folder}/lock`);
    writeFileSync(`${folder}/lock/pid`, String(dead));
    expect((await ended(start(worker()))).code).toBe(0);
    expect(readFileSync(`${folder}/trace`, 'utf8')).toBe('in out ');
  });

  it('gives back the lock of a living process that it took for that of a dead one', async () => {
    mkdirSync(`${folder}/lock`);
    writeFileSync(`${folder}/lock/pid`, String(process.pid));
    const late = `import { takeAway } from '${here}/lock.mjs'; takeAway('${folder}/lock');`;
    expect((await ended(start(late))).code).toBe(0);
    expect(readFileSync(`${folder}/lock/pid`, 'utf8')).toBe(String(process.pid));
  });
});

describe('runForeground', () => {
  const runner = (child: string): string => `
    import { runForeground } from '${here}/child.mjs';
    process.exitCode = await runForeground(process.execPath, ['-e', ${JSON.stringify(child)}]);`;
  const counting = `
    let signals = 0;
    process.on('SIGTERM', () => { signals += 1; setTimeout(() => { console.log(String(signals)); process.exit(7); }, 300); });
    setInterval(() => {}, 1000);
    console.log('up');`;

  it('passes a stop signal on once and ends with the code of the child', async () => {
    const child = start(runner(counting));
    const end = ended(child);
    await firstWord(child);
    child.kill('SIGTERM');
    await pause(50); // otherwise the kernel merges the two signals into one
    child.kill('SIGTERM');
    expect(await end).toEqual({ code: 7, said: 'up\n1' });
  });

  it('reports a killed child with the exit code of a shell', async () => {
    const { code } = await ended(start(runner(`process.kill(process.pid, 'SIGKILL')`)));
    expect(code).toBe(137); // 128 + 9
  });
});

describe('countsLine', () => {
  const line = async (counts: object): Promise<string> => {
    const print = `import { countsLine } from '${here}/counts.mjs'; console.log(countsLine(${JSON.stringify(counts)}));`;
    return (await ended(start(print))).said;
  };

  it('names skipped tests only when there are some', async () => {
    expect(await line({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
    expect(await line({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
  });
});

describe('kubeNotes', () => {
  const notes = async (suites: object[]): Promise<string[]> => {
    const print = `import { kubeNotes } from '${here}/kube.mjs'; console.log(kubeNotes(${JSON.stringify(suites)}).join('\\n'));`;
    return (await ended(start(print))).said.split('\n');
  };
  const suite = 'services/all-in-one/test/containers/kube/chart.container-spec.ts';

  it('reports each part by the results of its suite', async () => {
    const [chart, alerts, cluster] = await notes([
      { suite: 'tools/kube/chart.spec.ts', passed: 4, failed: 0, skipped: 0 },
      { suite: 'tools/kube/observability.spec.ts', passed: 2, failed: 1, skipped: 0 },
      { suite, passed: 0, failed: 0, skipped: 9, left: ['nine'] },
    ]);
    expect(chart).toMatch(/^passed: the chart.*\(4 passed, 0 failed\)$/);
    expect(alerts).toMatch(/^FAILED: the alerts.*\(2 passed, 1 failed\)$/);
    expect(cluster).toMatch(/^not run: the chart on a Kubernetes.*SKIPPED/);
  });

  it('reports a part as not tested when its test was skipped, although the rest of its suite passed', async () => {
    const left = ['the alerts of the chart fire when they should, and are silent while all is well'];
    const [chart, alerts] = await notes([
      { suite: 'tools/kube/chart.spec.ts', passed: 4, failed: 0, skipped: 1, left: ['one of its tests'] },
      { suite: 'tools/kube/observability.spec.ts', passed: 40, failed: 0, skipped: 1, left },
    ]);
    expect(chart).toMatch(/^passed: .*\(4 passed, 0 failed, 1 skipped\); without: one of its tests$/);
    expect(alerts).toMatch(/^not run: the alerts, by promtool; its line SKIPPED/);
    // The name in PARTS is that of the real test.
    const text = readFileSync(path.resolve(here, '../kube/observability.spec.ts'), 'utf8');
    for (const part of ['the alerts of the chart', left[0]?.replace('the alerts of the chart ', '')])
      expect(text).toContain(`'${part}'`);
  });

  it('reports parts that were not run', async () => {
    for (const note of await notes([])) expect(note).toMatch(/^not run: /);
  });
});
