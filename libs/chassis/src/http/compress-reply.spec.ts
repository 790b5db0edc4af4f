import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fastify, { type FastifyReply, type LightMyRequestResponse } from 'fastify';
import { acceptsCoding, compressReply } from './compress-reply.js';

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

describe('compressReply', () => {
  const text = JSON.stringify({ text: 'abc '.repeat(1000) });

  async function answered(
    send: (reply: FastifyReply) => unknown,
    { coding = 'gzip', config = {} }: { coding?: string; config?: object } = {},
  ): Promise<LightMyRequestResponse> {
    const app = fastify();
    app.addHook('onSend', compressReply);
    app.get('/', { config }, (_, reply) => send(reply));
    const reply = await app.inject({ url: '/', headers: { 'accept-encoding': coding } });
    await app.close();
    return reply;
  }
  const json = (reply: FastifyReply): FastifyReply => reply.status(201).type('application/json').send(text);

  it('compresses a text for clients that accept it, and sets Vary in either case', async () => {
    const coded = await answered(json);
    expect([coded.statusCode, coded.headers['content-encoding'], coded.headers['vary']]).toEqual([
      201,
      'gzip',
      'Accept-Encoding',
    ]);
    expect(gunzipSync(coded.rawPayload).toString()).toBe(text);
    expect(Number(coded.headers['content-length'])).toBe(coded.rawPayload.length);
    const plain = await answered(json, { coding: 'identity' });
    expect([plain.headers['content-encoding'], plain.headers['vary'], plain.payload]).toEqual([
      undefined,
      'Accept-Encoding',
      text,
    ]);
  });

  it('compresses a text with a stated length', async () => {
    const coded = await answered((reply) => json(reply.header('content-length', Buffer.byteLength(text))));
    expect(gunzipSync(coded.rawPayload).toString()).toBe(text);
    expect(Number(coded.headers['content-length'])).toBe(coded.rawPayload.length);
  });

  it.each<[string, (reply: FastifyReply) => unknown]>([
    ['a short text', (reply) => reply.type('application/json').send('{}')],
    ['a picture', (reply) => reply.type('image/png').send(Buffer.from(text))],
    ['a stream', (reply) => reply.type('application/json').send(Readable.from([text]))],
    ['a stream of events', (reply) => reply.type('text/event-stream').send(text)],
    [
      'what is coded',
      (reply) =>
        reply
          .type('text/plain')
          .header('content-encoding', 'gzip')
          .send(gzipSync(text.repeat(99))),
    ],
  ])('leaves %s as it is', async (_, send) => {
    const asked = await answered(send);
    const plain = await answered(send, { coding: 'identity' });
    expect(asked.rawPayload.equals(plain.rawPayload)).toBe(true);
    expect(asked.headers['content-encoding']).toBe(plain.headers['content-encoding']);
  });

  it('leaves replies to internal calls as they are', async () => {
    expect((await answered(json, { config: { internal: 'get-routing' } })).payload).toBe(text);
  });
});
