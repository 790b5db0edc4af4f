import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createDatabase,
  type FakeUpstream,
  readUntil,
  setUpSite,
  type Site,
  startFakeUpstream,
  startRedis,
} from '@tollgate/testing';
import { type ChildProduct, MAIN, startChild } from '../support/child-product.js';
import { logRows } from '../support/relay-site.js';

const ROOT = resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);
/** With Redis, the program also loads what carries sessions over, which it shares with the commands. */
const redis = await startRedis();
afterAll(() => redis?.stop());

/** The packages beside the bundles in the image. */
const packages = (
  /^ARG PACKAGES="([^"]+)"$/m.exec(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'))?.[1] ?? ''
).split(' ');

/** A folder with what the image has: bundles, console, and the few packages of which files are used. */
function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bundle-'));
  mkdirSync(join(folder, 'dist'));
  mkdirSync(join(folder, 'node_modules'));
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  // A copy, because Node looks for packages beside the real path of a file.
  cpSync(dirname(MAIN), join(folder, 'dist/bundle/all-in-one'), { recursive: true });
  if (existsSync(join(ROOT, 'dist/web'))) symlinkSync(join(ROOT, 'dist/web'), join(folder, 'dist/web'));
  for (const name of packages)
    cpSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  return folder;
}

describe('the bundle without other packages', () => {
  let folder: string;
  let dataDir: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let upstream: FakeUpstream;
  let product: ChildProduct | undefined;
  let site: Site;

  beforeAll(async () => {
    folder = install();
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-data-'));
    database = await createDatabase();
    upstream = await startFakeUpstream({ behaviour: { usage: 'absent' } });
    product = await startChild(database.url, dataDir, {
      environment: { TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1', ...(redis && { REDIS_URL: redis.url }) },
      args: [join(folder, 'dist/bundle/all-in-one/main.js')],
      cwd: folder,
    });
    site = await setUpSite(product.url);
    await site.channel({ name: 'fake', base_url: upstream.url, models: 'gpt-4o-mini' });
  }, 120_000);
  afterAll(async () => {
    await product?.stop();
    await upstream?.close();
    await database?.drop();
    for (const path of [folder, dataDir]) rmSync(path, { recursive: true, force: true });
  }, 60_000);

  it('serves the console and the documents of the API', async () => {
    for (const path of [
      '/',
      '/docs',
      '/api/docs/assets/swagger-ui.css',
      '/api/docs/assets/swagger-ui-bundle.js',
      '/api/openapi.json',
    ]) {
      const reply = await fetch(`${product?.url}${path}`);
      expect([path, reply.status]).toEqual([path, 200]);
    }
  });

  it('counts tokens in its worker when an upstream states none, and books them', async () => {
    const authorization = `Bearer ${await site.token(site.root)}`;
    // A token for each word, and a few for the message; the estimate without a tokenizer would be 400.
    const content = 'hello world '.repeat(100).trim();
    const countedTokens = async (): Promise<number[]> => {
      const reply = await fetch(`${product?.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] }),
      });
      expect(reply.status).toBe(200);
      return (await logRows(site, 2)).map(({ prompt_tokens }) => prompt_tokens);
    };
    const isCounted = (tokens: number): boolean => tokens > 199 && tokens < 220;
    // The first calls may get the estimate, while the vocabulary loads.
    const tokens = await readUntil(countedTokens, (rows) => rows.some(isCounted), 60_000);
    expect(tokens.find(isCounted)).toBeDefined();
  }, 90_000);

  it('runs the commands of an operator', async () => {
    const env = { ...process.env, DATABASE_URL: database.url, TOLLGATE_DATA_DIR: dataDir };
    const command = join(folder, 'dist/bundle/all-in-one/command.js');
    const { stdout } = await run(process.execPath, [command, 'reconcile'], { cwd: folder, env });
    expect(stdout).toContain('Books balanced');
  }, 60_000);

  it('loads the packages that are used by their names', async () => {
    const load = packages
      .filter((name) => name !== 'swagger-ui-dist')
      .map((name) => `await import('${name}');`)
      .join('');
    const probe = join(folder, 'dist/bundle/all-in-one/probe.mjs');
    writeFileSync(probe, load);
    await expect(run(process.execPath, [probe], { cwd: folder })).resolves.toBeDefined();
  });

  it('names file and line of the source in the stack of an error', async () => {
    // A second process on the same database refuses to start.
    const env = {
      ...process.env,
      LOG_LEVEL: 'debug',
      PORT: '0',
      DATABASE_URL: database.url,
      TOLLGATE_DATA_DIR: dataDir,
    };
    const { stderr } = await run(process.execPath, [MAIN], { cwd: ROOT, env, timeout: 60_000 }).then(
      () => ({ stderr: 'it started' }),
      (error: unknown) => error as { stderr: string },
    );
    const [, file = '', line = ''] = /^ +at TableEventLog\.requireOwnership \((.+):(\d+):\d+\)$/m.exec(stderr) ?? [];
    expect([file, stderr]).toEqual([join(ROOT, 'libs/database/src/events/table-event-log.ts'), stderr]);
    expect(readFileSync(file, 'utf8').split('\n')[Number(line) - 1]).toContain('throw new AppError(');
    expect(stderr).toContain(`at async ${join(ROOT, 'services/all-in-one/src/main.ts')}:`);
  }, 90_000);

  it('names file and line of the source where Node prints an error that nobody caught, and its cause', async () => {
    // `runProcess` calls it before it catches anything.
    const broken = `const { once } = process;
      process.once = (name, ...rest) => {
        if (name !== 'disconnect') return once.call(process, name, ...rest);
        throw new Error('no channel', { cause: new AggregateError([new Error('one of them')]) });
      };`;
    const preload = `data:text/javascript,${encodeURIComponent(broken)}`;
    const { stderr } = await run(process.execPath, ['--import', preload, MAIN], { cwd: ROOT, timeout: 60_000 }).then(
      () => ({ stderr: 'it started' }),
      (error: unknown) => error as { stderr: string },
    );
    const place = `at runProcess (${join(ROOT, 'libs/process/src/run-process.ts')}:`;
    expect([stderr.split(place).length - 1, stderr]).toEqual([3, stderr]);
  }, 90_000);
});
