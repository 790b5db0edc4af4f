import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startHttpProxy, startSilentProxy, startSocksProxy, type TestProxy } from '@tollgate/testing';
import type { Dispatcher } from 'undici';
import { WebSocketServer } from 'ws';
import { parseAllowance } from './address-policy.js';
import { OutboundClient } from './outbound-client.js';
import { openWebSocket, UpgradeRefused, type WebSocketTarget } from './web-socket.js';

describe('openWebSocket', () => {
  let server: Server;
  let url: string;
  const proxies: TestProxy[] = [];
  const outbound = new OutboundClient(parseAllowance(''));

  beforeAll(async () => {
    const echo = new WebSocketServer({ noServer: true, handleProtocols: () => 'second' });
    server = createServer((_request, response) => void response.writeHead(200).end('plain'));
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/refused')
        return void socket.end('HTTP/1.1 403 No\r\ncontent-type: text/plain\r\ncontent-length: 6\r\n\r\nnot me');
      if (request.url === '/silent') return;
      if (request.url === '/liar')
        return void socket.end(
          'HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: no\r\n\r\n',
        );
      echo.handleUpgrade(request, socket, head, (session) => {
        session.send(`hello ${request.headers['x-name']}`);
        session.on('message', (data: Buffer, isBinary) => session.send(data, { binary: isBinary }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await outbound.cut();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    server.closeAllConnections();
    server.close();
  });

  const target = (path: string, more: Partial<WebSocketTarget> = {}): WebSocketTarget => ({
    kind: 'channel',
    url: url + path,
    headers: { 'x-name': 'me', 'sec-websocket-protocol': 'first, second' },
    timeoutMs: 5000,
    maxPayload: 1024 * 1024,
    ...more,
  });

  async function talk(more: Partial<WebSocketTarget> = {}): Promise<string[]> {
    const socket = await openWebSocket(outbound, target('/echo?a=b', more));
    const heard: string[] = [];
    const large = 'x'.repeat(900_000);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.on('message', (data: Buffer) => {
      heard.push(data.length < 100 ? data.toString() : String(data.length));
      if (heard.length === 3) socket.close(1000);
    });
    socket.resume();
    socket.send(large);
    socket.send('bye');
    expect(await closed).toBe(1000);
    return heard;
  }

  it('exchanges messages, loses none that arrived before a listener was attached, and closes cleanly', async () => {
    expect(await talk()).toEqual(['hello me', '900000', 'bye']);
  });

  it.each([
    ['an HTTP proxy', startHttpProxy],
    ['a SOCKS proxy', startSocksProxy],
  ])('goes through %s', async (_, start) => {
    const proxy = await start();
    proxies.push(proxy);
    expect(await talk({ proxy: proxy.url })).toEqual(['hello me', '900000', 'bye']);
    expect(proxy.targets).toEqual([new URL(url).host]);
  });

  it('passes on a refusal unchanged', async () => {
    const refusal = await openWebSocket(outbound, target('/refused')).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UpgradeRefused);
    expect(refusal).toMatchObject({ status: 403, headers: { 'content-type': 'text/plain' } });
    expect((refusal as UpgradeRefused).body.toString()).toBe('not me');
  });

  it('connects to no forbidden address, and fails if the handshake does', async () => {
    await expect(openWebSocket(outbound, target('/echo', { kind: 'user' }))).rejects.toMatchObject({
      code: 'address-not-allowed',
    });
    const name = url.replace('127.0.0.1', 'localhost');
    await expect(openWebSocket(outbound, target('', { kind: 'user', url: name }))).rejects.toMatchObject({
      code: 'address-not-allowed',
    });
    await expect(openWebSocket(outbound, target('/liar'))).rejects.toThrow('Sec-WebSocket-Accept');
    await expect(openWebSocket(outbound, target('', { url: 'ws://127.0.0.1:1' }))).rejects.toThrow('ECONNREFUSED');
  });

  it.each([
    ['its own time', undefined, 50],
    ["the tunnel's time", 50, 60_000],
  ])('counts as not connected when a proxy does not answer within %s', async (_, connectMs, timeoutMs) => {
    const proxy = await startSilentProxy();
    proxies.push(proxy);
    const hurried = new OutboundClient(parseAllowance(''), undefined, connectMs);
    const opening = openWebSocket(hurried, target('', { url: 'wss://127.0.0.1:1', proxy: proxy.url, timeoutMs }));
    await expect(opening).rejects.toMatchObject({ code: 'ETIMEDOUT', syscall: 'connect' });
    await hurried.cut();
  });

  it('sends no handshake for which nobody waits any more', async () => {
    const dispatched = Promise.withResolvers<Dispatcher.DispatchHandler>();
    const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler): void => dispatched.resolve(handler);
    const busy = { upgradeDispatcher: () => Promise.resolve({ dispatch }) } as unknown as OutboundClient;
    await expect(openWebSocket(busy, target('/echo', { timeoutMs: 20 }))).rejects.toThrow('in time');
    const aborted: unknown[] = [];
    const controller = { abort: (reason: unknown) => void aborted.push(reason) } as never;
    (await dispatched.promise).onRequestStart?.(controller, {});
    expect(aborted).toEqual([expect.any(Error)]);
  });

  it('fails after its time limit, or when it is aborted', async () => {
    await expect(openWebSocket(outbound, target('/silent', { timeoutMs: 50 }))).rejects.toThrow(/time/i);
    const wanted = new AbortController();
    const opening = openWebSocket(outbound, target('/silent', { signal: wanted.signal }));
    setTimeout(() => wanted.abort(new Error('not wanted')), 20);
    await expect(opening).rejects.toThrow('not wanted');
  });
});
