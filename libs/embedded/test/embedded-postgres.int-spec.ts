import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../src/embedded-postgres.js';
import { isAlive } from '../src/data-folder-owner.js';
import { nativeDir } from '../src/postgres-place.js';
import { Logger } from '@tollgate/chassis';
import { eventually, readUntil } from '@tollgate/testing';

const log = Logger.root('silent');
const asRoot = process.getuid?.() === 0;

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  const started: EmbeddedPostgres[] = [];
  const folders: string[] = [];

  const folder = (): string => {
    const dir = mkdtempSync(join(tmpdir(), 'tollgate-pg-'));
    chmodSync(dir, 0o755);
    folders.push(dir);
    return dir;
  };
  const start = async (dataDir: string, throwAway = true): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ dataDir, log, throwAway });
    started.push(server);
    return server;
  };
  const clusterOf = (dataDir: string): string =>
    (JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { cluster: string }).cluster;
  const pidOf = (dataDir: string): number =>
    Number(readFileSync(join(clusterOf(dataDir), 'postmaster.pid'), 'utf8').split('\n')[0]);

  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
    for (const dir of folders.splice(0)) {
      if (existsSync(join(dir, 'postgres.json')) && !clusterOf(dir).startsWith(dir))
        rmSync(join(clusterOf(dir), '..'), { recursive: true, force: true });
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('keeps its data, its password and its port over a second start', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(existsSync(join(clusterOf(dataDir), 'postmaster.pid'))).toBe(false);

    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(statSync(join(dataDir, 'postgres.json')).mode & 0o077).toBe(0);
  }, 60_000);

  it('listens on loopback only and wants the password', async () => {
    const { url } = await start(folder());
    expect(await query(url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
      /password authentication failed/,
    );
  }, 60_000);

  it('runs twice side by side in two data folders', async () => {
    const [one, two] = await Promise.all([start(folder()), start(folder())]);
    await query(one.url, 'create table mine (id int)');
    expect(await query(two.url, `select to_regclass('mine') as found`)).toEqual([{ found: null }]);
  }, 60_000);

  it('refuses a second process on the same data folder and names the folder', async () => {
    const dataDir = folder();
    await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(/TOLLGATE_DATA_DIR/);
  }, 60_000);

  it('tells in one line why no database can be made', async () => {
    const [dataDir, installation] = [folder(), join(folder(), 'native')];
    for (const name of ['bin', 'lib', 'share']) mkdirSync(join(installation, name), { recursive: true });
    const says = ['The files belong to postgres.', 'FATAL:  No space left on device', 'initdb: removing contents'];
    const script = `#!/bin/sh\n${says.map((line) => `echo '${line}' >&2\n`).join('')}exit 1\n`;
    writeFileSync(join(installation, 'bin', 'initdb'), script, { mode: 0o755 });
    await expect(startEmbeddedPostgres({ dataDir, log, installation })).rejects.toThrow(
      `cannot be made in ${join(dataDir, 'postgres')}: FATAL:  No space left on device. Make room there, set TOLLGATE_DATA_DIR`,
    );
  }, 60_000);

  it('takes another port when its own is busy', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    await first.stop();
    const port = Number(new URL(first.url).port);
    const squatter = spawn(
      process.execPath,
      ['-e', `require('net').createServer().listen(${port},'127.0.0.1',()=>console.log('up'))`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    await new Promise((resolve) => squatter.stdout.once('data', resolve));
    try {
      const second = await start(dataDir);
      expect(new URL(second.url).port).not.toBe(String(port));
      expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    } finally {
      squatter.kill('SIGKILL');
    }
  }, 60_000);

  it('starts the server again when it is killed while in use', async () => {
    const dataDir = folder();
    const server = await start(dataDir, false);
    await query(server.url, 'create table kept as select 1 as answer');
    const pid = pidOf(dataDir);
    process.kill(pid, 'SIGKILL');
    const hasPid = (): boolean => existsSync(join(clusterOf(dataDir), 'postmaster.pid'));
    await eventually('another server runs', () => hasPid() && pidOf(dataDir) !== pid);
    const rows = await readUntil(
      () => query(server.url, 'select answer from kept').catch(() => []),
      ({ length }) => length > 0,
    );
    expect(rows).toEqual([{ answer: 1 }]);
  }, 60_000);

  it('adopts the server of a parent that was killed', async () => {
    const dataDir = folder();
    const server = await start(dataDir);
    await query(server.url, 'create table kept as select 1 as answer');
    const pid = pidOf(dataDir);
    // The state after SIGKILL of the parent: a running server, and the claim of a process that is gone.
    writeFileSync(join(dataDir, 'postgres.owner'), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));
    const next = await start(dataDir);
    expect(pidOf(dataDir)).toBe(pid);
    expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 1 }]);
    await next.stop();
    expect(isAlive(pid)).toBe(false);
  }, 60_000);

  it('recovers when parent and server were both killed', async () => {
    const dataDir = folder();
    const server = await start(dataDir, false);
    await query(server.url, 'create table kept as select 1 as answer');
    const pid = pidOf(dataDir);
    process.kill(pid, 'SIGKILL');
    await server.stop(); // ends the supervision; the server is gone already
    expect(existsSync(join(clusterOf(dataDir), 'postmaster.pid'))).toBe(true);
    writeFileSync(join(dataDir, 'postgres.owner'), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));
    const next = await start(dataDir, false);
    expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 1 }]);
  }, 60_000);

  (asRoot ? it : it.skip)(
    'moves the cluster of a closed folder to a place its user can enter, and says so',
    async () => {
      const closed = folder();
      chmodSync(closed, 0o700);
      const dataDir = join(closed, 'data');
      mkdirSync(dataDir);
      folders.unshift(dataDir); // removed before its parent folder, because a file in it names the cluster
      const first = await start(dataDir);
      expect(first.notes.join()).toContain('/var/lib/tollgate/');
      await query(first.url, 'create table kept as select 1 as answer');
      await first.stop();
      const second = await start(dataDir);
      expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 1 }]);
      expect(
        execFileSync('ps', ['-o', 'uid=', '-p', String(pidOf(dataDir))])
          .toString()
          .trim(),
      ).not.toBe('0');
    },
    60_000,
  );

  (asRoot ? it : it.skip)(
    'says how a copy without its owners is started',
    async () => {
      const [dataDir, copy] = [folder(), join(folder(), 'copy')];
      const first = await start(dataDir);
      await query(first.url, 'create table kept as select 1 as answer');
      await first.stop();
      execFileSync('cp', ['-r', dataDir, copy]);
      const failure = await start(copy).catch((error: unknown) => error as Error);
      const [command = ''] = /chown -R .*/.exec((failure as Error).message) ?? [];
      expect(command).toContain(join(copy, 'postgres'));
      execFileSync('sh', ['-c', command]);
      expect(await query((await start(copy)).url, 'select answer from kept')).toEqual([{ answer: 1 }]);
    },
    60_000,
  );

  (asRoot ? it : it.skip)(
    'copies binaries of a closed clone to a place its user can enter, and says so',
    async () => {
      const closed = folder();
      const version = `0.0.0-test-${process.pid}`;
      cpSync(await nativeDir(), join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
      writeFileSync(join(closed, 'package.json'), JSON.stringify({ version }));
      chmodSync(closed, 0o700);
      try {
        const options = { dataDir: folder(), log, throwAway: true, installation: join(closed, 'native') };
        const server = await startEmbeddedPostgres(options);
        started.push(server);
        expect(server.notes.join()).toContain(`/var/lib/tollgate/postgresql-${version}`);
        expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      } finally {
        await started.pop()?.stop();
        rmSync(`/var/lib/tollgate/postgresql-${version}`, { recursive: true, force: true });
      }
    },
    60_000,
  );

  it('is adopted by the next start when its parent process is killed', async () => {
    const dataDir = folder();
    const hooks = join(import.meta.dirname, '../../testing/src/typescript-hooks.ts');
    const supervisor = join(import.meta.dirname, '../src/embedded-postgres.ts');
    const logger = join(import.meta.dirname, '../../chassis/src/log/logger.ts');
    const script = `
      const { allowTypeScript } = await import(${JSON.stringify(hooks)});
      allowTypeScript();
      const { startEmbeddedPostgres } = await import(${JSON.stringify(supervisor)});
      const { Logger } = await import(${JSON.stringify(logger)});
      await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: Logger.root('silent') });
      console.log('up');
      setInterval(() => undefined, 1000);`;
    const parent = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      },
    );
    await new Promise((resolve, reject) => {
      parent.stdout.once('data', resolve);
      parent.once('exit', () => reject(new Error('the parent ended early')));
    });
    const pid = pidOf(dataDir);
    await expect(start(dataDir)).rejects.toThrow(new RegExp(String(parent.pid)));
    parent.removeAllListeners('exit');
    const gone = new Promise((resolve) => parent.once('exit', resolve));
    // Kills the whole process group, as a terminal or a container does.
    process.kill(-(parent.pid as number), 'SIGKILL');
    await gone;
    expect(isAlive(pid)).toBe(true);
    const next = await start(dataDir);
    expect(pidOf(dataDir)).toBe(pid);
    expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  }, 60_000);
});
