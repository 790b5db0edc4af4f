import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { acceptsCoding, gzipWholeReply } from './gzip-replies.js';

describe('acceptsCoding', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['br, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['*', true],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['identity', false],
    ['gzip;q=abc', false],
  ])('%s: %s', (header, expected) => {
    expect(acceptsCoding(header, 'gzip')).toBe(expected);
  });
});

describe('gzipWholeReply', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  async function answered(owner: RequestListener): Promise<Response> {
    const server = createServer((request, response) => {
      gzipWholeReply(request, response);
      owner(request, response);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      headers: { 'accept-encoding': 'gzip' },
    });
  }

  const text = '{"text":"' + 'abc '.repeat(1000) + '"}';
  const head = { 'content-type': 'application/json', 'content-length': String(text.length) };

  it('codes a text that comes at once or in pieces', async () => {
    for (const write of [[text], [text.slice(0, 10), text.slice(10)]]) {
      const reply = await answered((_, response) => {
        response.writeHead(201, head);
        for (const piece of write.slice(0, -1)) response.write(piece);
        response.end(write.at(-1));
      });
      expect([reply.status, reply.headers.get('content-encoding'), await reply.text()]).toEqual([201, 'gzip', text]);
      expect(Number(reply.headers.get('content-length'))).toBeLessThan(200);
    }
  });

  it.each([
    ['a short text', { 'content-type': 'application/json', 'content-length': '2' }, '{}'],
    ['a picture', { ...head, 'content-type': 'image/png' }, text],
    ['a text of unknown length', { 'content-type': 'application/json' }, text],
  ])('leaves %s as it is', async (_, headers, body) => {
    const reply = await answered((__, response) => void response.writeHead(200, headers).end(body));
    expect([reply.headers.get('content-encoding'), await reply.text()]).toEqual([null, body]);
  });

  it('lets a stream of events through at once', async () => {
    let close = (): void => undefined;
    const reply = await answered((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      response.write('data: first\n\n');
      close = () => response.end();
    });
    const first = await reply.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('data: first\n\n');
    close();
  });

  it('keeps what the owner coded itself', async () => {
    const { gzipSync } = await import('node:zlib');
    const packed = gzipSync(text);
    const reply = await answered(
      (_, response) =>
        void response
          .writeHead(200, { ...head, 'content-encoding': 'gzip', 'content-length': packed.length })
          .end(packed),
    );
    expect(await reply.text()).toBe(text);
    expect(gunzipSync(packed).toString()).toBe(text);
  });
});
