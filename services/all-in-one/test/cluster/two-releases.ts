import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DIST } from './cluster.js';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../../..');
const CODE = ['libs', 'services'];

/** What two releases share while they run side by side: table schemas and event schemas. */
const SHARED = [':(glob)services/*/src/migrations/**', 'libs/contracts/src/events', 'docs/schemas'];

const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: ROOT })).stdout.trim();

/**
 * The previous release: `TOLLGATE_PREVIOUS` (anything that git can resolve), otherwise the last commit with other
 * tables or events, otherwise the commit before the last change to the product. `undefined` without a git history.
 */
export async function previousCommit(): Promise<string | undefined> {
  const stated = process.env.TOLLGATE_PREVIOUS;
  if (stated !== undefined && stated !== '') return git('rev-parse', '--verify', `${stated}^{commit}`);
  try {
    const changed = await git('log', '--format=%H', '--max-count=1', '--', ...SHARED);
    return await git('rev-parse', '--verify', `${changed}^{commit}~1`);
  } catch {
    const latest = await git('log', '--format=%H', '--max-count=2', '--', ...CODE).catch(() => '');
    return latest.split('\n')[1];
  }
}

/** The previous and the current release, installed in turn under the same path, as in a rollout. */
export class TwoReleases {
  readonly supervisor: string;

  private constructor(private readonly folder: string) {
    this.supervisor = join(folder, 'dist/tools/cluster.js');
  }

  static async make(commit: string): Promise<TwoReleases> {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-releases-'));
    const releases = new TwoReleases(folder);
    try {
      const archive = join(folder, 'old.tar');
      await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
      await run('tar', ['-xf', archive, '-C', folder]);
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      const swc = join(ROOT, 'node_modules/@swc/cli/bin/swc.js');
      await run(process.execPath, [swc, ...CODE, 'tools', '-d', 'dist'], { cwd: folder, maxBuffer: 16 << 20 });
      const bundler = join(folder, 'tools/run/bundle.mjs');
      // Earlier releases run the compiled files.
      if (existsSync(bundler)) await run(process.execPath, [bundler], { cwd: folder, maxBuffer: 16 << 20 });
      cpSync(DIST, join(folder, 'next'), { recursive: true });
      // The console is not tested here.
      if (existsSync(join(DIST, 'web'))) cpSync(join(DIST, 'web'), join(folder, 'dist/web'), { recursive: true });
      else mkdirSync(join(folder, 'dist/web'), { recursive: true });
      return releases;
    } catch (error) {
      releases.remove();
      throw error;
    }
  }

  /** Processes started from now on are of this release. */
  install(which: 'next' | 'previous'): void {
    const [now, aside, wanted] = ['dist', which === 'next' ? 'previous' : 'next', which].map((name) =>
      join(this.folder, name),
    ) as [string, string, string];
    renameSync(now, aside);
    renameSync(wanted, now);
  }

  /** Migrates as the job of a rollout does, before any process is replaced. */
  async migrate(databaseUrl: string): Promise<void> {
    const command = join(this.folder, 'dist/bundle/all-in-one/command.js');
    const env = { ...process.env, DATABASE_URL: databaseUrl };
    await run(process.execPath, [command, 'migrate'], { cwd: this.folder, env });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
