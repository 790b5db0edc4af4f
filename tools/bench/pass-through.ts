/**
 * The baseline: Fastify and undici with nothing in between. Bodies of JSON requests and replies are parsed, then
 * forwarded as the bytes that arrived; streams are piped chunk by chunk without being parsed. It checks no key and no
 * limit, and neither charges nor records anything.
 */
import Fastify from 'fastify';
import { type Dispatcher, Pool } from 'undici';
import type { ServerResponse } from 'node:http';
import { CHAT_PATH } from './payload.js';
import { reportPort } from './report-port.js';

const upstream = new Pool(process.argv[2] ?? '', { connections: 128 });

class Forward implements Dispatcher.DispatchHandler {
  private isStream = false;
  private readonly parts: Buffer[] = [];

  constructor(private readonly response: ServerResponse) {}

  onRequestStart(): void {
    // undici requires this method to exist.
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    this.isStream = headers['content-type'] === 'text/event-stream';
    if (this.isStream) this.response.writeHead(status, { 'content-type': 'text/event-stream' });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.isStream) this.parts.push(chunk);
    else if (!this.response.write(chunk)) {
      controller.pause();
      this.response.once('drain', () => controller.resume());
    }
  }

  onResponseEnd(): void {
    if (this.isStream) {
      this.response.end();
      return;
    }
    const body = Buffer.concat(this.parts);
    const reply = JSON.parse(body.toString()) as { usage?: object };
    this.response.writeHead(reply.usage ? 200 : 502, {
      'content-type': 'application/json',
      'content-length': body.length,
    });
    this.response.end(body);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    process.stderr.write(`pass-through: ${error.stack ?? error.message}\n`);
    this.response.destroy();
  }
}

const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post(CHAT_PATH, (request, reply) => {
  const body = request.body as Buffer;
  const { stream } = JSON.parse(body.toString()) as { stream?: boolean };
  const headers = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    authorization: request.headers.authorization ?? '',
  };
  reply.hijack();
  upstream.dispatch({ path: CHAT_PATH, method: 'POST', headers, body }, new Forward(reply.raw));
});
await app.listen({ port: 0, host: '127.0.0.1' });
reportPort(app.server);
