import type { LookupAddress } from 'node:dns';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2SecureServer, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificates, startHttpProxy, startSilentProxy, startSocksProxy, type TestProxy } from '@tollgate/testing';
import { request } from 'undici';
import { parseAllowance } from './address-policy.js';
import { OutboundClient } from './outbound-client.js';

describe('OutboundClient', () => {
  let server: Server;
  let url: string;
  const clients: OutboundClient[] = [];
  const client = (allow = ''): OutboundClient => {
    const made = new OutboundClient(parseAllowance(allow));
    clients.push(made);
    return made;
  };

  const silent = new EventEmitter();
  /** Requests held until all of them have arrived. */
  const waiting: ServerResponse[] = [];
  const MANY = 200;
  function together(response: ServerResponse): void {
    if (waiting.push(response) === MANY) for (const one of waiting.splice(0)) one.end('hello');
  }

  const gone = new EventEmitter();
  /** Sends for as long as somebody reads. */
  function pour(response: ServerResponse): void {
    response.on('close', () => gone.emit('close'));
    Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(16 * 1024);
      })(),
    ).pipe(response);
  }

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: `${url}/secret` }).end();
      else if (request.url === '/large') response.end(Buffer.alloc(5000));
      else if (request.url === '/endless') pour(response);
      else if (request.url === '/together') together(response);
      else if (request.url === '/silent') silent.emit('call');
      else if (request.url === '/slow') setTimeout(() => response.end('late'), 1000).unref();
      else response.end('hello');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await Promise.all(clients.map((made) => made.cut()));
    server.closeAllConnections();
    server.close();
  });

  const port = (): string => new URL(url).port;

  it.each([
    ['a literal loopback address', () => url],
    ['its decimal spelling', () => `http://2130706433:${port()}`],
    ['its octal spelling', () => `http://0177.0.0.1:${port()}`],
    ['its hexadecimal spelling', () => `http://0x7f.1:${port()}`],
    ['its IPv6 mapping', () => `http://[::ffff:127.0.0.1]:${port()}`],
    ['a name that resolves to it', () => `http://localhost:${port()}`],
  ])('refuses users %s, and names the variable that would allow it to operators alone', async (_, address) => {
    const [host, code] = [new URL(address()).hostname.replace(/^\[|\]$/g, ''), 'address-not-allowed'];
    const plain = { code, message: `不允许访问该地址：${host}`, details: { params: { host } } };
    await expect(client().send({ kind: 'user', url: address() })).rejects.toMatchObject(plain);
    await expect(client().check(address(), 'user')).rejects.toMatchObject(plain);
    const params = { host, variable: 'TOLLGATE_OUTBOUND_ALLOW', context: 'operator' };
    const named = { code, message: expect.stringContaining('TOLLGATE_OUTBOUND_ALLOW'), details: { params } };
    await expect(client().check(address(), 'admin')).rejects.toMatchObject(named);
  });

  describe('with a name whose addresses change', () => {
    const PUBLIC = { address: '8.8.8.8', family: 4 };
    const LOOPBACK = { address: '127.0.0.1', family: 4 };
    /** Each look-up of any name gets the next answer. */
    function resolving(...answers: LookupAddress[][]): { made: OutboundClient; asked: string[] } {
      const asked: string[] = [];
      const made = new OutboundClient(parseAllowance(''), undefined, undefined, (host) => {
        asked.push(host);
        return Promise.resolve(answers.shift() ?? []);
      });
      clients.push(made);
      return { made, asked };
    }
    const named = (): string => `http://rebound.example:${port()}`;

    it('refuses what was public when it was saved and is private when it is called', async () => {
      const { made, asked } = resolving([PUBLIC], [LOOPBACK]);
      await made.check(named(), 'user');
      await expect(made.send({ kind: 'user', url: named() })).rejects.toMatchObject({ code: 'address-not-allowed' });
      expect(asked).toEqual(['rebound.example', 'rebound.example']);
    });

    it('connects to the address that it has checked, without asking again', async () => {
      const { made, asked } = resolving([LOOPBACK], [PUBLIC]);
      expect((await made.send({ kind: 'channel', url: named() })).body.toString()).toBe('hello');
      expect(asked).toEqual(['rebound.example']);
    });

    it.each([
      ['public and private', [PUBLIC, LOOPBACK]],
      ['no', []],
    ])('refuses a name with %s addresses', async (_, addresses) => {
      const { made } = resolving(addresses, addresses);
      await expect(made.send({ kind: 'user', url: named() })).rejects.toMatchObject({ code: 'address-not-allowed' });
    });
  });

  it('aborts running calls when it is cut, without blaming the upstream, and refuses new ones', async () => {
    const cut = client();
    const call = { kind: 'channel', url: `${url}/silent` } as const;
    const hanging = Promise.allSettled([cut.send(call), request(call.url, { dispatcher: cut.dispatcher('channel') })]);
    await once(silent, 'call');
    await cut.cut();
    const [sent, streamed] = await hanging;
    expect([sent.status, streamed.status]).toEqual(['rejected', 'rejected']);
    expect(sent).toMatchObject({ reason: expect.not.objectContaining({ kind: expect.anything() }) });
    await expect(cut.send({ ...call, url })).rejects.toThrow('the process stops');
  });

  it('reaches loopback for channels, and for users where it is allowed', async () => {
    expect((await client().send({ kind: 'channel', url })).body.toString()).toBe('hello');
    expect((await client('127.0.0.0/8').send({ kind: 'user', url })).status).toBe(200);
    expect((await client('localhost').send({ kind: 'user', url: `http://localhost:${port()}` })).status).toBe(200);
  });

  it('lets any number of requests to one upstream run at once, as streams may last for hours', async () => {
    const made = client();
    const replies = await Promise.all(
      Array.from({ length: MANY }, () => made.send({ kind: 'channel', url: `${url}/together` })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('follows no redirect', async () => {
    expect(await client().send({ kind: 'channel', url: `${url}/redirect` })).toMatchObject({ status: 302 });
  });

  it('limits the bytes it reads and the time it waits', async () => {
    await expect(client().send({ kind: 'channel', url: `${url}/large`, maxBytes: 4999 })).rejects.toMatchObject({
      code: 'reply-too-large',
    });
    await expect(client().send({ kind: 'channel', url: `${url}/slow`, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  it('reads no body where only the status counts, and closes its connection', async () => {
    const closed = once(gone, 'close');
    const reply = await client().send({ kind: 'channel', url: `${url}/endless`, onlyStatus: true });
    expect(reply).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    await closed;
  });

  it.each(['ftp://example.com', 'file:///etc/passwd', 'nonsense', 'javascript:alert(1)'])(
    'takes %s for no address',
    async (bad) => {
      await expect(client().send({ kind: 'admin', url: bad })).rejects.toMatchObject({ code: 'url-invalid' });
    },
  );

  describe('with a proxy', () => {
    const proxies: TestProxy[] = [];
    afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

    it.each([
      ['http', startHttpProxy, (url: string) => url],
      ['socks5', startSocksProxy, (url: string) => url],
      ['socks5h', startSocksProxy, (url: string) => url.replace('socks5:', 'socks5h:')],
    ])('goes by %s', async (_, start, urlOf) => {
      const proxy = await start();
      proxies.push(proxy);
      const reply = await client().send({ kind: 'channel', url, proxy: urlOf(proxy.url) });
      expect(reply.body.toString()).toBe('hello');
      expect(proxy.targets).toEqual([`127.0.0.1:${port()}`]);
    });

    it.each([
      ['ftp://127.0.0.1:1', 'proxy-scheme-unsupported'],
      ['nonsense', 'proxy-invalid'],
      ['http://169.254.169.254:80', 'address-not-allowed'],
    ])('refuses %s', async (proxy, code) => {
      await expect(client().send({ kind: 'channel', url, proxy })).rejects.toMatchObject({ code });
      await expect(client().checkProxy(proxy, 'channel')).rejects.toMatchObject({ code });
    });

    it('waits no longer than it would without one', async () => {
      const proxy = await startSilentProxy();
      proxies.push(proxy);
      const call = { kind: 'channel', url: 'https://127.0.0.1:1', proxy: proxy.url } as const;
      await expect(client().send({ ...call, timeoutMs: 50 })).rejects.toMatchObject({ code: 'unreachable' });
      const giving = new AbortController();
      const aborted = client().send({ ...call, signal: giving.signal });
      const reason = new Error('nobody waits any more');
      giving.abort(reason);
      await expect(aborted).rejects.toBe(reason);
    });

    it('gives up the tunnel of a proxy that does not answer', async () => {
      const proxy = await startSilentProxy();
      proxies.push(proxy);
      const hurried = new OutboundClient(parseAllowance(''), undefined, 50);
      clients.push(hurried);
      const streamed = request('https://127.0.0.1:1', { dispatcher: hurried.dispatcher('channel', proxy.url) });
      await expect(streamed).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
      expect(proxy.targets).toEqual(['127.0.0.1:1']);
    });

    it('fails where the proxy does, instead of going without it', async () => {
      const proxy = await startHttpProxy();
      await proxy.close();
      const call = client().send({ kind: 'channel', url, proxy: proxy.url });
      await expect(call).rejects.toMatchObject({ code: 'unreachable' });
    });
  });

  it("is aborted by its caller, with the caller's reason", async () => {
    const giving = new AbortController();
    const call = client().send({ kind: 'channel', url: `${url}/slow`, signal: giving.signal });
    const reason = new Error('nobody waits any more');
    giving.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  describe('with a server that also speaks HTTP/2', () => {
    const trusted = getCACertificates('default');
    let folder: string;
    let secure: Http2SecureServer;
    let address: string;

    /** Ends the reply before it is whole, as a server does that gives up. */
    const cut = (response: Http2ServerResponse): void => {
      const { stream } = response as Partial<Http2ServerResponse>;
      if (stream) stream.close(constants.NGHTTP2_CANCEL);
      else response.destroy();
    };

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'));
      const { ca, key, certificate } = makeCertificates(folder);
      setDefaultCACertificates([...trusted, readFileSync(ca, 'utf8')]);
      secure = createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate), allowHTTP1: true });
      secure.on('request', (incoming, response) => {
        if (incoming.url !== '/cut') return void response.end(incoming.httpVersion);
        response.write('the beginning of', () => cut(response));
      });
      await once(secure.listen(0, '127.0.0.1'), 'listening');
      address = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      setDefaultCACertificates(trusted);
      await Promise.all(clients.map((made) => made.cut()));
      secure.close();
      rmSync(folder, { recursive: true });
    });

    it.each<[string, () => Promise<TestProxy | undefined>]>([
      ['by itself', () => Promise.resolve(undefined)],
      ['through an HTTP proxy', startHttpProxy],
      ['through a SOCKS proxy', startSocksProxy],
    ])('speaks HTTP/1.1 %s', async (_, startProxy) => {
      const proxy = await startProxy();
      try {
        const { body } = await client().send({ kind: 'channel', url: address, proxy: proxy?.url });
        expect(body.toString()).toBe('1.1');
      } finally {
        await proxy?.close();
      }
    });

    it('notices that a reply is cut', async () => {
      const sending = client().send({ kind: 'channel', url: `${address}/cut` });
      await expect(sending).rejects.toMatchObject({ code: 'unreachable' });
    });
  });
});
