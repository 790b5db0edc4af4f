import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gateway } from '@tollgate/gateway';
import { type Listener, listen } from '@tollgate/chassis';
import { eventually, type ServiceHarness, startServices } from '@tollgate/testing';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A bare server that stands in for a service in another process. */
class Owner {
  handler: Handler = (_request, response) => void response.end('{}');
  seen: IncomingMessage[] = [];
  private readonly server: Server = createServer((request, response) => {
    if (request.url === '/readyz') return void response.end();
    this.seen.push(request);
    this.handler(request, response);
  });

  /** Answers upgrade requests by hand. */
  upgrade: (request: IncomingMessage, socket: Duplex) => void = (_request, socket) => socket.destroy();

  async open(): Promise<string> {
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      this.seen.push(request);
      this.upgrade(request, socket);
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Waits until bytes no longer flow: their sum has not changed at so many looks. */
async function standsStill(read: () => number, looks = 10): Promise<void> {
  let [last, same] = [0, 0];
  await eventually('the bytes stand still', () => {
    const sum = read();
    same = sum > 0 && sum === last ? same + 1 : 0;
    last = sum;
    return same === looks;
  });
}

describe('requests to an owner in another process', () => {
  const owner = new Owner();
  let testBed: ServiceHarness;
  let listener: Listener;
  let url: string;

  beforeAll(async () => {
    const address = await owner.open();
    testBed = await startServices([gateway], {
      // One of the two replicas does not exist, so that every other request first meets a refused connection.
      TOLLGATE_SERVICES: `relay=http://127.0.0.1:1|${address}`,
    });
    listener = await listen(testBed.process.services.get('gateway')!.app, '127.0.0.1', 0);
    url = `http://127.0.0.1:${listener.port}`;
  }, 60_000);
  afterAll(async () => {
    await listener?.drain(0);
    await testBed?.close();
    owner.close();
  });
  beforeEach(() => {
    owner.seen = [];
  });

  it('arrive with body, request id and signed client address, without forged headers', async () => {
    const bodies: string[] = [];
    owner.handler = (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        bodies.push(Buffer.concat(pieces).toString());
        response.writeHead(201, { 'x-from-owner': 'yes', 'keep-alive': 'timeout=1' }).end('{"ok":true}');
      });
    };
    const forged = Object.fromEntries(
      ['x-tollgate-caller', 'x-tollgate-service', 'x-tollgate-forwarded'].map((name) => [name, 'forged']),
    );
    for (let turn = 0; turn < 3; turn += 1) {
      const reply = await fetch(`${url}/v1/anything?a=b`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-1', 'x-forwarded-for': '9.9.9.9', ...forged },
        body: 'a body',
      });
      expect([reply.status, await reply.json()]).toEqual([201, { ok: true }]);
      expect(reply.headers.get('x-from-owner')).toBe('yes');
      expect(reply.headers.get('keep-alive')).not.toBe('timeout=1');
    }
    expect(bodies).toEqual(['a body', 'a body', 'a body']);
    const { headers, url: path } = owner.seen[0]!;
    expect(path).toBe('/v1/anything?a=b');
    expect(headers).toMatchObject({ authorization: 'Bearer sk-1', host: new URL(url).host });
    expect(headers['x-tollgate-caller']).toBeUndefined();
    expect(headers['x-tollgate-service']).toBeUndefined();
    const facts = testBed.host.secrets.verify('forwarded-request', String(headers['x-tollgate-forwarded']));
    expect(facts).toMatchObject({
      address: '127.0.0.1',
      protocol: 'http',
      // The forwarded address is not trusted, so the caller cannot be taken for a local one.
      local: false,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('require the revisions of earlier replies, and ignore revisions that a client invents', async () => {
    owner.handler = (_request, response) =>
      void response.writeHead(200, { 'x-tollgate-revisions': 'routing=7,option=x' }).end('{}');
    const ask = (): Promise<Response> =>
      fetch(`${url}/v1/anything`, { headers: { 'x-tollgate-revisions': 'routing=99' } });
    for (let turn = 0; turn < 2; turn += 1) {
      const reply = await ask();
      expect([reply.status, reply.headers.get('x-tollgate-revisions')]).toEqual([200, null]);
    }
    expect(owner.seen.map(({ headers }) => headers['x-tollgate-revisions'])).toEqual([undefined, 'routing=7']);
  });

  it('stream the reply as it arrives', async () => {
    let answer: ServerResponse | undefined;
    owner.handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      answer = response;
    };
    // Each chunk is sent only after the previous one has arrived, beginning with the head; a proxy that buffers would
    // never get further.
    const reader = (await fetch(`${url}/v1/stream`)).body?.getReader();
    for (const event of ['one', 'two', 'three']) {
      answer?.write(event);
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(event);
    }
    answer?.end();
    expect((await reader?.read())?.done).toBe(true);
  });

  it('are aborted at the owner when the client disconnects', async () => {
    let answer = new EventEmitter();
    owner.handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('first');
      answer = response;
    };
    const leaving = new AbortController();
    const reply = await fetch(`${url}/v1/stream`, { signal: leaving.signal });
    await reply.body?.getReader().read();
    const closed = once(answer, 'close');
    leaving.abort();
    // This reply never ends by itself.
    await closed;
  });

  it('apply back-pressure to the owner when the client does not read', async () => {
    const piece = Buffer.alloc(64 * 1024);
    let written = 0;
    owner.handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const write = (): void => {
        while (written < 200 * 1024 * 1024) {
          written += piece.length;
          if (!response.write(piece)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    };
    const client = httpRequest(`${url}/v1/large`);
    const response = await new Promise<IncomingMessage>((resolve) => client.once('response', resolve).end());
    response.pause();
    await standsStill(() => written);
    expect(written).toBeLessThan(40 * 1024 * 1024);
    client.destroy();
  });

  it('apply back-pressure to the client when the owner does not read', async () => {
    owner.handler = (request) => void request.pause();
    const client = httpRequest(`${url}/v1/upload`, {
      method: 'POST',
      headers: { 'content-length': 200 * 1024 * 1024 },
    });
    client.on('error', () => undefined);
    const piece = Buffer.alloc(64 * 1024);
    let sent = 0;
    const write = (): void => {
      while (sent < 190 * 1024 * 1024) {
        sent += piece.length;
        if (!client.write(piece)) return void client.once('drain', write);
      }
    };
    write();
    await eventually('the owner has the request', () => owner.seen.length > 0);
    await standsStill(() => sent);
    expect(owner.seen).toHaveLength(1);
    expect(sent).toBeLessThan(40 * 1024 * 1024);
    client.destroy();
  });

  it('forward a refusal that arrives before the body was sent', async () => {
    owner.handler = (_request, response) =>
      void response.writeHead(413, { 'content-type': 'application/json' }).end('{"too":"large"}');
    const reply = await fetch(`${url}/v1/upload`, { method: 'POST', body: Buffer.alloc(3 * 1024 * 1024) });
    expect([reply.status, await reply.json()]).toEqual([413, { too: 'large' }]);
    owner.handler = (_request, response) => void response.end('{"next":true}');
    expect(await (await fetch(`${url}/v1/next`)).json()).toEqual({ next: true });
  });

  it('are cut off when the owner dies during the reply, and answered with 503 before it', async () => {
    owner.handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('first', () => setTimeout(() => response.destroy(), 50));
    };
    const cut = await fetch(`${url}/v1/stream`);
    await expect(cut.text()).rejects.toThrow();
    owner.handler = (request) => void request.socket.destroy();
    const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: randomUUID() });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await reply.json()).toMatchObject({
      success: false,
      error: { code: 'service-unreachable', type: 'new_api_error' },
    });
    // It is unknown whether the owner had started, so no other replica was tried.
    expect(owner.seen).toHaveLength(2);
  });

  describe('that upgrade to a web socket', () => {
    interface Answer {
      status: number;
      headers: IncomingMessage['headers'];
      socket?: Duplex;
      /** Bytes that arrived together with the head of the reply. */
      head?: Buffer;
    }
    const ask = (path: string): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const headers = {
          ...{ connection: 'Upgrade', upgrade: 'websocket', 'x-tollgate-caller': 'forged' },
          ...{ 'sec-websocket-key': 'a'.repeat(22) + '==', 'sec-websocket-version': '13' },
        };
        const request = httpRequest(`${url}${path}`, { headers });
        request.on('upgrade', (reply, socket, head) => resolve({ status: 101, socket, head, headers: reply.headers }));
        request.on('response', (reply) => {
          reply.resume();
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers });
        });
        request.on('error', reject);
        request.end();
      });
    const switched = 'HTTP/1.1 101 x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: yes\r\n\r\n';

    async function talk(ended: readonly string[], turn: number): Promise<void> {
      const { status, socket, head, headers } = await ask('/v1/realtime?model=x');
      expect([status, headers['sec-websocket-accept']]).toEqual([101, 'yes']);
      if (!socket) throw new Error('there is no line');
      const heard = [String(head)];
      socket.on('data', (piece: Buffer) => heard.push(piece.toString()));
      socket.write('hello');
      await eventually('the reply to hello', () => heard.join('').includes('heard hello'));
      expect(heard.join('')).toBe('firstheard hello');
      socket.destroy();
      await eventually('the end at the owner', () => ended.length > turn);
      expect(ended).toHaveLength(turn + 1);
    }

    /** Requests that the relay did not answer, as the gateway counts them. */
    async function failedAtRelay(): Promise<number> {
      const metric = testBed.process.host.metrics
        .get('gateway')
        ?.registry.getSingleMetric('tollgate_gateway_proxy_failures_total');
      const { values } = (await metric?.get()) ?? { values: [] };
      return values.find(({ labels }) => labels['owner'] === 'relay' && labels['kind'] === 'failed')?.value ?? 0;
    }

    it('are connected to the owner in both directions, and closing one end closes the other', async () => {
      const ended: string[] = [];
      owner.upgrade = (_request, socket) => {
        socket.write(`${switched}first`);
        socket.on('data', (piece: Buffer) => socket.write(`heard ${piece.toString()}`));
        socket.on('end', () => socket.end(() => ended.push('owner')));
      };
      for (let turn = 0; turn < 3; turn += 1) await talk(ended, turn);
      expect(owner.seen[0]?.headers).toMatchObject({ 'sec-websocket-version': '13', upgrade: 'websocket' });
      expect(owner.seen[0]?.headers['x-tollgate-caller']).toBeUndefined();
      expect(owner.seen[0]?.headers['x-tollgate-forwarded']).toBeDefined();
      owner.upgrade = (_request, socket) => void socket.end(`${switched}last`);
      const { socket, head } = await ask('/v1/realtime?model=x');
      const last = [head?.toString() ?? ''];
      socket?.on('data', (piece: Buffer) => last.push(piece.toString()));
      await new Promise((closed) => socket?.once('close', closed));
      expect(last.join('')).toBe('last');
    });

    it('get the refusal of the owner, and an HTTP reply on other paths', async () => {
      owner.upgrade = (_request, socket) =>
        void socket.end('HTTP/1.1 401 No\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}');
      for (const path of ['/v1/realtime?model=x', '/v1/realtime/?model=x', '/v1/realtime/'])
        expect((await ask(path)).status).toBe(401);
      owner.upgrade = (_request, socket) => void socket.destroy();
      const before = await failedAtRelay();
      expect((await ask('/v1/realtime?model=x')).status).toBe(503);
      expect(await failedAtRelay()).toBe(before + 1);
      owner.handler = (_request, response) => void response.writeHead(404).end();
      expect((await ask('/v1/other')).status).toBe(404);
    });
  });
});
