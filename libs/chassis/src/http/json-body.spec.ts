import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { jsonParser } from './json-body.js';

describe('the body of a console call', () => {
  const app = fastify();
  beforeAll(async () => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, jsonParser(app));
    app.post('/echo', ({ body }) => ({ body }));
    await app.ready();
  });
  afterAll(() => app.close());

  const sent = (payload: string | Buffer) =>
    app.inject({ method: 'POST', url: '/echo', headers: { 'content-type': 'application/json' }, payload });

  it.each([
    ['a pair of surrogates', String.raw`{"name":"\ud83d\ude00"}`, '😀'],
    ['a pair in capitals', String.raw`{"name":"\uD83D\uDE00x"}`, '😀x'],
    ['two pairs in a row', String.raw`{"name":"\ud83d\ude00\ud83d\ude00"}`, '😀😀'],
    ['the digits behind a backslash', String.raw`{"name":"\\ud800"}`, String.raw`\ud800`],
    ['another escape', String.raw`{"name":"\u4e2d\n"}`, '中\n'],
  ])('is read with %s', async (_, body, name) => {
    expect((await sent(body)).json()).toEqual({ body: { name } });
  });

  it.each([
    ['bytes that are no UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')])],
    ['the first half of a pair', String.raw`{"name":"\ud800"}`],
    ['the second half of a pair', String.raw`{"name":"\uDC00x"}`],
    ['halves with a letter between', String.raw`{"name":"\ud83dx\ude00"}`],
    ['halves in the wrong order', String.raw`{"name":"\ude00\ud83d"}`],
    ['half a pair behind a backslash', String.raw`{"name":"\\\ud800"}`],
    ['half a pair in a name', String.raw`{"\ud800":1}`],
  ])('is refused with %s', async (_, body) => {
    expect((await sent(body)).statusCode).toBe(400);
  });
});
