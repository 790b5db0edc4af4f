import { once } from 'node:events';
import { Agent, createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { endPieces, framePieces, writePiece } from './pieces.js';

const PIECES = ['data: {"text":"héllo, 世界 😀"}\n\n', '', 'x'.repeat(40_000), 'é'.repeat(8 * 1024), ': PING\n\n'];

describe('an answer in pieces', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
  });

  async function serving(answer: (response: ServerResponse) => void): Promise<number> {
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      framePieces(response);
      answer(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  it.each([
    ['a short end', 'data: [DONE]\n\n'],
    ['a long end', 'é'.repeat(20_000)],
    ['no end', ''],
  ])('comes as it was written, with %s, on one connection', async (_, last) => {
    const port = await serving((response) => {
      for (const piece of PIECES) writePiece(response, Buffer.from(piece));
      setImmediate(() => endPieces(response, Buffer.from(last)));
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    for (let turn = 0; turn < 2; turn += 1) {
      const asked = ask({ port, host: '127.0.0.1', agent }).end();
      const [reply] = (await once(asked, 'response')) as [IncomingMessage];
      sockets.add(reply.socket);
      expect(await text(reply)).toBe(PIECES.join('') + last);
      expect(reply.headers['transfer-encoding']).toBe('chunked');
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  it('is not framed for a client that does not support chunks', async () => {
    const port = await serving((response) => {
      writePiece(response, Buffer.from('one '));
      endPieces(response, Buffer.from('two'));
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/\r\n\r\none two$/);
  });

  it('reports when to stop writing, and when to continue', async () => {
    const drained = Promise.withResolvers<boolean>();
    const port = await serving((response) => {
      let isFull = false;
      while (!isFull) isFull = !writePiece(response, Buffer.alloc(60_000, 'x'));
      response.once('drain', () => {
        drained.resolve(isFull);
        endPieces(response, Buffer.alloc(0));
      });
    });
    const asked = ask({ port, host: '127.0.0.1' }).end();
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    expect((await text(reply)).length % 60_000).toBe(0);
    expect(await drained.promise).toBe(true);
  });
});
