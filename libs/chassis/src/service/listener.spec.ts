import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Listener, listen } from './listener.js';

describe('a listener that drains', () => {
  let listener: Listener;
  let client: Socket;

  async function open(answer: RequestListener = (_request, response) => response.end('here')): Promise<void> {
    const server = createServer(answer);
    listener = await listen({ getHttpServer: () => server } as unknown as NestFastifyApplication, '127.0.0.1', 0);
    client = connect(listener.port, '127.0.0.1');
    await once(client, 'connect');
  }

  async function ask(): Promise<string> {
    client.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
    const [answer] = (await once(client, 'data')) as [Buffer];
    return answer.toString();
  }

  afterEach(async () => {
    client.destroy();
    await listener.drain(0);
  });

  it('answers a request on an idle connection, then closes the connection', async () => {
    await open();
    expect(await ask()).toMatch(/^HTTP\/1.1 200 OK[^]*connection: keep-alive/i);
    const drained = listener.drain(60, 60);
    // The port is closed by now.
    await expect(once(connect(listener.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    const closed = once(client, 'close');
    expect(await ask()).toMatch(/^HTTP\/1.1 200 OK[^]*connection: close/i);
    await closed;
    expect(await drained).toBe(0);
  });

  it('waits for an idle connection no longer than configured', async () => {
    await open();
    await ask();
    const closed = once(client, 'close');
    expect(await listener.drain(60, 0.1)).toBe(0);
    await closed;
  });

  it('closes the connection of an answer that was not yet begun', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    await open((_request, response) => asked.resolve(response));
    const told = ask();
    const response = await asked.promise;
    listener.leave();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: late\n\n');
    expect(await told).toMatch(/connection: close/i);
  });

  it('accepts one more request from a client whose stream began before the drain', async () => {
    let stream: ServerResponse | undefined;
    await open((_request, response) => {
      if (stream) return void response.end('once more');
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: begun\n\n');
    });
    expect(await ask()).toMatch(/connection: keep-alive/i);
    const drained = listener.drain(60, 1);
    stream?.end();
    await once(client, 'data');
    expect(await ask()).toMatch(/^HTTP\/1.1 200 OK[^]*connection: close/i);
    expect(await drained).toBe(0);
  });

  it('tells clients before it drains that their connections end', async () => {
    await open();
    listener.leave();
    expect(await ask()).toMatch(/connection: close/i);
  });
});

describe('a listener that is told whether the process is ready', () => {
  it('answers probes itself, and leaves everything else to the application', async () => {
    const server = createServer((request, response) => response.end(request.url));
    const app = { getHttpServer: () => server } as unknown as NestFastifyApplication;
    let isReady = true;
    const listener = await listen(app, '127.0.0.1', 0, () => isReady);
    const ask = async (path: string, method = 'GET'): Promise<[number, string]> => {
      const reply = await fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
      return [reply.status, await reply.text()];
    };
    try {
      expect(await ask('/readyz')).toEqual([200, '{"status":"ready"}']);
      isReady = false;
      expect(await ask('/readyz')).toEqual([503, '{"status":"not ready"}']);
      expect(await ask('/readyz', 'POST')).toEqual([200, '/readyz']);
      expect(await ask('/healthz')).toEqual([200, '/healthz']);
    } finally {
      await listener.drain(0);
    }
  });
});
