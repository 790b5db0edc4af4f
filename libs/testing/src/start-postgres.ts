import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Logger } from '@tollgate/chassis';
import { startEmbeddedPostgres } from '@tollgate/embedded';
import { Client } from 'pg';
import { endWithUs } from './end-with-us.js';

/** A server for one test run; its user may create databases and roles. */
export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

const log = Logger.root('silent');
const DEBIAN_SERVERS = '/usr/lib/postgresql';

/** Starts a server. It tries `TEST_DATABASE_URL`, then Docker, then a local installation, then the npm package. */
export async function startPostgres(): Promise<TestServer | { missing: string }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return fromEnvironment(given);
  const reasons: string[] = [];
  const attempts = [
    fromDocker,
    ...localInstallations().map((installation) => () => throwAway(installation)),
    () => throwAway(),
  ];
  for (const attempt of attempts) {
    try {
      const server = await attempt();
      if (server) return server;
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  return { missing: reasons.join('; ') || 'TEST_DATABASE_URL is not set' };
}

/** A server for one suite, whose settings the suite may change. */
export interface OwnServer extends TestServer {
  /**
   * Makes a base backup of the running server and resolves to its folder, from which another server can start. Throws
   * if the installation lacks `pg_basebackup`, as the npm package does.
   */
  backUp(): Promise<string>;
}

/**
 * Starts a server on a new cluster, or on a backup of `backUp`, which is removed with the server. Throws if no server
 * can be started.
 */
export async function startOwnPostgres(backup?: string): Promise<OwnServer> {
  const [installed] = localInstallations();
  const server = await throwAway(installed, backup);
  return { ...server, backUp: () => baseBackup(join(installed ?? '', 'bin', 'pg_basebackup'), server) };
}

async function baseBackup(program: string, { url, dataDir }: TestServer & { dataDir: string }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-backup-'));
  const { uid, gid } = statSync(join(dataDir, 'postgres'));
  chmodSync(folder, 0o755);
  chownSync(folder, uid, gid);
  cpSync(join(dataDir, 'postgres.json'), join(folder, 'postgres.json'));
  const { hostname, port, username, password } = new URL(url);
  const flags = ['-D', join(folder, 'postgres'), '-h', hostname, '-p', port, '-U', username, '-X', 'stream'];
  await promisify(execFile)(program, [...flags, '-c', 'fast', '--no-sync'], {
    ...{ uid, gid, cwd: '/' },
    env: { PATH: process.env.PATH, PGPASSWORD: decodeURIComponent(password) },
  });
  return folder;
}

async function fromEnvironment(url: string): Promise<TestServer> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.end();
  return { url, stop: () => Promise.resolve() };
}

async function fromDocker(): Promise<TestServer | undefined> {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 3_000 });
  } catch {
    return undefined;
  }
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer('postgres:18-alpine')
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=400'])
    .start();
  return {
    url: container.getConnectionUri(),
    stop: async () => {
      await container.stop();
    },
  };
}

function localInstallations(): string[] {
  if (!existsSync(DEBIAN_SERVERS)) return [];
  const versions = readdirSync(DEBIAN_SERVERS).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(DEBIAN_SERVERS, version))
    .filter((installation) => existsSync(join(installation, 'bin', 'initdb')));
}

/** Starts a server in a temporary folder that its user can enter; the folder is removed after the run. */
async function throwAway(installation?: string, backup?: string): Promise<TestServer & { dataDir: string }> {
  const dataDir = backup ?? mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  chmodSync(dataDir, 0o755);
  const forget = (): void => rmSync(dataDir, { recursive: true, force: true });
  try {
    let release = (): void => undefined;
    // The server is detached and would outlive this process to be taken over by a next start, which never comes here.
    const watch = (pid: number): void => {
      release();
      release = endWithUs(pid, { signal: 'SIGINT' });
    };
    const onRevived = (): void => watch(server.pid);
    const server = await startEmbeddedPostgres({ dataDir, log, throwAway: true, installation, onRevived });
    watch(server.pid);
    return {
      dataDir,
      url: server.url,
      stop: async () => {
        await server.stop();
        release();
        forget();
      },
    };
  } catch (error) {
    forget();
    throw error;
  }
}
