import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpMethod } from '@tollgate/contracts';
import { listen, type Listener } from '@tollgate/chassis';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import supertest, { type Response } from 'supertest';

interface HttpQuestion {
  method: HttpMethod;
  path: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent unchanged if it is a string, otherwise as JSON. */
  body?: unknown;
}

interface HttpReply {
  status: number;
  /** A single cookie is a string, like other headers; several are an array. */
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/**
 * Sends requests to Nest applications over sockets, as callers in other processes do. An application listens from the
 * first request to it until `close`.
 */
export class HttpAsker {
  private readonly doors = new Map<NestFastifyApplication, Promise<Listener>>();

  /** Resolves for every status, does not follow redirects, and leaves the body unparsed. */
  async ask(app: NestFastifyApplication, { method, path, query, headers, body }: HttpQuestion): Promise<HttpReply> {
    const port = await this.portOf(app);
    const test = supertest(`http://127.0.0.1:${port}`)
      [VERBS[method]](path)
      .query({ ...query })
      .set({
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      })
      .redirects(0)
      .ok(() => true)
      .buffer(true)
      .parse(asText);
    if (body !== undefined) test.send(typeof body === 'string' ? body : JSON.stringify(body));
    const { status, headers: answered, body: text } = await test;
    const cookies = (answered as HttpReply['headers'])['set-cookie'];
    const own = Array.isArray(cookies) && cookies.length === 1 ? { 'set-cookie': cookies[0] } : {};
    return { status, headers: { ...(answered as HttpReply['headers']), ...own }, text: text as string };
  }

  async close(): Promise<void> {
    const open = await Promise.all(this.doors.values());
    await Promise.all(open.map((listener) => listener.drain(1)));
  }

  private async portOf(app: NestFastifyApplication): Promise<number> {
    const server = app.getHttpServer() as Server;
    // In a test bed of the whole product the gateway is listening already.
    if (server.listening && !this.doors.has(app)) return (server.address() as AddressInfo).port;
    const door = this.doors.get(app) ?? listen(app, '127.0.0.1', 0);
    this.doors.set(app, door);
    return (await door).port;
  }
}

const VERBS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete', PATCH: 'patch' } as const;

const asText = (reply: Response, done: (error: Error | null, text: string) => void): void => {
  let text = '';
  reply.setEncoding('utf8');
  reply.on('data', (chunk: string) => (text += chunk));
  reply.on('end', () => done(null, text));
  reply.on('error', (error: Error) => done(error, text));
};
