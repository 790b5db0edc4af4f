import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  type Person,
  type Stand,
  startFakeUpstream,
  startHttpProxy,
  startSocksProxy,
  startStand,
} from '@tollgate/testing';
import OpenAI from 'openai';
import { type Answer, ask, type Ask, MODELS, read, rowOf } from '../support/relay-site.js';
import { eventually, expectRefusal, plain } from './support.js';

const CLAUDE = MODELS.anthropic;
const words = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join(' ');

interface Wire {
  status: number;
  body: Record<string, unknown> & { error?: { message: string; type: string; param?: string; code?: string } };
}

/** Model calls as their documents state them, with an upstream whose journal is the witness. */
describe('model calls', () => {
  let stand: Stand;
  let upstream: FakeUpstream;
  let user: Person;
  let key: string;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    stand = await startStand(allServices, { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' });
    await stand.channel({
      name: 'openai',
      type: 1,
      base_url: upstream.url,
      models: 'gpt-4o,gpt-4o-mini,text-embedding-3-small,dall-e-3',
      group: 'default,vip',
    });
    await stand.channel({ name: 'claude', type: 14, base_url: upstream.url, models: CLAUDE });
    user = await stand.user('caller', 1_000_000_000);
    key = await stand.token(user);
  }, 120_000);
  afterAll(async () => {
    await stand?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Wire> {
    const { status, text } = await plain(stand, 'POST', path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status, body: JSON.parse(text) as Wire['body'] };
  }
  const chat = (fields: Record<string, unknown>, headers?: Record<string, string>): Promise<Wire> =>
    post('/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...fields }, headers);
  const textOf = ({ body }: Wire): string => (body.error?.message ?? '').replace(/ \(request id: [0-9a-f-]{36}\)$/, '');
  const option = (name: string, value: string): Promise<unknown> =>
    stand.root.data('PUT', '/api/option/', { key: name, value });
  const talk = async (wish: Partial<Ask>): Promise<Answer> => {
    const dialect = wish.dialect ?? 'openai';
    return read(await ask(stand.url, { key, prompt: 'hi', ...wish, dialect }), dialect);
  };

  describe('are refused in the documented order', () => {
    it('the channel of a key before its models, those before a missing channel, and that before the body', async () => {
      const limits = { model_limits_enabled: true, model_limits: 'gpt-4o-mini,unserved' };
      const own = await stand.token(stand.root, limits);
      const refusalOf = async (suffix: string, body: Record<string, unknown>): Promise<unknown[]> => {
        const reply = await post('/v1/chat/completions', body, { authorization: `Bearer ${own}${suffix}` });
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
      expect(upstream.served()).toBe(0);
    });

    it('the rate before the address, and the address before the body', async () => {
      const limited = await stand.user('hurried', 1000);
      const own = { authorization: `Bearer ${await stand.token(limited, { allow_ips: '192.0.2.7' })}` };
      const before = await post('/v1/chat/completions', '{', own);
      expect([before.status, textOf(before)]).toEqual([403, '您的 IP 不在令牌允许访问的列表中']);
      await option('ModelRequestRateLimitCount', '1');
      await option('ModelRequestRateLimitEnabled', 'true');
      try {
        const after = await eventually(
          () => post('/v1/chat/completions', '{', own),
          ({ status }) => status === 429,
        );
        expect([after.status, textOf(after)]).toEqual([
          429,
          '您已达到总请求数限制：1分钟内最多请求1次，包括失败次数，请检查您的请求是否正确',
        ]);
      } finally {
        await option('ModelRequestRateLimitEnabled', 'false');
        await option('ModelRequestRateLimitCount', '0');
      }
      await eventually(
        () => chat({}),
        ({ status }) => status === 200,
      );
    });

    it('the documented words before the price, and the price before the balance', async () => {
      await stand.channel({ name: 'unpriced', base_url: upstream.url, models: 'no-price' });
      const poor = { authorization: `Bearer ${await stand.token(await stand.user('penniless', 0))}` };
      const prompt = { messages: [{ role: 'user', content: 'test_sensitive' }] };
      expect(textOf(await chat({ model: 'no-price', ...prompt }, poor))).toBe('sensitive words detected');
      expect((await chat({ model: 'no-price' }, poor)).body.error?.code).toBe('model_price_error');
      const broke = await chat({}, poor);
      expect([broke.status, textOf(broke), broke.body.error?.code]).toEqual([
        403,
        'user quota is not enough',
        'insufficient_user_quota',
      ]);
    });
  });

  describe('with fields nobody should send', () => {
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
      const reply = await chat(fields);
      expect([reply.status, textOf(reply), reply.body.error?.code]).toEqual([400, text, 'invalid_text_request']);
      expect(upstream.served()).toBe(0);
    });

    it.each([
      { max_tokens: null },
      { stream: null },
      { messages: [{ role: 'user', content: null }] },
      { temperature: 3, unknown_to_us: { deep: [1, null] } },
    ])('%j reach the upstream as they are', async (fields) => {
      expect((await chat(fields)).status).toBe(200);
      expect(upstream.journal()[0]?.body).toMatchObject(fields);
    });

    it.each([['text/plain'], ['application/x-www-form-urlencoded']])('%j as label are read as JSON', async (type) => {
      expect((await chat({}, { 'content-type': type })).status).toBe(200);
    });

    it.each([
      ['/v1/engines/text-embedding-3-small/embeddings', 200],
      ['/v1beta/models/gpt-4o:countTokens', 200],
      ['/v1/files', 501],
      ['/v1/nothing', 404],
    ])('no label of %s is refused for what it is', async (path, status) => {
      const asked = { input: 'hi', contents: [{ parts: [{ text: 'hi' }] }] };
      expect((await post(path, asked, { 'content-type': 'json' })).status).toBe(status);
    });
  });

  it.each([
    [{}, 'Invalid request, 无效的请求, field model is required'],
    [{ model: CLAUDE }, 'field messages is required'],
    [{ model: CLAUDE, messages: [] }, 'field messages is required'],
    [{ model: CLAUDE, messages: [{ role: 'user', content: 'x' }], max_tokens: 'y' }, 'max_tokens is invalid'],
  ])('/v1/messages refuses %j in the shape of Anthropic', async (body, text) => {
    const reply = await post('/v1/messages', body);
    expect([reply.status, reply.body.type, reply.body.error?.type]).toEqual([400, 'error', 'new_api_error']);
    expect(textOf(reply)).toBe(text);
    expect(reply.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  describe('/v1/embeddings', () => {
    const embed = (fields: Record<string, unknown>, path = '/v1/embeddings'): Promise<Wire> =>
      post(path, { model: 'text-embedding-3-small', ...fields });

    it.each(['hi', ['a', 'b'], [1, 2, 3], [[1, 2], [3]]])('takes %j', async (input) => {
      const { status, body } = await embed({ input });
      expect(status).toBe(200);
      expect(body).toMatchObject({ object: 'list', model: 'text-embedding-3-small' });
      expect(upstream.journal()[0]?.body.input).toEqual(input);
    });

    it.each(['', [], null, 5, {}, undefined])('refuses %j', async (input) => {
      const reply = await embed({ input });
      expect([reply.status, textOf(reply), reply.body.error?.code]).toEqual([
        400,
        'input is empty',
        'invalid_embedding_request',
      ]);
    });

    it('takes the model from the path of older clients', async () => {
      const reply = await post('/v1/engines/text-embedding-3-small/embeddings', { input: 'x' });
      expect(reply.status).toBe(200);
      expect(upstream.journal()[0]?.body.model).toBe('text-embedding-3-small');
    });

    it('is refused where no channel of the model can do it, also by the channel of a key', async () => {
      const named = `${await stand.token(stand.root)}-2`;
      for (const bearer of [key, named]) {
        const reply = await post(
          '/v1/embeddings',
          { model: CLAUDE, input: 'x' },
          { authorization: `Bearer ${bearer}` },
        );
        expect([reply.status, reply.body.error?.code]).toEqual([400, 'invalid_api_type']);
      }
    });
  });

  it('answers an unknown model in the dialect of who asks', async () => {
    const lookUp = async (headers: Record<string, string>): Promise<unknown[]> => {
      const reply = await plain(stand, 'GET', '/v1/models/nobody', { headers });
      return [reply.status, (JSON.parse(reply.text) as Wire['body']).error?.type];
    };
    expect(await lookUp({ authorization: `Bearer ${key}` })).toEqual([404, 'invalid_request_error']);
    expect(await lookUp({ 'x-api-key': key, 'anthropic-version': '2023-06-01' })).toEqual([404, 'not_found_error']);
  });

  describe('cost what the formulas say', () => {
    const costOf = async (answer: Answer): Promise<Record<string, number>> => {
      const { quota, prompt_tokens: prompt, completion_tokens: completion } = await rowOf(stand, answer.requestId);
      return { quota, prompt, completion };
    };

    it.each([false, true])('with tokens from a cache, stream %s', async (isStream) => {
      upstream.control({ tokens: 500, cachedTokens: 200 });
      const body = { model: 'gpt-4o-mini', max_tokens: 2000 };
      const answer = await talk({ prompt: words(1000), isStream, body });
      // ((1000 − 200) + 200 × 0.5 + 500 × 4) × 0.075 = 217.5
      expect(await costOf(answer)).toEqual({ quota: 218, prompt: 1000, completion: 500 });
    });

    it.each([false, true])("with Anthropic's counting, stream %s", async (isStream) => {
      upstream.control({ tokens: 20, cachedTokens: 1000 });
      const answer = await talk({ dialect: 'anthropic', prompt: words(1010), isStream });
      // (10 + 1000 × 0.1 + 20 × 5) × 1.5 = 315
      expect(await costOf(answer)).toMatchObject({ quota: 315, completion: 20 });
    });

    it('by the ratio of the group', async () => {
      await option('GroupRatio', '{"default":1,"vip":2,"svip":1}');
      const vip = await stand.token(user, { group: 'vip' });
      const answer = await talk({ key: vip, prompt: 'three plain words' });
      expect(await costOf(answer)).toEqual({ quota: 108, prompt: 3, completion: 10 }); // (3 + 10 × 4) × 1.25 × 2 = 107.5
      await option('GroupRatio', '{"default":1,"vip":1,"svip":1}');
    });

    it('by the call, where the price is fixed', async () => {
      await option('ModelPrice', '{"dall-e-3":0.04}');
      const answer = await talk({ prompt: 'three plain words', body: { model: 'dall-e-3' } });
      expect(await costOf(answer)).toMatchObject({ quota: 20_000 });
    });

    it('what the wallet has, also right after the price went up', async () => {
      const saver = await stand.user('saver', 1_000_000);
      const own = await stand.token(saver);
      expect((await talk({ key: own })).status).toBe(200);
      await option('ModelPrice', '{"gpt-4o":9000}');
      const dear = await talk({ key: own });
      expect([dear.status, dear.error?.code]).toEqual([403, 'insufficient_user_quota']);
      await option('ModelPrice', '{"dall-e-3":0.04}');
      const cheap = await eventually(
        () => talk({ key: own }),
        ({ status }) => status === 200,
      );
      expect(cheap.status).toBe(200);
    });

    it('nothing for usage of explicit zero, at least one unit for any other', async () => {
      upstream.control({ usage: 'zero' });
      expect(await costOf(await talk({}))).toMatchObject({ quota: 0 });
      upstream.reset();
      upstream.control({ tokens: 1 });
      expect(await costOf(await talk({ body: { model: 'gpt-4o-mini' } }))).toMatchObject({ quota: 1 });
    });
  });

  it('pass the body on untouched where the site says so', async () => {
    const id = await stand.channel({
      base_url: upstream.url,
      models: 'raw',
      model_mapping: '{"raw":"gpt-4o"}',
      param_override: '{"temperature":0}',
    });
    await option('ModelPrice', '{"raw":0.0001}');
    const body = { model: 'raw', messages: [{ role: 'user', content: 'hi' }], stream: true, own: [1, null] };
    const sentBy = async (): Promise<Record<string, unknown> | undefined> => {
      upstream.reset();
      await talk({ body, isStream: true });
      return upstream.journal()[0]?.body;
    };
    const asked = { max_tokens: 100, ...body };
    expect(await sentBy()).toEqual({
      ...asked,
      model: 'gpt-4o',
      temperature: 0,
      stream_options: { include_usage: true },
    });
    await option('global.pass_through_request_enabled', 'true');
    expect(await eventually(sentBy, (sent) => sent?.model === 'raw')).toEqual(asked);
    expect((await talk({ dialect: 'anthropic', body: { model: 'raw' } })).status).toBe(200);
    expect(upstream.journal().at(-1)?.body.model).toBe('gpt-4o');
    await option('global.pass_through_request_enabled', 'false');
    await stand.root.data('DELETE', `/api/channel/${id}`);
  });

  it('pass the body on untouched to an upstream of another dialect, too', async () => {
    const id = await stand.channel({
      type: 14,
      base_url: upstream.url,
      models: 'raw-claude',
      model_mapping: '{"raw-claude":"claude-3-5-haiku-20241022"}',
      param_override: '{"temperature":0}',
    });
    await option('ModelPrice', '{"raw-claude":0.0001}');
    await option('global.pass_through_request_enabled', 'true');
    const body = { model: 'raw-claude', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], own: [1, null] };
    const sentBy = async (): Promise<unknown> => {
      upstream.reset();
      const answer = await post('/v1/chat/completions', body);
      const { path, body: sent } = upstream.journal()[0] ?? {};
      return { status: answer.status, object: answer.body.object, path, sent };
    };
    const expected = { status: 200, object: 'chat.completion', path: '/v1/messages', sent: body };
    expect(await eventually(sentBy, (seen) => JSON.stringify(seen).includes('raw-claude'))).toEqual(expected);
    await option('global.pass_through_request_enabled', 'false');
    await stand.root.data('DELETE', `/api/channel/${id}`);
  });

  it('switch a channel off by the words of the operator, but not by words of the caller', async () => {
    const message = 'Your credit balance is too low to go on';
    const channelOf = (id: number): Promise<{ status: number; other_info: string }> =>
      stand.root.data('GET', `/api/channel/${id}`);
    const failOn = async (model: string, content: string): Promise<number> => {
      const id = await stand.channel({ base_url: upstream.url, models: model });
      expect((await chat({ model, messages: [{ role: 'user', content }] })).status).toBe(400);
      return id;
    };
    await option('AutomaticDisableChannelEnabled', 'true');
    await option('ModelPrice', '{"echo":0.0001,"dry":0.0001}');
    upstream.control({ status: 400, errorMessage: message, errorCode: 'x', errorType: 'y' });
    const echo = await failOn('echo', 'say: your CREDIT balance is too low');
    const dry = await failOn('dry', 'hi');
    const off = await eventually(
      () => channelOf(dry),
      ({ status }) => status !== 1,
    );
    expect(off.status).toBe(3);
    expect(JSON.parse(off.other_info)).toMatchObject({ status_reason: message });
    // Requests of one user are judged in their order, so this one was judged before.
    expect((await channelOf(echo)).status).toBe(1);
    await option('AutomaticDisableChannelEnabled', 'false');
  });

  it('keep the fleet on when the request of one caller is refused by every channel of it', async () => {
    const model = 'fleet';
    await option('AutomaticDisableChannelEnabled', 'true');
    await option('RetryTimes', '5');
    await option('ModelPrice', JSON.stringify({ [model]: 0.0001 }));
    const form = { base_url: upstream.url, models: model, test_model: 'gpt-4o' };
    const ids = await Promise.all(Array.from({ length: 6 }, () => stand.channel(form)));
    const content = '[[status=401 code=invalid_api_key type=authentication_error]]';
    const refusals = async (): Promise<number> => {
      upstream.reset();
      await chat({ model, messages: [{ role: 'user', content }] });
      return upstream.journal().filter(({ status }) => status === 401).length;
    };
    // As soon as the relay knows them all, one call is refused by all of them.
    expect(await eventually(refusals, (count) => count === ids.length, 20_000)).toBe(ids.length);
    const read = () =>
      Promise.all(ids.map((id) => stand.root.data<{ status: number; test_time: number }>('GET', `/api/channel/${id}`)));
    const isProbed = ({ test_time: at }: { test_time: number }): boolean => at > 0;
    const probed = await eventually(read, (channels) => channels.every(isProbed), 20_000);
    expect(probed.every(isProbed)).toBe(true);
    expect(probed.map(({ status }) => status)).toEqual([1, 1, 1, 1, 1, 1]);
    await option('RetryTimes', '0');
    await option('AutomaticDisableChannelEnabled', 'false');
    for (const id of ids) await stand.root.data('DELETE', `/api/channel/${id}`);
  }, 60_000);

  it.each([
    ['http', startHttpProxy],
    ['socks5', startSocksProxy],
  ])('go by the %s proxy of their channel, and so do its tests and its list of models', async (scheme, start) => {
    const proxy = await start();
    try {
      const model = `by-${scheme}`;
      const setting = JSON.stringify({ proxy: proxy.url });
      const id = await stand.channel({ base_url: upstream.url, models: model, setting, test_model: 'gpt-4o' });
      await option('ModelRatio', JSON.stringify({ 'gpt-4o': 1.25, 'gpt-4o-mini': 0.075, [CLAUDE]: 1.5, [model]: 1 }));
      const [answer, stream] = [await talk({ body: { model } }), await talk({ body: { model }, isStream: true })];
      expect([answer.text, stream.text, stream.end]).toEqual([answer.text, answer.text, 'done']);
      expect(answer.text).not.toBe('');
      expect((await stand.root.call('GET', `/api/channel/test/${id}`)).body).toMatchObject({ success: true });
      expect((await stand.root.call('GET', `/api/channel/fetch_models/${id}`)).body).toMatchObject({ success: true });
      expect(upstream.served()).toBe(4);
      expect(new Set(proxy.targets)).toEqual(new Set([new URL(upstream.url).host]));
      await proxy.close();
      expect((await talk({ body: { model } })).status).toBe(500);
      expect(upstream.served()).toBe(4);
    } finally {
      await proxy.close().catch(() => undefined);
      await stand.root.data('POST', '/api/option/rest_model_ratio');
    }
  });

  it.each([
    ['ftp://127.0.0.1:21', 'unsupported proxy scheme: ftp'],
    ['nonsense', '代理地址不合法'],
  ])('cannot go by %s, which no channel keeps', async (proxy, message) => {
    const form = { name: 'p', type: 1, key: 'k', models: 'm', group: 'default', setting: JSON.stringify({ proxy }) };
    expectRefusal(await stand.root.call('POST', '/api/channel/', form), message);
    const id = await stand.channel({ base_url: upstream.url, models: 'unserved-too' });
    expectRefusal(await stand.root.call('PUT', '/api/channel/', { id, setting: form.setting }), message);
  });

  describe('of the official clients', () => {
    const openai = (apiKey = key): OpenAI => new OpenAI({ apiKey, baseURL: `${stand.url}/v1`, maxRetries: 0 });
    const anthropic = (apiKey = key): Anthropic => new Anthropic({ apiKey, baseURL: stand.url, maxRetries: 0 });
    const wrong = `sk-${'a1'.repeat(24)}`;
    const messages = [{ role: 'user' as const, content: 'three plain words' }];

    it('hide the usage of a stream unless it was asked for', async () => {
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
      expect(upstream.journal().map(({ body }) => body.stream_options)).toEqual([
        { include_usage: true },
        { include_usage: true },
      ]);
    });

    it('see errors as theirs', async () => {
      await expect(openai(wrong).models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
      await expect(openai().models.retrieve('nobody')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
      await expect(openai().chat.completions.create({ model: 'nobody', messages })).rejects.toMatchObject({
        status: 503,
      });
      await expect(anthropic(wrong).models.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
      await expect(anthropic().messages.create({ model: CLAUDE, messages: [], max_tokens: 5 })).rejects.toBeInstanceOf(
        Anthropic.BadRequestError,
      );
      upstream.failWith(429);
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
