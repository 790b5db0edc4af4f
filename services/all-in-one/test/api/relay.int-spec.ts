import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { readUntil } from '@tollgate/testing';
import { type Answer, rowOf } from '../support/relay-site.js';
import { CLAUDE, RelayWorld, textOf, type Wire } from './relay-world.js';
import { plain } from './support.js';

const words = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join(' ');

/** Model calls as documented. */
describe('model calls', () => {
  const world = new RelayWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.upstream.reset());

  describe('are checked in the documented order', () => {
    it('first the channel in the key, then its models, then a missing channel, then the body', async () => {
      const limits = { model_limits_enabled: true, model_limits: 'gpt-4o-mini,unserved' };
      const own = await world.testBed.token(world.testBed.root, limits);
      const refusalOf = async (suffix: string, body: Record<string, unknown>): Promise<unknown[]> => {
        const reply = await world.post('/v1/chat/completions', body, { authorization: `Bearer ${own}${suffix}` });
        return [reply.status, textOf(reply)];
      };
      expect(await refusalOf('-x', { model: 'gpt-4o' })).toEqual([400, '无效的渠道 Id']);
      expect(await refusalOf('-999999', { model: 'gpt-4o' })).toEqual([400, '无效的渠道 Id']);
      expect(await refusalOf('', { model: 'gpt-4o' })).toEqual([403, '该令牌无权访问模型 gpt-4o']);
      expect(await refusalOf('', { model: 'unserved' })).toEqual([
        503,
        '当前分组 default 下对于模型 unserved 无可用渠道',
      ]);
      expect(await refusalOf('', { model: 'gpt-4o-mini' })).toEqual([400, 'field messages is required']);
      expect(world.upstream.served()).toBe(0);
    });

    it('first the rate limit, then the address, then the body', async () => {
      const limited = await world.testBed.user('hurried', 1000);
      const own = { authorization: `Bearer ${await world.testBed.token(limited, { allow_ips: '192.0.2.7' })}` };
      const before = await world.post('/v1/chat/completions', '{', own);
      expect([before.status, textOf(before)]).toEqual([403, '您的 IP 不在令牌允许访问的列表中']);
      await world.option('ModelRequestRateLimitCount', '1');
      await world.option('ModelRequestRateLimitEnabled', 'true');
      try {
        const after = await readUntil(
          () => world.post('/v1/chat/completions', '{', own),
          ({ status }) => status === 429,
        );
        expect([after.status, textOf(after)]).toEqual([
          429,
          '您已达到总请求数限制：1分钟内最多请求1次，包括失败次数，请检查您的请求是否正确',
        ]);
        expect((await world.post('/v1/fine-tunes', {}, own)).status).toBe(429);
      } finally {
        await world.option('ModelRequestRateLimitEnabled', 'false');
        await world.option('ModelRequestRateLimitCount', '0');
      }
      await readUntil(
        () => world.chat({}),
        ({ status }) => status === 200,
      );
    });

    it('first sensitive words, then the price, then the balance', async () => {
      await world.testBed.channel({ name: 'unpriced', base_url: world.upstream.url, models: 'no-price' });
      const poor = { authorization: `Bearer ${await world.testBed.token(await world.testBed.user('penniless', 0))}` };
      const prompt = { messages: [{ role: 'user', content: 'test_sensitive' }] };
      expect(textOf(await world.chat({ model: 'no-price', ...prompt }, poor))).toBe('sensitive words detected');
      expect((await world.chat({ model: 'no-price' }, poor)).body.error?.code).toBe('model_price_error');
      const broke = await world.chat({}, poor);
      expect([broke.status, textOf(broke), broke.body.error?.code]).toEqual([
        403,
        'user quota is not enough',
        'insufficient_user_quota',
      ]);
    });
  });

  it('of a model that costs nothing need a wallet that is not empty', async () => {
    await world.option('ModelPrice', '{"gpt-4o-mini":0}');
    try {
      const free = { model: 'gpt-4o-mini' };
      const keyOf = async (name: string, quota: number): Promise<Record<string, string>> => ({
        authorization: `Bearer ${await world.testBed.token(await world.testBed.user(name, quota))}`,
      });
      const broke = await world.chat(free, await keyOf('broke', 0));
      expect([broke.status, textOf(broke)]).toEqual([403, 'user quota is not enough']);
      expect(world.upstream.served()).toBe(0);
      const thrifty = await keyOf('thrifty', 1);
      expect((await world.chat(free, thrifty)).status).toBe(200);
      expect((await world.chat(free, thrifty)).status).toBe(200);
    } finally {
      await world.option('ModelPrice', '{}');
    }
  });

  describe('with unusual fields', () => {
    it.each([
      [{ max_tokens: '5' }, 'max_tokens is invalid'],
      [{ max_tokens: -1 }, 'max_tokens is invalid'],
      [{ max_tokens: 1.5 }, 'max_tokens is invalid'],
      [{ max_tokens: 2 ** 53 }, 'max_tokens is invalid'],
      [{ max_completion_tokens: 2 ** 30 }, 'max_tokens is invalid'],
      [{ n: [50] }, 'n is invalid'],
      [{ n: '50' }, 'n is invalid'],
      [{ n: -1 }, 'n is invalid'],
      [{ n: 0.5 }, 'n is invalid'],
      [{ best_of: true }, 'best_of is invalid'],
      [{ messages: [] }, 'field messages is required'],
      [{ messages: {} }, 'field messages is required'],
      [{ messages: null }, 'field messages is required'],
      [{ messages: ['x'] }, 'messages.0 is invalid'],
      [{ stream: 'true' }, 'stream is invalid'],
      [{ stream_options: 'x' }, 'stream_options is invalid'],
      [{ temperature: 'hot' }, 'temperature is invalid'],
      [{ model: null }, 'Invalid request, 无效的请求, model is required'],
      [{ model: 5 }, 'Invalid request, 无效的请求, model is required'],
      [{ model: '' }, 'Invalid request, 无效的请求, model is required'],
    ])('%j are refused', async (fields, text) => {
      const reply = await world.chat(fields);
      expect([reply.status, textOf(reply), reply.body.error?.code]).toEqual([400, text, 'invalid_text_request']);
      expect(world.upstream.served()).toBe(0);
    });

    it.each([
      { max_tokens: null },
      { stream: null },
      { messages: [{ role: 'user', content: null }] },
      { temperature: 3, unknown_to_us: { deep: [1, null] } },
    ])('%j are forwarded unchanged', async (fields) => {
      expect((await world.chat(fields)).status).toBe(200);
      expect(world.upstream.journal()[0]?.body).toMatchObject(fields);
    });

    it.each([['text/plain'], ['application/x-www-form-urlencoded']])(
      '%j as content type is read as JSON',
      async (type) => {
        expect((await world.chat({}, { 'content-type': type })).status).toBe(200);
      },
    );

    it.each([
      ['/v1/engines/text-embedding-3-small/embeddings', 200],
      ['/v1beta/models/gpt-4o:countTokens', 200],
      ['/v1/files', 501],
      ['/v1/nothing', 404],
    ])('no content type of %s is refused', async (path, status) => {
      const asked = { input: 'hi', contents: [{ parts: [{ text: 'hi' }] }] };
      expect((await world.post(path, asked, { 'content-type': 'json' })).status).toBe(status);
    });
  });

  it.each([
    [{}, 'Invalid request, 无效的请求, field model is required'],
    [{ model: CLAUDE }, 'field messages is required'],
    [{ model: CLAUDE, messages: [] }, 'field messages is required'],
    [{ model: CLAUDE, messages: [{ role: 'user', content: 'x' }], max_tokens: 'y' }, 'max_tokens is invalid'],
  ])('/v1/messages refuses %j with an error of Anthropic', async (body, text) => {
    const reply = await world.post('/v1/messages', body);
    expect([reply.status, reply.body.type, reply.body.error?.type]).toEqual([400, 'error', 'new_api_error']);
    expect(textOf(reply)).toBe(text);
    expect(reply.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  describe('/v1/embeddings', () => {
    const embed = (fields: Record<string, unknown>, path = '/v1/embeddings'): Promise<Wire> =>
      world.post(path, { model: 'text-embedding-3-small', ...fields });

    it.each(['hi', ['a', 'b'], [1, 2, 3], [[1, 2], [3]]])('takes %j', async (input) => {
      const { status, body } = await embed({ input });
      expect(status).toBe(200);
      expect(body).toMatchObject({ object: 'list', model: 'text-embedding-3-small' });
      expect(world.upstream.journal()[0]?.body.input).toEqual(input);
    });

    it.each(['', [], null, 5, {}, undefined])('refuses %j', async (input) => {
      const reply = await embed({ input });
      expect([reply.status, textOf(reply), reply.body.error?.code]).toEqual([
        400,
        'input is empty',
        'invalid_embedding_request',
      ]);
    });

    it.each([{}, { model: '' }, { model: null }])(
      'takes the model from the path of older clients, also with %j in the body',
      async (fields) => {
        const reply = await world.post('/v1/engines/text-embedding-3-small/embeddings', { input: 'x', ...fields });
        expect(reply.status).toBe(200);
        expect(world.upstream.journal()[0]?.body.model).toBe('text-embedding-3-small');
      },
    );

    it('is refused when no channel of the model supports it, also with a channel in the key', async () => {
      const named = `${await world.testBed.token(world.testBed.root)}-2`;
      for (const bearer of [world.key, named]) {
        const reply = await world.post(
          '/v1/embeddings',
          { model: CLAUDE, input: 'x' },
          { authorization: `Bearer ${bearer}` },
        );
        expect([reply.status, reply.body.error?.code]).toEqual([400, 'invalid_api_type']);
      }
    });
  });

  it('refuses an unknown model in the dialect of the client', async () => {
    const lookUp = async (headers: Record<string, string>): Promise<unknown[]> => {
      const reply = await plain(world.testBed, 'GET', '/v1/models/nobody', { headers });
      return [reply.status, (JSON.parse(reply.text) as Wire['body']).error?.type];
    };
    expect(await lookUp({ authorization: `Bearer ${world.key}` })).toEqual([404, 'invalid_request_error']);
    expect(await lookUp({ 'x-api-key': world.key, 'anthropic-version': '2023-06-01' })).toEqual([
      404,
      'not_found_error',
    ]);
  });

  describe('are charged by the documented formulas', () => {
    const costOf = async (answer: Answer): Promise<Record<string, number>> => {
      const {
        quota,
        prompt_tokens: prompt,
        completion_tokens: completion,
      } = await rowOf(world.testBed, answer.requestId);
      return { quota, prompt, completion };
    };

    it.each([false, true])('with tokens from a cache, stream %s', async (isStream) => {
      world.upstream.control({ tokens: 500, cachedTokens: 200 });
      const body = { model: 'gpt-4o-mini', max_tokens: 2000 };
      const answer = await world.talk({ prompt: words(1000), isStream, body });
      // ((1000 − 200) + 200 × 0.5 + 500 × 4) × 0.075 = 217.5
      expect(await costOf(answer)).toEqual({ quota: 218, prompt: 1000, completion: 500 });
    });

    it.each([false, true])('with the token counts of Anthropic, stream %s', async (isStream) => {
      world.upstream.control({ tokens: 20, cachedTokens: 1000 });
      const answer = await world.talk({ dialect: 'anthropic', prompt: words(1010), isStream });
      // (10 + 1000 × 0.1 + 20 × 5) × 1.5 = 315
      expect(await costOf(answer)).toMatchObject({ quota: 315, completion: 20 });
    });

    it('with the ratio of the group', async () => {
      await world.option('GroupRatio', '{"default":1,"vip":2,"svip":1}');
      const vip = await world.testBed.token(world.user, { group: 'vip' });
      const answer = await world.talk({ key: vip, prompt: 'three plain words' });
      expect(await costOf(answer)).toEqual({ quota: 108, prompt: 3, completion: 10 }); // (3 + 10 × 4) × 1.25 × 2 = 107.5
      await world.option('GroupRatio', '{"default":1,"vip":1,"svip":1}');
    });

    it('per call at a fixed price', async () => {
      await world.option('ModelPrice', '{"dall-e-3":0.04}');
      const answer = await world.talk({ prompt: 'three plain words', body: { model: 'dall-e-3' } });
      expect(await costOf(answer)).toMatchObject({ quota: 20_000 });
    });

    it('up to the balance of the wallet, also right after a price increase', async () => {
      const saver = await world.testBed.user('saver', 1_000_000);
      const own = await world.testBed.token(saver);
      expect((await world.talk({ key: own })).status).toBe(200);
      await world.option('ModelPrice', '{"gpt-4o":9000}');
      const dear = await world.talk({ key: own });
      expect([dear.status, dear.error?.code]).toEqual([403, 'insufficient_user_quota']);
      await world.option('ModelPrice', '{"dall-e-3":0.04}');
      const cheap = await readUntil(
        () => world.talk({ key: own }),
        ({ status }) => status === 200,
      );
      expect(cheap.status).toBe(200);
    });

    it('with nothing for a usage of 0, and at least one unit otherwise', async () => {
      world.upstream.control({ usage: 'zero' });
      expect(await costOf(await world.talk({}))).toMatchObject({ quota: 0 });
      world.upstream.reset();
      world.upstream.control({ tokens: 1 });
      expect(await costOf(await world.talk({ body: { model: 'gpt-4o-mini' } }))).toMatchObject({ quota: 1 });
    });
  });

  describe('of the official clients', () => {
    const openai = (apiKey = world.key): OpenAI =>
      new OpenAI({ apiKey, baseURL: `${world.testBed.url}/v1`, maxRetries: 0 });
    const anthropic = (apiKey = world.key): Anthropic =>
      new Anthropic({ apiKey, baseURL: world.testBed.url, maxRetries: 0 });
    const wrong = `sk-${'a1'.repeat(24)}`;
    const messages = [{ role: 'user' as const, content: 'three plain words' }];

    it('get the usage of a stream only on request', async () => {
      for (const [options, expected] of [
        [undefined, 0],
        [{ include_usage: true }, 1],
      ] as const) {
        const stream = await openai().chat.completions.create({
          model: 'gpt-4o',
          messages,
          stream: true,
          ...(options && { stream_options: options }),
        });
        let text = '';
        let usages = 0;
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? '';
          if (chunk.usage) usages += 1;
        }
        expect([text, usages]).toEqual(['w1 w2 w3 w4 w5 w6 w7 w8 w9 w10', expected]);
      }
      expect(world.upstream.journal().map(({ body }) => body.stream_options)).toEqual([
        { include_usage: true },
        { include_usage: true },
      ]);
    });

    it('get errors in their own classes', async () => {
      await expect(openai(wrong).models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
      await expect(openai().models.retrieve('nobody')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
      await expect(openai().chat.completions.create({ model: 'nobody', messages })).rejects.toMatchObject({
        status: 503,
      });
      await expect(anthropic(wrong).models.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
      await expect(anthropic().messages.create({ model: CLAUDE, messages: [], max_tokens: 5 })).rejects.toBeInstanceOf(
        Anthropic.BadRequestError,
      );
      world.upstream.failWith(429);
      await expect(openai().chat.completions.create({ model: 'gpt-4o', messages })).rejects.toBeInstanceOf(
        OpenAI.RateLimitError,
      );
      await expect(anthropic().messages.create({ model: CLAUDE, messages, max_tokens: 5 })).rejects.toBeInstanceOf(
        Anthropic.RateLimitError,
      );
    });

    it('list models', async () => {
      const ids: string[] = [];
      for await (const model of openai().models.list()) ids.push(model.id);
      expect(ids).toContain('gpt-4o');
      const theirs: string[] = [];
      for await (const model of anthropic().models.list()) theirs.push(model.id);
      expect(theirs).toEqual(ids);
    });
  });
});
