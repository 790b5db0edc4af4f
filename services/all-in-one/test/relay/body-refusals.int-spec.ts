import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { read } from '../support/relay-site.js';
import { RefusalWorld, textOf } from './refusal-world.js';

describe('a request is refused', () => {
  const world = new RefusalWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.upstream.reset());

  const raw = async (body: string | Buffer, headers: Record<string, string> = {}): Promise<[number, string]> => {
    const reply = await fetch(`${world.testBed.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const answer = await read(reply, 'openai');
    return [answer.status, textOf(answer)];
  };
  const whole = (extra: Record<string, unknown> = {}): string =>
    JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'three plain words' }], ...extra });

  const said = '"messages":[{"role":"user","content":"three plain words"}]';
  it.each([
    ['a member twice', `{"model":"gpt-4o-mini","model":"gpt-4o",${said}}`, 'field model must not be repeated'],
    [
      'a member twice, once escaped',
      `{"model":"gpt-4o-mini","mod\\u0065l":"gpt-4o",${said}}`,
      'field model must not be',
    ],
    [
      'a member that differs in case',
      `{"model":"gpt-4o-mini","Model":"gpt-4o",${said}}`,
      'field Model is not accepted',
    ],
    ['a limit in other letters', `{"model":"gpt-4o","max_to\u212aens":9,${said}}`, 'use max_tokens'],
    [
      'words twice',
      `{"model":"gpt-4o","messages":[{"role":"user","content":"a","content":"b"}]}`,
      'field content must',
    ],
  ])('with %s, before an upstream call, in every mode', async (_, body, text) => {
    for (const mode of ['false', 'true']) {
      await world.option('global.pass_through_request_enabled', mode);
      const [status, message] = await raw(body);
      expect([status, message]).toEqual([400, expect.stringContaining(text)]);
    }
    await world.option('global.pass_through_request_enabled', 'false');
    expect(world.upstream.served()).toBe(0);
  });

  it.each([
    ['/v1/embeddings', { input: [null] }, 'invalid_embedding_request', 'input.0'],
    ['/v1/embeddings', { input: [-1] }, 'invalid_embedding_request', 'input.0'],
    ['/v1/completions', { prompt: [[1, -2]] }, 'invalid_text_request', 'prompt.0.1'],
    ['/v1/completions', { prompt: {} }, 'invalid_text_request', 'prompt'],
    ['/v1/moderations', { input: [{}] }, 'invalid_text_request', 'input.0.type'],
    ['/v1/responses', { input: [null] }, 'invalid_responses_request', 'input.0'],
  ])('to %s with %j, naming the path of the fault, before an upstream call', async (path, body, code, param) => {
    const reply = await fetch(`${world.testBed.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', ...body }),
    });
    const { error } = (await reply.json()) as { error: { message: string; code: string; param: string } };
    expect([reply.status, error.code, error.param]).toEqual([400, code, param]);
    expect(error.message).toContain(`${param} is invalid`);
    expect(world.upstream.served()).toBe(0);
  });

  it.each([
    ['empty', '', 400, /^Invalid request, 无效的请求, /],
    ['torn', '{"model":', 400, /^Invalid request, 无效的请求, /],
    ['a list', '[]', 400, /^Invalid request, 无效的请求, /],
    ['without a model', '{"messages":[{"role":"user","content":"x"}]}', 400, /^Invalid request, 无效的请求, /],
    ['without messages', '{"model":"gpt-4o"}', 400, /^field messages is required$/],
    ['with a tool for a list', whole({ tools: { type: 'web_search' } }), 400, /^field tools is invalid: a list of/],
    ['with absurd limits', whole({ max_tokens: 2 ** 31 }), 400, /^max_tokens is invalid$/],
    [
      'nested too deep',
      `{"model":"gpt-4o","tools":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      400,
      /^Invalid request, 无效的请求, /,
    ],
  ])('%s', async (_, body, status, text) => {
    const [seen, message] = await raw(body);
    expect(seen).toBe(status);
    expect(message).toMatch(text);
    expect(world.upstream.served()).toBe(0);
  });

  it('with features that no price covers, but not with others', async () => {
    expect(await raw(whole({ service_tier: 'priority' }))).toEqual([
      400,
      'field service_tier "priority" is not available here: it is charged beside the price of the model',
    ]);
    expect((await raw(whole({ tools: [{ type: 'web_search' }] })))[0]).toBe(400);
    expect(world.upstream.served()).toBe(0);
    expect((await raw(whole({ service_tier: 'auto', reasoning_effort: 'low' })))[0]).toBe(200);
    expect(world.upstream.journal()[0]?.body).toMatchObject({ service_tier: 'auto', reasoning_effort: 'low' });
  });

  it('when it is too large, compressed or decompressed', async () => {
    const large = Buffer.alloc(65 * 1024 * 1024, 0x20);
    expect((await raw(gzipSync(large), { 'content-encoding': 'gzip' }))[0]).toBe(413);
    // The server may close the connection before the client has sent everything, which some clients report as a broken
    // connection.
    expect((await raw(large).catch(() => [413]))[0]).toBe(413);
  }, 60_000);

  it('when its compression is broken or unknown', async () => {
    const reply = await fetch(`${world.testBed.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: 'no gzip at all',
    });
    expect([reply.status, await reply.text(), reply.headers.has('x-oneapi-request-id')]).toEqual([400, '', true]);
    expect((await raw(whole(), { 'content-encoding': 'lzma' }))[0]).toBe(415);
  });

  it('but not when its compression is valid', async () => {
    expect((await raw(gzipSync(whole()), { 'content-encoding': 'gzip' }))[0]).toBe(200);
    expect(world.upstream.journal()[0]?.body).toMatchObject({ model: 'gpt-4o' });
  });

  it('for sensitive words, disguised or not', async () => {
    for (const prompt of ['this is test_sensitive text', 'this is TEST\u200b_sensitive text']) {
      for (const dialect of ['openai', 'anthropic'] as const) {
        const answer = await world.send({ prompt, dialect });
        expect([answer.status, textOf(answer)]).toEqual([400, 'sensitive words detected']);
      }
    }
    expect(world.upstream.served()).toBe(0);
  });
});
