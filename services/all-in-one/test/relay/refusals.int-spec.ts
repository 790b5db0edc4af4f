import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { CALLER_HEADER, CALLER_PURPOSE } from '@tollgate/chassis';
import { type FakeUpstream, type Person, type Stand, startFakeUpstream, startStand } from '@tollgate/testing';
import {
  type Answer,
  ask,
  type Ask,
  type ClientDialect,
  eventually,
  MODELS,
  quotaOf,
  read,
} from '../support/relay-site.js';

const UNKNOWN = `sk-${'a1'.repeat(24)}`;
const MODEL_LIST = ['claude-3-7-sonnet-20250219', 'gpt-4o', 'gpt-4o-mini', 'unpriced'];

describe('a request that is refused', () => {
  let stand: Stand;
  let upstream: FakeUpstream;
  let user: Person;
  let key: string;
  const CREDIT = 10_000_000;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    stand = await startStand(allServices, { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' });
    await stand.channel({
      name: 'openai',
      type: 1,
      base_url: upstream.url,
      models: 'gpt-4o,gpt-4o-mini,unpriced',
      group: 'default,vip',
    });
    await stand.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    user = await stand.user('refused', CREDIT);
    key = await stand.token(user);
  }, 120_000);
  afterAll(async () => {
    await stand?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  type Wish = Partial<Ask> & { model?: string };
  const send = async ({ model, body, dialect = 'openai', ...rest }: Wish = {}): Promise<Answer> =>
    read(
      await ask(stand.url, {
        dialect,
        key,
        prompt: 'three plain words',
        ...rest,
        body: { ...(model && { model }), ...body },
      }),
      dialect,
    );
  const option = (name: string, value: string): Promise<unknown> =>
    stand.root.data('PUT', '/api/option/', { key: name, value });
  const textOf = ({ error }: Answer): string => (error?.message ?? '').replace(/ \(request id: [0-9a-f-]{36}\)$/, '');
  /** How a key is named in messages: its first and last three characters. */
  const hintOf = (full: string): string => `sk-${full.slice(3, 6)}***${full.slice(-3)}`;

  /** Changes the token that belongs to a key; what is not named stays. */
  async function change(full: string, fields: Record<string, unknown>, statusOnly = false): Promise<void> {
    const rows = await user.data<{ id: number; key: string }[]>('GET', '/api/token/?p=0&size=100');
    const row = rows.find((token) => `sk-${token.key}` === full);
    await user.data('PUT', `/api/token/${statusOnly ? '?status_only=true' : ''}`, { ...row, ...fields });
  }

  describe.each(['openai', 'anthropic'] as const)('by its key, for %s', (dialect: ClientDialect) => {
    async function expectRefusal(wish: Wish, status: 401 | 403, text: string, patienceMs = 3000): Promise<void> {
      const answer = await eventually(
        () => send({ dialect, ...wish }),
        (seen) => textOf(seen) === text,
        patienceMs,
      );
      expect([answer.status, textOf(answer), answer.error?.type]).toEqual([status, text, 'new_api_error']);
      expect(answer.error?.message).toContain(answer.requestId);
    }

    it('without one', () => expectRefusal({ key: '' }, 401, '未提供令牌'));
    it('with an unknown one', () => expectRefusal({ key: UNKNOWN }, 401, '无效的令牌'));
    it('with one that cannot be ours', () => expectRefusal({ key: 'sk-short' }, 401, '无效的令牌'));

    it('with one that is switched off, within a second of the switch', async () => {
      const own = await stand.token(user);
      expect((await send({ dialect, key: own })).status).toBe(200);
      await change(own, { status: 2 }, true);
      await expectRefusal({ key: own }, 401, '该令牌状态不可用');
    });

    it('with one that is over', async () => {
      const own = await stand.token(user, { expired_time: Math.floor(Date.now() / 1000) + 2 });
      // Its last second may be as long as the two before it.
      await expectRefusal({ key: own }, 401, '该令牌已过期', 6000);
    });

    it('with one that has nothing left', async () => {
      const own = await stand.token(user, { unlimited_quota: false, remain_quota: 0 });
      await expectRefusal({ dialect, key: own }, 401, `该令牌额度已用尽 TokenStatusExhausted[${hintOf(own)}]`);
    });

    it("with another's channel behind it", () => expectRefusal({ key: `${key}-1` }, 403, '普通用户不支持指定渠道'));

    it('from an address that is not listed, ranges and forwarded addresses included', async () => {
      const own = await stand.token(user, { allow_ips: '10.1.0.0/16\n2001:db8::/32\n192.0.2.7' });
      await expectRefusal({ key: own }, 403, '您的 IP 不在令牌允许访问的列表中');
      for (const [address, status] of [
        ['10.1.200.3', 200],
        ['2001:db8::7', 200],
        ['192.0.2.7', 200],
        ['192.0.2.8', 403],
      ] as const) {
        expect([address, (await send({ dialect, key: own, headers: { 'x-forwarded-for': address } })).status]).toEqual([
          address,
          status,
        ]);
      }
    });

    it('for a model that is not among its own', async () => {
      const own = await stand.token(user, { model_limits_enabled: true, model_limits: 'gpt-4o-mini' });
      await expectRefusal({ key: own }, 403, `该令牌无权访问模型 ${MODELS[dialect]}`);
      const none = await stand.token(user, { model_limits_enabled: true, model_limits: '' });
      await expectRefusal({ key: none }, 403, '该令牌无权访问任何模型');
    });

    it('in the documented order when several things are wrong', async () => {
      const own = await stand.token(user, {
        allow_ips: '192.0.2.7',
        model_limits_enabled: true,
        model_limits: 'other',
      });
      await expectRefusal({ key: `${own}-1` }, 403, '普通用户不支持指定渠道');
      await expectRefusal({ key: own }, 403, '您的 IP 不在令牌允许访问的列表中');
      const near = { 'x-forwarded-for': '192.0.2.7' };
      await expectRefusal({ key: own, headers: near }, 403, `该令牌无权访问模型 ${MODELS[dialect]}`);
      await change(own, { status: 2 }, true);
      await expectRefusal({ key: own, headers: near }, 401, '该令牌状态不可用');
    });

    it('of a user who was banned, within a second of the ban', async () => {
      const name = `banned${dialect.slice(0, 4)}`;
      const banned = await stand.user(name, 1000);
      const own = await stand.token(banned);
      await stand.root.data('POST', '/api/user/manage', { id: banned.id, action: 'disable' });
      await expectRefusal({ key: own }, 403, '用户已被封禁');
    });
  });

  it('for its group', async () => {
    await option('UserUsableGroups', '{"default":"d","vip":"v","gone":"g"}');
    await option('GroupRatio', '{"default":1,"vip":1,"gone":1}');
    const own = await stand.token(user, { group: 'gone' });
    await option('GroupRatio', '{"default":1,"vip":1}');
    const vip = await stand.token(user, { group: 'vip' });
    const deprecated = await eventually(
      () => send({ key: own }),
      (seen) => textOf(seen).includes('弃用'),
      3000,
    );
    expect([deprecated.status, textOf(deprecated)]).toEqual([403, '分组 gone 已被弃用']);
    expect((await send({ key: vip })).status).toBe(200);
    await option('UserUsableGroups', '{"default":"d"}');
    const closed = await eventually(
      () => send({ key: vip }),
      ({ status }) => status === 403,
      3000,
    );
    expect([closed.status, textOf(closed)]).toEqual([403, '令牌分组 vip 已被禁用']);
  }, 20_000);

  describe('for its body', () => {
    const raw = async (body: string | Buffer, headers: Record<string, string> = {}): Promise<[number, string]> => {
      const reply = await fetch(`${stand.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
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
    ])('with %s, before an upstream hears of it, whatever the mode', async (_, body, text) => {
      for (const mode of ['false', 'true']) {
        await option('global.pass_through_request_enabled', mode);
        const [status, message] = await raw(body);
        expect([status, message]).toEqual([400, expect.stringContaining(text)]);
      }
      await option('global.pass_through_request_enabled', 'false');
      expect(upstream.served()).toBe(0);
    });

    it.each([
      ['/v1/embeddings', { input: [null] }, 'invalid_embedding_request', 'input.0'],
      ['/v1/embeddings', { input: [-1] }, 'invalid_embedding_request', 'input.0'],
      ['/v1/completions', { prompt: [[1, -2]] }, 'invalid_text_request', 'prompt.0.1'],
      ['/v1/completions', { prompt: {} }, 'invalid_text_request', 'prompt'],
      ['/v1/moderations', { input: [{}] }, 'invalid_text_request', 'input.0.type'],
      ['/v1/responses', { input: [null] }, 'invalid_responses_request', 'input.0'],
    ])(
      'of %s with %j by the path of what is wrong, before an upstream hears of it',
      async (path, body, code, param) => {
        const reply = await fetch(`${stand.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'gpt-4o', ...body }),
        });
        const { error } = (await reply.json()) as { error: { message: string; code: string; param: string } };
        expect([reply.status, error.code, error.param]).toEqual([400, code, param]);
        expect(error.message).toContain(`${param} is invalid`);
        expect(upstream.served()).toBe(0);
      },
    );

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
      expect(upstream.served()).toBe(0);
    });

    it('with what no price covers, and not with what one does', async () => {
      expect(await raw(whole({ service_tier: 'priority' }))).toEqual([
        400,
        'field service_tier "priority" is not available here: it is charged beside the price of the model',
      ]);
      expect((await raw(whole({ tools: [{ type: 'web_search' }] })))[0]).toBe(400);
      expect(upstream.served()).toBe(0);
      expect((await raw(whole({ service_tier: 'auto', reasoning_effort: 'low' })))[0]).toBe(200);
      expect(upstream.journal()[0]?.body).toMatchObject({ service_tier: 'auto', reasoning_effort: 'low' });
    });

    it('too large, on the wire or unpacked', async () => {
      const large = Buffer.alloc(65 * 1024 * 1024, 0x20);
      expect((await raw(gzipSync(large), { 'content-encoding': 'gzip' }))[0]).toBe(413);
      // A server may close before a client has sent everything, which some clients report as a broken connection.
      expect((await raw(large).catch(() => [413]))[0]).toBe(413);
    }, 60_000);

    it('packed badly or in a way nobody knows', async () => {
      const reply = await fetch(`${stand.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: 'no gzip at all',
      });
      expect([reply.status, await reply.text(), reply.headers.has('x-oneapi-request-id')]).toEqual([400, '', true]);
      expect((await raw(whole(), { 'content-encoding': 'lzma' }))[0]).toBe(415);
    });

    it('but not when it is packed well', async () => {
      expect((await raw(gzipSync(whole()), { 'content-encoding': 'gzip' }))[0]).toBe(200);
      expect(upstream.journal()[0]?.body).toMatchObject({ model: 'gpt-4o' });
    });
  });

  it('for words it may not hold, hidden or not', async () => {
    for (const prompt of ['this is test_sensitive text', 'this is TEST\u200b_sensitive text']) {
      for (const dialect of ['openai', 'anthropic'] as const) {
        const answer = await send({ prompt, dialect });
        expect([answer.status, textOf(answer)]).toEqual([400, 'sensitive words detected']);
      }
    }
    expect(upstream.served()).toBe(0);
  });

  it('for a model nobody serves or nobody priced', async () => {
    const nobody = await send({ model: 'unheard-of' });
    expect([nobody.status, textOf(nobody)]).toEqual([503, '当前分组 default 下对于模型 unheard-of 无可用渠道']);
    const unpriced = await send({ model: 'unpriced' });
    expect([unpriced.status, unpriced.error?.code, textOf(unpriced)]).toEqual([
      400,
      'model_price_error',
      '模型 unpriced 倍率或价格未配置, 请联系管理员设置；Model unpriced ratio or price not set, please contact administrator to set',
    ]);
    const forRoot = await send({ model: 'unpriced', key: await stand.token(stand.root) });
    expect(textOf(forRoot)).toContain('请设置或开始自用模式');
    expect(upstream.served()).toBe(0);
  });

  it('unless its user accepts models without a price, or the site serves itself', async () => {
    await user.data('PUT', '/api/user/setting', {
      notify_type: 'email',
      quota_warning_threshold: 1,
      accept_unset_model_ratio_model: true,
    });
    expect(
      (
        await eventually(
          () => send({ model: 'unpriced' }),
          ({ status }) => status === 200,
          3000,
        )
      ).status,
    ).toBe(200);
    const other = await stand.token(await stand.user('strict', CREDIT));
    expect((await send({ model: 'unpriced', key: other })).status).toBe(400);
    await option('SelfUseModeEnabled', 'true');
    expect(
      (
        await eventually(
          () => send({ model: 'unpriced', key: other }),
          ({ status }) => status === 200,
          3000,
        )
      ).status,
    ).toBe(200);
    await option('SelfUseModeEnabled', 'false');
  }, 20_000);

  it('for its rate: all requests, and those that succeeded', async () => {
    const limited = await stand.user('limited', CREDIT);
    const own = await stand.token(limited);
    await option('ModelRequestRateLimitGroup', '{"default":[0,2]}');
    await option('ModelRequestRateLimitEnabled', 'true');
    await eventually(
      () => send({ key: own }),
      ({ status }) => status === 429,
      5000,
    );
    const bySuccess = await send({ key: own });
    expect([bySuccess.status, textOf(bySuccess)]).toEqual([429, '您已达到请求数限制：1分钟内最多请求2次']);
    expect(Number(bySuccess.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(bySuccess.retryAfter)).toBeLessThanOrEqual(60);
    await option('ModelRequestRateLimitGroup', '{"default":[3,1000]}');
    const fresh = await stand.token(await stand.user('limited2', CREDIT));
    await eventually(
      () => send({ key: fresh, model: 'unheard-of' }),
      ({ status }) => status === 429,
      5000,
    );
    const byTotal = await send({ key: fresh, dialect: 'anthropic' });
    expect([byTotal.status, textOf(byTotal), byTotal.error?.type]).toEqual([
      429,
      '您已达到总请求数限制：1分钟内最多请求3次，包括失败次数，请检查您的请求是否正确',
      'new_api_error',
    ]);
    await option('ModelRequestRateLimitEnabled', 'false');
    await eventually(
      () => send({ key: fresh }),
      ({ status }) => status === 200,
      5000,
    );
  }, 30_000);

  it('without a path that answers, in the dialect of its caller', async () => {
    const ask404 = async (path: string, method = 'POST'): Promise<unknown> => {
      const reply = await fetch(`${stand.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
      return [reply.status, await reply.json()];
    };
    expect(await ask404('/v1/nothing')).toMatchObject([
      404,
      {
        error: {
          message: 'Invalid URL (POST /v1/nothing)',
          type: 'invalid_request_error',
          param: '',
          code: '',
        },
      },
    ]);
    for (const [method, path] of [
      ['POST', '/v1/images/variations'],
      ['GET', '/v1/files'],
      ['POST', '/v1/fine-tunes'],
      ['DELETE', '/v1/models/gpt-4o'],
    ] as const) {
      expect(await ask404(path, method)).toMatchObject([
        501,
        { error: { message: 'API not implemented', code: 'api_not_implemented', type: 'new_api_error' } },
      ]);
    }
    const stranger = await fetch(`${stand.url}/v1/fine-tunes`, { method: 'POST' });
    expect(stranger.status).toBe(401);
  });

  describe('the list of models', () => {
    const list = async (
      headers: Record<string, string>,
      path = '/v1/models',
    ): Promise<[number, Record<string, unknown>]> => {
      const reply = await fetch(`${stand.url}${path}`, { headers });
      return [reply.status, (await reply.json()) as Record<string, unknown>];
    };

    it('has the documented shape for OpenAI clients', async () => {
      const [status, body] = await list({ authorization: `Bearer ${key}` });
      expect([status, body.success, body.object]).toEqual([200, true, 'list']);
      const data = body.data as { id: string }[];
      expect(data.map(({ id }) => id)).toEqual(MODEL_LIST);
      expect(data[1]).toEqual({
        id: 'gpt-4o',
        object: 'model',
        created: 1626777600,
        owned_by: 'openai',
        permission: [
          {
            id: 'modelperm-LwHkVFn8AcMItP432fKKDIKJ',
            object: 'model_permission',
            created: 1626777600,
            allow_create_engine: true,
            allow_sampling: true,
            allow_logprobs: true,
            allow_search_indices: false,
            allow_view: true,
            allow_fine_tuning: false,
            organization: '*',
            group: null,
            is_blocking: false,
          },
        ],
        root: 'gpt-4o',
        parent: null,
      });
      expect(data.at(-1)).toMatchObject({ id: 'unpriced', owned_by: 'custom' });
    });

    it("has Anthropic's shape for its clients", async () => {
      const [, body] = await list({ 'x-api-key': key, 'anthropic-version': '2023-06-01' });
      expect(body).toMatchObject({ has_more: false, first_id: MODEL_LIST[0], last_id: 'unpriced' });
      expect((body.data as unknown[])[1]).toEqual({
        type: 'model',
        id: 'gpt-4o',
        display_name: 'gpt-4o',
        created_at: '2021-07-20T10:40:00.000Z',
      });
    });

    it('names what the key may call, and only that can be looked up', async () => {
      const own = await stand.token(user, { model_limits_enabled: true, model_limits: 'gpt-4o,unheard-of' });
      const [, body] = await list({ authorization: `Bearer ${own}` });
      expect((body.data as { id: string }[]).map(({ id }) => id)).toEqual(['gpt-4o']);
      expect((await list({ authorization: `Bearer ${own}` }, '/v1/models/gpt-4o'))[0]).toBe(200);
      const [status, missing] = await list({ authorization: `Bearer ${own}` }, '/v1/models/gpt-4o-mini');
      expect([status, missing]).toMatchObject([
        404,
        { error: { type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
      ]);
    });
  });

  describe('in the playground', () => {
    const play = async (
      person: Person,
      body: Record<string, unknown>,
      headers: Record<string, string> = {},
    ): Promise<[number, string]> => {
      const messages = [{ role: 'user', content: 'three plain words' }];
      const { status, body: reply } = await person.call('POST', '/pg/chat/completions', { messages, ...body }, headers);
      const error = reply.error as { message?: string } | undefined;
      return [status, (error?.message ?? reply.message ?? '').replace(/ \(request id.*/, '')];
    };

    it('without a session, a model, or a right to the group', async () => {
      expect((await play(stand.visitor(), { model: 'gpt-4o' }))[0]).toBe(401);
      expect(await play(user, {})).toEqual([400, '请选择模型']);
      expect(await play(user, { model: 'gpt-4o', group: 'secret' })).toEqual([403, '无权访问该分组']);
      expect(await play(user, { model: 'unserved' })).toEqual([500, '当前分组 default 下对于模型 unserved 无可用渠道']);
    });

    it("by the gateway's word, once it is older than clocks may differ", async () => {
      const ask = async (exp: number): Promise<number> => {
        const caller = {
          userId: user.id,
          username: 'refused',
          role: 1,
          group: 'default',
          via: 'session',
          requestId: 'r',
        };
        const reply = await stand.host.instances.get('relay')!.inject({
          method: 'POST',
          url: '/pg/chat/completions',
          headers: { [CALLER_HEADER]: stand.host.secrets.sign(CALLER_PURPOSE, { ...caller, exp }) },
          payload: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'three plain words' }] }),
        });
        return reply.statusCode;
      };
      const now = Math.floor(Date.now() / 1000);
      expect([await ask(now - 400), await ask(now - 60), await ask(now + 30)]).toEqual([401, 200, 200]);
    });

    it('but otherwise it is charged to the wallet alone, with the group as its name', async () => {
      const player = await stand.user('player', CREDIT);
      expect((await play(player, { model: 'gpt-4o', max_tokens: 0, temperature: 0 }))[0]).toBe(200);
      expect(upstream.journal()[0]?.body).not.toHaveProperty('group');
      expect(upstream.journal()[0]?.body).not.toHaveProperty('max_tokens');
      const left = await eventually(
        () => quotaOf(stand, player.id),
        (quota) => quota < CREDIT,
      );
      expect(left).toBe(CREDIT - Math.round((3 + 10 * 4) * 1.25));
      const { items } = await player.data<{ items: { token_name: string; quota: number }[] }>(
        'GET',
        '/api/log/self?type=2&page_size=10',
      );
      expect(items).toMatchObject([{ token_name: 'playground-default', quota: CREDIT - left }]);
    });
  });

  it('is explained to administrators, by the minute and by the id of any request', async () => {
    const key = await stand.token(await stand.user('explained', CREDIT));
    const asked = await Promise.all([
      send({ key, model: 'explained-model' }),
      send({ key, model: 'explained-model' }),
      send({ key: UNKNOWN }),
    ]);
    expect(asked.map(({ status }) => status)).toEqual([503, 503, 401]);
    interface Refused {
      items: { reason: string; count: number; username: string; token_id: number; model: string; message: string }[];
    }
    const explain = (id: string): Promise<Refused> =>
      stand.root.data('GET', `/api/log/refusal?request_id=${id}&page_size=100`);
    const { items } = await eventually(
      () => explain(asked[1]!.requestId),
      (found) => found.items.some(({ username, count }) => username === 'explained' && count === 2),
      20_000,
    );
    // A name that no channel serves is anybody's invention: it is told by the message, and opens no row of its own.
    expect(items.find(({ username }) => username === 'explained')).toMatchObject({
      model: '?',
      count: 2,
      message: expect.stringContaining('explained-model'),
    });
    expect(items.find(({ reason }) => reason === 'invalid_token')).toMatchObject({ token_id: 0, username: '' });
    const peek = await user.call('GET', '/api/log/refusal');
    expect(peek.body.success).toBe(false);
  }, 40_000);

  it('costs nothing', async () => {
    const poor = await stand.user('refusedonly', 1000);
    const own = await stand.token(poor);
    await send({ key: own, model: 'unheard-of' });
    await send({ key: own, prompt: 'test_sensitive' });
    await send({ key: own, body: { max_tokens: 1_000_000 } });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await quotaOf(stand, poor.id)).toBe(1000);
  });
});
