import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { kafkaClassPath } from '@tollgate/testing';

export const ROOT = resolve(import.meta.dirname, '../../../..');
export const PRODUCT = 'localhost/tollgate:tested';
/** The image label that identifies its sources. */
const STAMP = 'tollgate.sources';
const NEEDED = ['podman', 'runc', 'debootstrap'];
/** Configuration used by podman itself and by clients of its socket. */
const CONF = { CONTAINERS_CONF: join(ROOT, 'tools/containers/containers.conf') };
const run = promisify(execFile);

/** Why containers cannot run on this machine, as far as this can be known in advance. */
export function missingForContainers(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'they run as root on Linux only';
  const missing = NEEDED.filter((command) => {
    try {
      execFileSync('which', [command], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  return missing.length > 0 ? `install ${missing.join(', ')} and iptables` : undefined;
}

/** Runs a command and resolves to its output; throws with its error output. */
export async function command(program: string, args: readonly string[], seconds = 60): Promise<string> {
  const env = { ...process.env, ...CONF };
  try {
    const options = { cwd: ROOT, env, timeout: seconds * 1_000, killSignal: 'SIGKILL', maxBuffer: 64 << 20 } as const;
    return (await run(program, args, options)).stdout.trim();
  } catch (error) {
    const { stderr = '', stdout = '', message } = error as { stderr?: string; stdout?: string; message: string };
    const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-30).join('\n');
    throw new Error(`${program} ${args.join(' ')} failed: ${said || message}`, { cause: error });
  }
}

export const podman = (...args: readonly string[]): Promise<string> => command('podman', args);

const NEEDS =
  'Containers need root, the overlay file system, bridge networks with iptables, and control groups; in a container of its own it has to be a privileged one.';

/** Builds the base image, then the product's image from its Dockerfile. */
export async function buildImages(): Promise<void> {
  try {
    await buildInOrder();
  } catch (error) {
    throw new Error(`podman built no image here. ${NEEDS}\n${(error as Error).message}`, { cause: error });
  }
}

async function buildInOrder(): Promise<void> {
  await command('tools/containers/base-images.sh', [dirname(await kafkaClassPath())], 900);
  // Reuses packages that the machine's npm has downloaded before.
  const npmCache = join(homedir(), '.npm');
  const cache = existsSync(npmCache) ? ['--volume', `${npmCache}:/root/.npm`] : [];
  // Caching each layer costs more than building it again, since one of them contains all dependencies.
  const stamp = await sources();
  if (await isBuilt(stamp)) return;
  const label = stamp === undefined ? [] : ['--label', `${STAMP}=${stamp}`];
  // One commit results in one layer with the commit's time.
  const time = await command('git', ['log', '-1', '--format=%ct']).catch(() => '0');
  const how = [
    ...label,
    '--timestamp',
    time,
    '--pull=never',
    '--layers=false',
    '--format',
    'docker',
    '--network',
    'host',
    ...cache,
  ];
  await command('podman', ['build', ...how, '-f', 'deploy/Dockerfile', '-t', PRODUCT, '.'], 1_200);
}

/** Identifies the sources of the image; `undefined` with uncommitted changes, so that the image is built again. */
async function sources(): Promise<string | undefined> {
  const status = await command('git', ['status', '--porcelain']).catch(() => 'no repository');
  return status === '' ? command('git', ['rev-parse', 'HEAD^{tree}']) : undefined;
}

/**
 * Several suites need the image. With `TOLLGATE_TESTED_IMAGE=kept` a developer who works on a suite need not wait for a
 * new one.
 */
async function isBuilt(stamp: string | undefined): Promise<boolean> {
  const format = `{{index .Config.Labels "${STAMP}"}}`;
  const label = await podman('image', 'inspect', '--format', format, PRODUCT).catch(() => undefined);
  if (label === undefined) return false;
  return process.env.TOLLGATE_TESTED_IMAGE === 'kept' || (stamp !== undefined && label === stamp);
}

/** Runs podman's Docker-compatible API until it is stopped, and points testcontainers to it. */
export class PodmanSocket {
  private constructor(
    private readonly service: ChildProcess,
    private readonly folder: string,
  ) {}

  static async open(): Promise<PodmanSocket> {
    const folder = mkdtempSync(join(tmpdir(), 'podman-'));
    const socket = join(folder, 'podman.sock');
    const service = spawn('podman', ['system', 'service', '--time=900', `unix://${socket}`], {
      stdio: 'ignore',
      env: { ...process.env, ...CONF },
    });
    const deadline = performance.now() + 20_000;
    while (!existsSync(socket)) {
      if (performance.now() > deadline || service.exitCode !== null) throw new Error('podman serves no socket');
      await pause(50);
    }
    process.env.DOCKER_HOST = `unix://${socket}`;
    // testcontainers' clean-up container would have to be pulled from a registry.
    process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
    return new PodmanSocket(service, folder);
  }

  close(): void {
    this.service.kill();
    delete process.env.DOCKER_HOST;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
