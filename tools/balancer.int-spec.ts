import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@tollgate/embedded';
import { endWithUs, eventually } from '@tollgate/testing';

/** The address of a proxy that the balancer trusts. */
const PROXY = '127.0.0.2';
const CONFIG = resolve(import.meta.dirname, '../deploy/haproxy.cfg');

function isInstalled(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    if (process.env.CI === 'true') throw new Error('No HAProxy for the tests: install haproxy.');
    process.stderr.write('SKIPPED: what needs HAProxy, because it is not installed\n');
    return false;
  }
}

/** A stand-in for a gateway; its replies contain its name and the headers it received. */
class Gateway {
  isReady = true;
  /** Open streams, which the test ends. */
  readonly streams: ServerResponse[] = [];
  readonly server: Server = createServer((request, response) => this.answer(request, response));

  constructor(readonly name: string) {}

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
    if (url === '/readyz') response.writeHead(this.isReady ? 200 : 503).end();
    else if (url === '/stream') {
      response.writeHead(200).write('first');
      this.streams.push(response);
    } else response.end(JSON.stringify({ name: this.name, for: headers['x-forwarded-for'] }));
  }
}

(isInstalled() ? describe : describe.skip)('the balancer of deploy/compose.yaml', () => {
  const gateways = [new Gateway('one'), new Gateway('two')];
  const folder = mkdtempSync(join(tmpdir(), 'balancer-'));
  let url: string;
  let balancer: ChildProcess | undefined;
  let release = (): void => undefined;

  beforeAll(async () => {
    for (const { server } of gateways) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const [one, two] = gateways.map((gateway) => gateway.port);
    const config = readFileSync(CONFIG, 'utf8')
      .replace('gateway-1:3000', `127.0.0.1:${one}`)
      .replace('gateway-2:3000', `127.0.0.1:${two}`)
      .replace('bind :3000', `bind 127.0.0.1:${port}`);
    writeFileSync(join(folder, 'haproxy.cfg'), config);
    const env = { ...process.env, BALANCER_TRUSTS: `${PROXY}/32` };
    balancer = spawn('haproxy', ['-f', join(folder, 'haproxy.cfg')], { env, stdio: 'ignore' });
    if (balancer.pid !== undefined) release = endWithUs(balancer.pid);
    await eventually('both gateways answer', async () => (await names(4)).size === 2);
  });
  afterAll(async () => {
    const ended = new Promise((done) => balancer?.once('exit', done));
    if (balancer?.kill()) await ended;
    release();
    for (const { server } of gateways) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    for (const gateway of gateways) gateway.isReady = true;
    await eventually('both gateways answer', async () => (await names(4)).size === 2);
  });

  const ask = async (headers: Record<string, string> = {}): Promise<{ name: string; for?: string }> =>
    (await fetch(url, { headers })).json() as Promise<{ name: string; for?: string }>;

  /** Names of the gateways that answer `count` simultaneous requests. */
  async function names(count: number): Promise<Set<string>> {
    const replies = await Promise.all(Array.from({ length: count }, () => ask().catch(() => ({ name: '' }))));
    return new Set(replies.map(({ name }) => name).filter(Boolean));
  }

  it('sends no new request to a gateway that reports not ready', async () => {
    const [one] = gateways as [Gateway];
    one.isReady = false;
    await eventually('only one gateway answers', async () => (await names(8)).size === 1);
    expect(await names(8)).toEqual(new Set(['two']));
  });

  it('keeps the open streams of a gateway that reports not ready', async () => {
    const reply = await fetch(`${url}/stream`);
    const reader = reply.body?.getReader();
    const text = async (): Promise<string> => Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(await text()).toBe('first');
    const [owner] = gateways.filter(({ streams }) => streams.length > 0) as [Gateway];
    owner.isReady = false;
    await eventually('only one gateway answers', async () => (await names(8)).size === 1);
    owner.streams[0]?.end('last');
    expect(await text()).toBe('last');
  });

  it('forwards the address of the client, and ignores forwarded addresses that clients send', async () => {
    expect((await ask()).for).toBe('127.0.0.1');
    expect((await ask({ 'x-forwarded-for': '203.0.113.7' })).for).toBe('127.0.0.1');
  });

  it('forwards the address that a trusted proxy names, and not the address of that proxy', async () => {
    const reply = await new Promise<IncomingMessage>((done, fail) => {
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      get(url, { headers, localAddress: PROXY, agent: false }, done).on('error', fail);
    });
    expect(await json(reply)).toMatchObject({ for: '203.0.113.7' });
  });
});
