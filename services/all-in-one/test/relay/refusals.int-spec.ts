import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readUntil } from '@tollgate/testing';
import { type ClientDialect, MODELS, quotaOf, rowOf } from '../support/relay-site.js';
import { describeModelList } from './model-list.js';
import { describePlayground } from './playground-refusals.js';
import { CREDIT, hintOf, RefusalWorld, textOf, type Wish } from './refusal-world.js';

const UNKNOWN = `sk-${'a1'.repeat(24)}`;

describe('a request is refused', () => {
  const world = new RefusalWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.upstream.reset());

  describe.each(['openai', 'anthropic'] as const)('because of its key, for %s', (dialect: ClientDialect) => {
    async function expectRefusal(wish: Wish, status: 401 | 403, text: string, patienceMs = 3000): Promise<void> {
      const answer = await readUntil(
        () => world.send({ dialect, ...wish }),
        (seen) => textOf(seen) === text,
        patienceMs,
      );
      expect([answer.status, textOf(answer), answer.error?.type]).toEqual([status, text, 'new_api_error']);
      expect(answer.error?.message).toContain(answer.requestId);
    }

    it('without a key', () => expectRefusal({ key: '' }, 401, '未提供令牌'));
    it('with an unknown key', () => expectRefusal({ key: UNKNOWN }, 401, '无效的令牌'));
    it('with a malformed key', () => expectRefusal({ key: 'sk-short' }, 401, '无效的令牌'));

    it('with a disabled key, within a second of the change', async () => {
      const own = await world.testBed.token(world.user);
      expect((await world.send({ dialect, key: own })).status).toBe(200);
      await world.change(own, { status: 2 }, true);
      await expectRefusal({ key: own }, 401, '该令牌状态不可用');
    });

    it('with an expired key', async () => {
      const own = await world.testBed.token(world.user, { expired_time: Math.floor(Date.now() / 1000) + 2 });
      // The last second may take as long as the two before it.
      await expectRefusal({ key: own }, 401, '该令牌已过期', 6000);
    });

    it('with a key whose budget is exhausted', async () => {
      const own = await world.testBed.token(world.user, { unlimited_quota: false, remain_quota: 0 });
      await expectRefusal({ dialect, key: own }, 401, `该令牌额度已用尽 TokenStatusExhausted[${hintOf(own)}]`);
    });

    it('with a channel in the key of an ordinary user', () =>
      expectRefusal({ key: `${world.key}-1` }, 403, '普通用户不支持指定渠道'));

    it('from an address that is not allowed, also with ranges and forwarded addresses', async () => {
      const own = await world.testBed.token(world.user, { allow_ips: '10.1.0.0/16\n2001:db8::/32\n192.0.2.7' });
      await expectRefusal({ key: own }, 403, '您的 IP 不在令牌允许访问的列表中');
      for (const [address, status] of [
        ['10.1.200.3', 200],
        ['2001:db8::7', 200],
        ['192.0.2.7', 200],
        ['192.0.2.8', 403],
      ] as const) {
        expect([
          address,
          (await world.send({ dialect, key: own, headers: { 'x-forwarded-for': address } })).status,
        ]).toEqual([address, status]);
      }
    });

    it('for a model that the key does not allow', async () => {
      const own = await world.testBed.token(world.user, { model_limits_enabled: true, model_limits: 'gpt-4o-mini' });
      await expectRefusal({ key: own }, 403, `该令牌无权访问模型 ${MODELS[dialect]}`);
      const none = await world.testBed.token(world.user, { model_limits_enabled: true, model_limits: '' });
      await expectRefusal({ key: none }, 403, '该令牌无权访问任何模型');
    });

    it('with checks in the documented order', async () => {
      const own = await world.testBed.token(world.user, {
        allow_ips: '192.0.2.7',
        model_limits_enabled: true,
        model_limits: 'other',
      });
      await expectRefusal({ key: `${own}-1` }, 403, '普通用户不支持指定渠道');
      await expectRefusal({ key: own }, 403, '您的 IP 不在令牌允许访问的列表中');
      const near = { 'x-forwarded-for': '192.0.2.7' };
      await expectRefusal({ key: own, headers: near }, 403, `该令牌无权访问模型 ${MODELS[dialect]}`);
      await world.change(own, { status: 2 }, true);
      await expectRefusal({ key: own, headers: near }, 401, '该令牌状态不可用');
    });

    it('with a key of a banned user, within a second of the ban', async () => {
      const name = `banned${dialect.slice(0, 4)}`;
      const banned = await world.testBed.user(name, 1000);
      const own = await world.testBed.token(banned);
      await world.testBed.root.data('POST', '/api/user/manage', { id: banned.id, action: 'disable' });
      await expectRefusal({ key: own }, 403, '用户已被封禁');
    });
  });

  it('because of its group', async () => {
    await world.option('UserUsableGroups', '{"default":"d","vip":"v","gone":"g"}');
    await world.option('GroupRatio', '{"default":1,"vip":1,"gone":1}');
    const own = await world.testBed.token(world.user, { group: 'gone' });
    await world.option('GroupRatio', '{"default":1,"vip":1}');
    const vip = await world.testBed.token(world.user, { group: 'vip' });
    const deprecated = await readUntil(
      () => world.send({ key: own }),
      (seen) => textOf(seen).includes('弃用'),
      3000,
    );
    expect([deprecated.status, textOf(deprecated)]).toEqual([403, '分组 gone 已被弃用']);
    expect((await world.send({ key: vip })).status).toBe(200);
    await world.option('UserUsableGroups', '{"default":"d"}');
    const closed = await readUntil(
      () => world.send({ key: vip }),
      ({ status }) => status === 403,
      3000,
    );
    expect([closed.status, textOf(closed)]).toEqual([403, '令牌分组 vip 已被禁用']);
    // Lists of models do not check the group, and contain only what the key may call.
    const list = await fetch(`${world.testBed.url}/v1/models`, { headers: { authorization: `Bearer ${vip}` } });
    expect([list.status, await list.json()]).toEqual([200, { success: true, object: 'list', data: [] }]);
  });

  it('for a model without a channel or without a price', async () => {
    const nobody = await world.send({ model: 'unheard-of' });
    expect([nobody.status, textOf(nobody)]).toEqual([503, '当前分组 default 下对于模型 unheard-of 无可用渠道']);
    const unpriced = await world.send({ model: 'unpriced' });
    expect([unpriced.status, unpriced.error?.code, textOf(unpriced)]).toEqual([
      400,
      'model_price_error',
      '模型 unpriced 倍率或价格未配置, 请联系管理员设置；Model unpriced ratio or price not set, please contact administrator to set',
    ]);
    const forRoot = await world.send({ model: 'unpriced', key: await world.testBed.token(world.testBed.root) });
    expect(textOf(forRoot)).toContain('请设置或开始自用模式');
    expect(world.upstream.served()).toBe(0);
  });

  it('not for a model without a price if its user accepts such models or self-use mode is on', async () => {
    await world.user.data('PUT', '/api/user/setting', {
      notify_type: 'email',
      quota_warning_threshold: 1,
      accept_unset_model_ratio_model: true,
    });
    expect(
      (
        await readUntil(
          () => world.send({ model: 'unpriced' }),
          ({ status }) => status === 200,
          3000,
        )
      ).status,
    ).toBe(200);
    const other = await world.testBed.token(await world.testBed.user('strict', CREDIT));
    expect((await world.send({ model: 'unpriced', key: other })).status).toBe(400);
    await world.option('SelfUseModeEnabled', 'true');
    expect(
      (
        await readUntil(
          () => world.send({ model: 'unpriced', key: other }),
          ({ status }) => status === 200,
          3000,
        )
      ).status,
    ).toBe(200);
    await world.option('SelfUseModeEnabled', 'false');
  });

  it('by the rate limits of all and of successful requests', async () => {
    const limited = await world.testBed.user('limited', CREDIT);
    const own = await world.testBed.token(limited);
    await world.option('ModelRequestRateLimitGroup', '{"default":[0,2]}');
    await world.option('ModelRequestRateLimitEnabled', 'true');
    await readUntil(
      () => world.send({ key: own }),
      ({ status }) => status === 429,
      5000,
    );
    const bySuccess = await world.send({ key: own });
    expect([bySuccess.status, textOf(bySuccess)]).toEqual([429, '您已达到请求数限制：1分钟内最多请求2次']);
    expect(Number(bySuccess.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(bySuccess.retryAfter)).toBeLessThanOrEqual(60);
    await world.option('ModelRequestRateLimitGroup', '{"default":[3,1000]}');
    const fresh = await world.testBed.token(await world.testBed.user('limited2', CREDIT));
    await readUntil(
      () => world.send({ key: fresh, model: 'unheard-of' }),
      ({ status }) => status === 429,
      5000,
    );
    const byTotal = await world.send({ key: fresh, dialect: 'anthropic' });
    expect([byTotal.status, textOf(byTotal), byTotal.error?.type]).toEqual([
      429,
      '您已达到总请求数限制：1分钟内最多请求3次，包括失败次数，请检查您的请求是否正确',
      'new_api_error',
    ]);
    await world.option('ModelRequestRateLimitEnabled', 'false');
    await readUntil(
      () => world.send({ key: fresh }),
      ({ status }) => status === 200,
      5000,
    );
  });

  it.each([false, true])(
    'by the rate limit of successful requests, when many are made at once (stream: %s)',
    async (isStream) => {
      const own = await world.testBed.token(await world.testBed.user(`hasty${isStream}`, CREDIT));
      // The answers come late enough for all calls to be under way together.
      const at = { key: own, isStream, prompt: 'all at once [[latency=500 tokens=2]]' };
      await world.option('ModelRequestRateLimitGroup', '{"default":[0,2]}');
      await world.option('ModelRequestRateLimitEnabled', 'true');
      try {
        const answers = await Promise.all(Array.from({ length: 10 }, () => world.send(at)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, ...Array<number>(8).fill(429)]);
        expect((await world.send(at)).status).toBe(429);
      } finally {
        await world.option('ModelRequestRateLimitEnabled', 'false');
      }
    },
    30_000,
  );

  it('for an unknown path, in the dialect of the client', async () => {
    const ask404 = async (path: string, method = 'POST'): Promise<unknown> => {
      const reply = await fetch(`${world.testBed.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${world.key}` },
      });
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
      ['POST', '/v1/edits'],
      ['DELETE', '/v1/models/gpt-4o'],
    ] as const) {
      expect(await ask404(path, method)).toMatchObject([
        501,
        { error: { message: 'API not implemented', code: 'api_not_implemented', type: 'new_api_error' } },
      ]);
    }
    const stranger = await fetch(`${world.testBed.url}/v1/fine-tunes`, { method: 'POST' });
    expect(stranger.status).toBe(401);
  });

  describeModelList(world);

  describePlayground(world);

  it('and explained to administrators, by the minute and by request id', async () => {
    const key = await world.testBed.token(await world.testBed.user('explained', CREDIT));
    const asked = await Promise.all([
      world.send({ key, model: 'explained-model' }),
      world.send({ key, model: 'explained-model' }),
      world.send({ key: UNKNOWN }),
    ]);
    expect(asked.map(({ status }) => status)).toEqual([503, 503, 401]);
    interface Refused {
      items: { reason: string; count: number; username: string; token_id: number; model: string; message: string }[];
    }
    const explain = (id: string): Promise<Refused> =>
      world.testBed.root.data('GET', `/api/log/refusal?request_id=${id}&page_size=100`);
    const { items } = await readUntil(
      () => explain(asked[1]!.requestId),
      (found) => found.items.some(({ username, count }) => username === 'explained' && count === 2),
      20_000,
    );
    // An invented model name appears in the message only and gets no row of its own.
    expect(items.find(({ username }) => username === 'explained')).toMatchObject({
      model: '?',
      count: 2,
      message: expect.stringContaining('explained-model'),
    });
    expect(items.find(({ reason }) => reason === 'invalid_token')).toMatchObject({ token_id: 0, username: '' });
    const peek = await world.user.call('GET', '/api/log/refusal');
    expect(peek.body.success).toBe(false);
  }, 40_000);

  it.each([
    ['a list of models', '/v1/models', 'ip_not_allowed', { allow_ips: '192.0.2.1' }],
    ['an unknown model', '/v1/models/none', 'model_not_found', {}],
    ['what is not implemented', '/v1/files', 'api_not_implemented', {}],
    ['a realtime session', '/v1/realtime', 'invalid_request', {}],
    ['a realtime session of a model', '/v1/realtime?model=gpt-4o', 'upgrade_required', {}],
  ])(
    'and recorded against the owner of the key that asks for %s',
    async (what, path, reason, fields) => {
      const owner = await world.testBed.user(what.replaceAll(' ', '').slice(-12), CREDIT);
      const authorization = `Bearer ${await world.testBed.token(owner, fields)}`;
      const reply = await fetch(`${world.testBed.url}${path}`, { headers: { authorization } });
      expect(reply.status).toBeGreaterThanOrEqual(400);
      const { items } = await readUntil(
        () => world.testBed.root.data<{ items: object[] }>('GET', `/api/log/refusal?user_id=${owner.id}`),
        (found) => found.items.length > 0,
        20_000,
      );
      const model = path.endsWith('gpt-4o') ? 'gpt-4o' : '';
      expect(items).toMatchObject([{ reason, model, count: 1, token_name: expect.stringMatching(/^t/) }]);
    },
    40_000,
  );

  it('costs nothing', async () => {
    const credit = 100_000;
    const poor = await world.testBed.user('refusedonly', credit);
    const own = await world.testBed.token(poor);
    const refusals = [{ model: 'unheard-of' }, { prompt: 'test_sensitive' }, { body: { max_tokens: 1_000_000 } }];
    for (const wish of refusals) expect((await world.send({ key: own, ...wish })).status).toBeGreaterThanOrEqual(400);
    // The charge of a later call is booked after what they might cost.
    const { requestId } = await world.send({ key: own, body: { max_tokens: 10 } });
    const { quota } = await rowOf(world.testBed, requestId);
    const left = await readUntil(
      () => quotaOf(world.testBed, poor.id),
      (now) => now < credit,
    );
    expect([quota > 0, left]).toEqual([true, credit - quota]);
  });
});
