import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isAlive } from '@tollgate/embedded';
import {
  createDatabase,
  endWithUs,
  eventually,
  readUntil,
  setUpSite,
  type Site,
  type TestDatabase,
} from '@tollgate/testing';
import { type ChildProduct, MAIN, startChild } from '../support/child-product.js';

/** What `npm start` does after the build. */
const PARENT = `
  import { runForeground } from '${resolve(import.meta.dirname, '../../../../tools/run/child.mjs')}';
  process.exitCode = await runForeground(process.execPath, ['${MAIN}'], { tied: true });`;
const CHANNELS = 12;
const DRAIN_SECONDS = 1;
/** Requests that hang are aborted a few seconds after the drain; a forced exit would come after 30. */
const SOON_MS = 25_000;

/** Accepts connections and never replies, like an address behind a broken firewall. */
class SilentUpstream {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket.on('error', () => undefined));
  });

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get calls(): number {
    return this.sockets.size;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

describe('a product that is stopped while upstreams hang', () => {
  const upstream = new SilentUpstream();
  let address: string;
  let dataDir: string;
  let product: ChildProduct | undefined;
  let databasePid: number;

  beforeAll(async () => {
    address = await upstream.listen();
  });
  afterAll(() => upstream.close());
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-stop-'));
  });
  afterEach(async () => {
    await product?.kill();
    if (isAlive(databasePid)) process.kill(databasePid, 'SIGQUIT');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const readDatabasePid = (): number => {
    const { cluster } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { cluster: string };
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
  };
  const databaseIsGone = (): Promise<boolean> => eventually('the database stops', () => !isAlive(databasePid));

  /** Starts channel tests in the background and in an open request, and a request through the relay. */
  async function hang(site: Site): Promise<void> {
    const before = upstream.calls;
    const ids: number[] = [];
    for (let index = 0; index < CHANNELS; index += 1)
      ids.push(await site.channel({ name: `silent ${index}`, type: 1, base_url: address, models: 'gpt-4o-mini' }));
    const owner = await site.user('owner', 1_000_000);
    const key = await site.token(owner, {});
    await site.root.data('GET', '/api/channel/test');
    void site.root.call('GET', `/api/channel/test/${ids[0]}`).catch(() => undefined);
    void fetch(`${site.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    }).catch(() => undefined);
    await readUntil(
      () => Promise.resolve(upstream.calls),
      (calls) => calls >= before + 10,
      20_000,
    );
  }

  async function startHanging(args?: string[], drainSeconds = DRAIN_SECONDS): Promise<ChildProduct> {
    const environment = { TOLLGATE_DRAIN_SECONDS: String(drainSeconds), TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1' };
    const child = await startChild(undefined, dataDir, { environment, args });
    product = child;
    databasePid = readDatabasePid();
    await hang(await setUpSite(child.url));
    return child;
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'aborts hanging requests after the drain and stops its database (%s)',
    async (signal) => {
      const child = await startHanging();
      const began = performance.now();
      expect(await child.stop(signal)).toBe(0);
      expect(performance.now() - began).toBeLessThan(SOON_MS);
      expect(isAlive(databasePid)).toBe(false);
    },
    120_000,
  );

  it('stops its database when a second signal ends it at once', async () => {
    const child = await startHanging(undefined, 20);
    process.kill(child.pid, 'SIGINT');
    // Signals within a second of the first count as one with it; the drain keeps the process busy for longer.
    await eventually('a later signal ends it', () => {
      if (isAlive(child.pid)) process.kill(child.pid, 'SIGINT');
      return !isAlive(child.pid);
    });
    expect(await child.stop()).toBe(1);
    expect(await databaseIsGone()).toBe(true);
  }, 120_000);

  it('stops with its database when the program that started it is killed', async () => {
    const parent = await startHanging(['--input-type=module', '-e', PARENT]);
    await parent.kill();
    expect(await databaseIsGone()).toBe(true);
    await expect(fetch(parent.url)).rejects.toThrow('fetch failed');
  }, 120_000);
});

describe('a start that waits for a server', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-stop-start-'));
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it.each([
    ['PostgreSQL', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, 'does not answer yet, waiting'],
    ['Kafka', { KAFKA_BROKERS: '127.0.0.1:1' }, 'no Kafka broker answers yet'],
    ['Redis', { REDIS_URL: 'redis://127.0.0.1:1' }, 'no connection to Redis'],
  ])(
    'ends without a complaint by one signal, before its patience with %s does',
    async (_name, variables, waiting) => {
      const env = { ...process.env, DATABASE_URL: database.url, TOLLGATE_DATA_DIR: dataDir, PORT: '0', ...variables };
      const child = spawn(process.execPath, [MAIN], { env: { ...env, LOG_LEVEL: 'warn' } });
      const release = endWithUs(child.pid ?? 0);
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
      await eventually('the start waits', () => said.includes(waiting), 30_000);
      child.kill('SIGTERM');
      // The patience is 15 seconds and more.
      await eventually('the process ends', () => child.exitCode !== null || child.signalCode !== null, 10_000);
      release();
      expect(child.exitCode).toBe(0);
      // The line about the wait is all that was said.
      expect(said.trim().split('\n')).toHaveLength(1);
    },
    60_000,
  );
});
