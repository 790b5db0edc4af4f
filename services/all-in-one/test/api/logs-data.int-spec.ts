import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type ApiReply,
  type FakeUpstream,
  type Person,
  type Stand,
  startFakeUpstream,
  startStand,
} from '@tollgate/testing';
import { eventually, expectFields, expectRefusal, expectSuccess, makeAdmin, plain, spellings } from './support.js';

const FIELDS = {
  id: 'int',
  user_id: 'int',
  created_at: 'int',
  type: 'int',
  content: 'string',
  username: 'string',
  token_name: 'string',
  model_name: 'string',
  quota: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  use_time: 'int',
  is_stream: 'boolean',
  channel: 'int',
  channel_name: 'string',
  token_id: 'int',
  group: 'string',
  other: 'string',
} as const;
const STAT = { quota: 'int', rpm: 'int', tpm: 'int' } as const;
const DATA = {
  id: 'int',
  user_id: 'int',
  username: 'string',
  model_name: 'string',
  created_at: 'int',
  token_used: 'int',
  count: 'int',
  quota: 'int',
} as const;

interface Log {
  id: number;
  type: number;
  quota: number;
  username: string;
  model_name: string;
  token_name: string;
  prompt_tokens: number;
  completion_tokens: number;
  created_at: number;
  channel: number;
  channel_name: string;
  content: string;
  other: string;
}
interface LogPage {
  items: Log[];
  total: number;
  page: number;
  page_size: number;
}
interface Stat {
  quota: number;
  rpm: number;
  tpm: number;
}

const now = (): number => Math.floor(Date.now() / 1000);

describe('logs and statistics', () => {
  let stand: Stand;
  let upstream: FakeUpstream;
  let admin: Person;
  let first: Person;
  let second: Person;
  let channel: number;
  let key: string;
  let budgetKey: string;

  const chat = (apiKey: string, model: string, body: object = {}): Promise<Response> =>
    fetch(`${stand.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'a few words' }], ...body }),
    });
  const all = (query = ''): Promise<LogPage> => admin.data('GET', `/api/log/?page_size=100&${query}`);
  const own = (person: Person, query = ''): Promise<LogPage> =>
    person.data('GET', `/api/log/self/?page_size=100&${query}`);
  const stat = (query = ''): Promise<Stat> => admin.data('GET', `/api/log/stat?${query}`);

  beforeAll(async () => {
    [stand, upstream] = await Promise.all([startStand(allServices), startFakeUpstream({ behaviour: { tokens: 10 } })]);
    channel = await stand.channel({
      name: '上游一号',
      base_url: upstream.url,
      models: 'gpt-4o,gpt-4o-mini,100%_model',
    });
    await stand.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: '{"100%_model":0.001}' });
    [admin, first, second] = await Promise.all([
      makeAdmin(stand, 'admin'),
      stand.user('first', 10_000_000),
      stand.user('second', 10_000_000),
    ]);
    key = await stand.token(first, { name: '名称 %' });
    budgetKey = await stand.token(first, { name: 'budget', unlimited_quota: false, remain_quota: 500_000 });
    const other = await stand.token(second, { name: 'other' });
    const statuses: number[] = [];
    for (const [apiKey, model, body] of [
      [key, 'gpt-4o'],
      [key, 'gpt-4o-mini', { stream: true }],
      [budgetKey, 'gpt-4o'],
      [key, '100%_model'],
      [other, 'gpt-4o-mini'],
    ] as const) {
      const reply = await chat(apiKey, model, body);
      await reply.text();
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    await eventually(
      () => all('type=2'),
      ({ total }) => total >= 5,
    );
  }, 120_000);
  afterAll(async () => {
    await stand?.close();
    await upstream?.close();
  });

  it.each([
    ['GET', '/api/log/'],
    ['GET', '/api/log/stat'],
    ['GET', '/api/log/search'],
    ['GET', '/api/data/'],
    ['DELETE', '/api/log/'],
  ] as const)('%s %s is for administrators, in both spellings', async (method, path) => {
    for (const spelling of spellings(path)) {
      expectRefusal(await first.call(method, spelling), '无权进行此操作，权限不足');
      expectRefusal(await stand.visitor().call(method, spelling), '无权进行此操作，未登录且未提供 access token', 401);
    }
  });

  it.each(['/api/log/self', '/api/log/self/stat', '/api/log/self/search', '/api/data/self'])(
    'GET %s needs somebody who is signed in',
    async (path) => {
      for (const spelling of spellings(path)) {
        expectSuccess(await first.call('GET', spelling));
        expectRefusal(await stand.visitor().call('GET', spelling), '无权进行此操作，未登录且未提供 access token', 401);
      }
    },
  );

  describe('GET /api/log/', () => {
    it.each(spellings('/api/log/?p=1&page_size=3'))(
      '%s is a page of rows with every documented field, newest first',
      async (path) => {
        const reply = await admin.call<LogPage>('GET', path);
        expectSuccess(reply);
        expectFields(reply.body.data, { items: 'array', page: 'int', page_size: 'int', total: 'int' });
        expect(reply.body.data).toMatchObject({ page: 1, page_size: 3 });
        for (const row of reply.body.data.items) expectFields(row, FIELDS);
        const times = reply.body.data.items.map(({ created_at: at }) => at);
        expect(times).toEqual([...times].sort((a, b) => b - a));
      },
    );

    it('tells of a consumption what the documents list', async () => {
      const [row] = (await all('type=2&model_name=gpt-4o&token_name=budget')).items;
      expect(row).toMatchObject({
        type: 2,
        username: 'first',
        token_name: 'budget',
        model_name: 'gpt-4o',
        channel,
        channel_name: '上游一号',
        is_stream: false,
        group: 'default',
        completion_tokens: 10,
      });
      expect(row?.content).toBe('模型倍率 1.25，补全倍率 4.00，分组倍率 1.00');
      expect(row?.quota).toBe(Math.round(((row?.prompt_tokens ?? 0) + 10 * 4) * 1.25));
      const other = JSON.parse(row?.other ?? '') as Record<string, unknown>;
      expect(other).toMatchObject({
        model_ratio: 1.25,
        group_ratio: 1,
        completion_ratio: 4,
        cache_tokens: 0,
        model_price: -1,
        admin_info: { use_channel: [String(channel)] },
      });
      expectFields(other, { frt: 'number', cache_ratio: 'number' });
    });

    it('tells of a call at a fixed price its price', async () => {
      const [row] = (await all(`type=2&model_name=${encodeURIComponent('100%_model')}`)).items;
      expect(row).toMatchObject({ quota: 500, content: '模型价格 0.00，分组倍率 1.00' });
      expect(JSON.parse(row?.other ?? '')).toMatchObject({ model_price: 0.001, group_ratio: 1 });
    });

    it('marks a stream', async () => {
      const [row] = (await all('type=2&username=first&model_name=gpt-4o-mini')).items;
      expect(row).toMatchObject({ is_stream: true });
      expect((JSON.parse(row?.other ?? '') as { frt: number }).frt).toBeGreaterThanOrEqual(0);
    });

    it.each([
      ['type=2', 5],
      ['type=0&model_name=gpt-4o', 2],
      ['type=2&username=first', 4],
      ['type=2&username=firs', 0],
      ['type=2&username=%25', 0],
      ['type=2&username=first&token_name=budget', 1],
      [`type=2&token_name=${encodeURIComponent('名称 %')}`, 3],
      ['type=2&model_name=gpt-4o-mini', 2],
      ['type=2&model_name=gpt-4%25', 0],
      ['type=2&model_name=100%25_model', 1],
      ['type=2&group=default', 5],
      ['type=2&group=vip', 0],
      ['type=2&channel=987654', 0],
      ['type=2&channel=99999999999', 0],
      ['type=2&channel=abc', 5],
      ['type=99', 0],
      ['type=2&start_timestamp=99999999999', 0],
      ['type=2&end_timestamp=5', 0],
      ['type=2&start_timestamp=1&end_timestamp=99999999999', 5],
      ['type=2&start_timestamp=abc&end_timestamp=', 5],
      ["type=2&username=' or 1=1", 0],
    ])('?%s finds %i', async (query, total) => {
      const page = await all(query);
      expect([page.total, page.items.length]).toEqual([total, total]);
    });

    it('filters by channel and by both bounds, inclusive', async () => {
      expect((await all(`type=2&channel=${channel}`)).total).toBe(5);
      const [row] = (await all('type=2&token_name=budget')).items;
      const at = row?.created_at ?? 0;
      expect((await all(`type=2&token_name=budget&start_timestamp=${at}&end_timestamp=${at}`)).total).toBe(1);
      expect((await all(`type=2&token_name=budget&start_timestamp=${at + 1}`)).total).toBe(0);
      expect((await all(`type=2&token_name=budget&end_timestamp=${at - 1}`)).total).toBe(0);
    });

    it.each([
      ['p=0&page_size=2', 1, 2],
      ['p=2&page_size=2', 2, 2],
      ['p=-1&page_size=2', 1, 2],
      ['p=x&page_size=x', 1, 10],
      ['page_size=0', 1, 10],
      ['page_size=-1', 1, 10],
      ['page_size=1000', 1, 100],
      ['', 1, 10],
    ])('takes %s for page %i of %i, for everybody', async (query, page, size) => {
      for (const [person, path] of [
        [admin, '/api/log/'],
        [first, '/api/log/self/'],
      ] as const) {
        expect(await person.data('GET', `${path}?${query}`)).toMatchObject({ page, page_size: size });
      }
    });

    it.each(['username=%00', 'model_name=a%00b', 'token_name=a&token_name=b'])('refuses %s', async (query) => {
      expectRefusal(await admin.call('GET', `/api/log/?${query}`), '无效的参数');
    });
  });

  describe('GET /api/log/self/', () => {
    it('shows the own rows, without channel and without what administrators see', async () => {
      const page = await own(first);
      expect(new Set(page.items.map(({ username }) => username))).toEqual(new Set(['first']));
      for (const row of page.items) {
        expectFields(row, FIELDS);
        expect([row.channel, row.channel_name]).toEqual([0, '']);
        expect(row.other).not.toContain('admin_info');
        expect(JSON.stringify(row)).not.toContain('上游一号');
      }
      const ids = page.items.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('ignores filters that are not theirs', async () => {
      const consumed = (await own(first, 'type=2')).total;
      expect(consumed).toBe(4);
      for (const query of ['username=second', `channel=${channel}`, 'channel=987654'])
        expect((await own(first, `type=2&${query}`)).total).toBe(consumed);
      expect((await own(first, 'type=2&model_name=gpt-4o')).total).toBe(2);
      expect((await own(first, 'type=2&token_name=other')).total).toBe(0);
    });

    it('stays with its owner through a change of name', async () => {
      const renamed = await stand.user('before', 1_000_000);
      const apiKey = await stand.token(renamed);
      await (await chat(apiKey, 'gpt-4o')).text();
      await eventually(
        () => own(renamed, 'type=2'),
        ({ total }) => total === 1,
      );
      await renamed.data('PUT', '/api/user/self', { username: 'after' });
      const stranger = await stand.user('stranger', 0);
      await stranger.data('PUT', '/api/user/self', { username: 'before2' });
      expect((await own(renamed, 'type=2')).total).toBe(1);
      expect(await renamed.data('GET', '/api/log/self/stat')).toMatchObject({ rpm: 1 });
      expect((await own(stranger, 'type=2')).total).toBe(0);
    });
  });

  describe('totals', () => {
    it.each(spellings('/api/log/stat?type=0'))(
      'GET %s sums quota, and requests and tokens of the last minute',
      async (path) => {
        const reply = await admin.call<Stat>('GET', path);
        expectSuccess(reply);
        expectFields(reply.body.data, STAT);
        const rows = (await all('type=2')).items;
        expect(reply.body.data.quota).toBe(rows.reduce((sum, { quota }) => sum + quota, 0));
      },
    );

    it('follow the filters, rate and tokens all but time', async () => {
      const rows = (await all('type=2&username=first')).items;
      const quota = rows.reduce((sum, row) => sum + row.quota, 0);
      expect((await stat('username=first')).quota).toBe(quota);
      expect((await stat('username=first&type=2')).quota).toBe(quota);
      expect(await stat('username=first&type=1')).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect(await stat('username=nobody')).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect((await stat('username=first&end_timestamp=5')).quota).toBe(0);
      expect((await first.data<Stat>('GET', '/api/log/self/stat?username=second')).quota).toBe(quota);
      const fresh = rows.filter(({ created_at: at }) => at > now() - 55);
      if (fresh.length === rows.length) {
        expect(await stat('username=first&end_timestamp=5')).toEqual({
          quota: 0,
          rpm: 4,
          tpm: rows.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0),
        });
      }
    });
  });

  describe('search', () => {
    it('finds by type and by the beginning of a text, for the own rows by type', async () => {
      const byType = await admin.data<Log[]>('GET', '/api/log/search?keyword=2');
      expect(byType.length).toBeGreaterThanOrEqual(5);
      for (const row of byType) expectFields(row, FIELDS);
      const byText = await admin.data<Log[]>('GET', `/api/log/search/?keyword=${encodeURIComponent('模型倍率')}`);
      expect(byText.every(({ content }) => content.startsWith('模型倍率'))).toBe(true);
      expect(await admin.data('GET', '/api/log/search?keyword=%25')).toEqual([]);
      const ownRows = await first.data<Log[]>('GET', '/api/log/self/search?keyword=2');
      expect(new Set(ownRows.map(({ username }) => username))).toEqual(new Set(['first']));
      expect(JSON.stringify(ownRows)).not.toContain('admin_info');
    });
  });

  describe('GET /api/log/token', () => {
    it.each(spellings('/api/log/token'))(
      '%s shows the rows of a key, by query or header, from any page',
      async (path) => {
        const byQuery = await plain(stand, 'GET', `${path}?key=${key}`);
        const byHeader = await plain(stand, 'GET', path, { headers: { authorization: `Bearer ${key}` } });
        for (const reply of [byQuery, byHeader]) {
          const body = JSON.parse(reply.text) as ApiReply<Log[]>['body'];
          expect([reply.status, body.success, body.data.length]).toEqual([200, true, 3]);
          expect(reply.headers.get('access-control-allow-origin')).toBe('*');
          expect(reply.text).not.toMatch(/admin_info|上游一号/);
          for (const row of body.data) expectFields(row, FIELDS);
        }
      },
    );

    it.each(['', '?key=', '?key=sk-nothing', `?key=${'x'.repeat(48)}`, '?key=%00', '?key=%25'])(
      'refuses %s',
      async (query) => {
        const reply = await stand.visitor().call('GET', `/api/log/token${query}`);
        expect([reply.status < 500, reply.body.success]).toEqual([true, false]);
      },
    );
  });

  describe('dashboard data', () => {
    it.each(spellings('/api/data/'))('GET %s sums everybody by model and hour', async (path) => {
      const rows = await eventually(
        () => admin.data<Record<string, number | string>[]>('GET', path),
        (data) => data.length >= 3,
      );
      for (const row of rows) {
        expectFields(row, DATA);
        expect([row['user_id'], row['username'], Number(row['created_at']) % 3600]).toEqual([0, '', 0]);
      }
      const consumed = (await all('type=2')).items;
      expect(rows.reduce((sum, row) => sum + Number(row['quota']), 0)).toBe(
        consumed.reduce((sum, row) => sum + row.quota, 0),
      );
      expect(rows.reduce((sum, row) => sum + Number(row['count']), 0)).toBe(consumed.length);
    });

    it('shows one user to administrators and everybody their own', async () => {
      const asked = await admin.data<Record<string, unknown>[]>(
        'GET',
        `/api/data/?username=second&start_timestamp=${now() - 7200}&end_timestamp=${now() + 3600}&default_time=hour`,
      );
      expect(asked.map((row) => [row['username'], row['user_id'], row['model_name'], row['count']])).toEqual([
        ['second', second.id, 'gpt-4o-mini', 1],
      ]);
      expect(await second.data('GET', '/api/data/self/')).toEqual(asked);
      expect(await second.data('GET', '/api/data/self?username=first')).toEqual(asked);
      expect(await admin.data('GET', '/api/data/?username=nobody')).toEqual([]);
      expect(await admin.data('GET', `/api/data/?start_timestamp=1&end_timestamp=3600`)).toEqual([]);
    });

    it('spans 31 days at most for oneself', async () => {
      const end = now();
      expectSuccess(
        await first.call('GET', `/api/data/self?start_timestamp=${end - 31 * 86_400}&end_timestamp=${end}`),
      );
      expectRefusal(
        await first.call('GET', `/api/data/self?start_timestamp=${end - 31 * 86_400 - 1}&end_timestamp=${end}`),
        '时间跨度不能超过 1 个月',
      );
      for (const query of [`end_timestamp=${end}`, `start_timestamp=0&end_timestamp=${end}`])
        expectRefusal(await first.call('GET', `/api/data/self?${query}`), '时间跨度不能超过 1 个月');
      expectSuccess(
        await first.call('GET', `/api/data/self?start_timestamp=${end}&end_timestamp=${end - 60 * 86_400}`),
      );
      expectSuccess(await admin.call('GET', `/api/data/?start_timestamp=${end - 300 * 86_400}&end_timestamp=${end}`));
      for (const query of [
        'start_timestamp=abc',
        'start_timestamp=-5&end_timestamp=-1',
        'start_timestamp=99999999999999999999',
      ]) {
        expectSuccess(await first.call('GET', `/api/data/self?${query}`));
      }
    });
  });

  describe('billing as OpenAI shows it', () => {
    const get = async (path: string, apiKey?: string): Promise<[number, Record<string, unknown>]> => {
      const reply = await plain(
        stand,
        'GET',
        path,
        apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } },
      );
      return [reply.status, JSON.parse(reply.text) as Record<string, unknown>];
    };
    const both = (name: string): string[] => [
      ...spellings(`/v1/dashboard/billing/${name}`),
      ...spellings(`/dashboard/billing/${name}`),
    ];

    it('tells what a key could ever spend, and what it spent, in dollars and cents', async () => {
      const [token] = await first.data<{ used_quota: number }[]>('GET', '/api/token/search?keyword=budget&token=');
      const used = token?.used_quota ?? 0;
      expect(used).toBeGreaterThan(0);
      for (const path of both('subscription')) {
        expect(await get(path, budgetKey)).toEqual([
          200,
          {
            object: 'billing_subscription',
            has_payment_method: true,
            soft_limit_usd: 1,
            hard_limit_usd: 1,
            system_hard_limit_usd: 1,
            access_until: 0,
          },
        ]);
        expect((await get(path, key))[1]).toMatchObject({ hard_limit_usd: 100_000_000 });
      }
      for (const path of both('usage?start_date=2025-01-01&end_date=2025-02-01')) {
        const [status, usage] = await get(path, budgetKey);
        expect([status, usage['object']]).toEqual([200, 'list']);
        expect(usage['total_usage']).toBeCloseTo((used / 500_000) * 100, 9);
      }
    });

    it('tells the owner’s figures, or units, where the options say so', async () => {
      const self = await first.data<{ quota: number; used_quota: number }>('GET', '/api/user/self');
      await stand.root.data('PUT', '/api/option/', { key: 'DisplayTokenStatEnabled', value: 'false' });
      expect((await get('/v1/dashboard/billing/subscription', budgetKey))[1]['hard_limit_usd']).toBeCloseTo(
        (self.quota + self.used_quota) / 500_000,
        9,
      );
      await stand.root.data('PUT', '/api/option/', { key: 'DisplayTokenStatEnabled', value: 'true' });
      await stand.root.data('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'false' });
      expect((await get('/v1/dashboard/billing/subscription', budgetKey))[1]['hard_limit_usd']).toBe(500_000);
      await stand.root.data('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'true' });
    });

    it('refuses in the shape of OpenAI', async () => {
      for (const path of both('subscription')) {
        for (const [apiKey, message] of [
          [undefined, '未提供令牌'],
          ['sk-nothing', '无效的令牌'],
        ] as const) {
          const [status, body] = await get(path, apiKey);
          expect(status).toBe(401);
          expect(body).toMatchObject({
            error: {
              message: expect.stringMatching(new RegExp(`^${message} \\(request id: [0-9a-f-]{36}\\)$`)),
              type: 'new_api_error',
            },
          });
        }
      }
    });
  });

  it('shows a token as used up once its budget is spent, and refuses it as documented', async () => {
    const spender = await stand.user('spender', 1_000_000);
    const price = 500;
    const apiKey = await stand.token(spender, { name: 'spent', unlimited_quota: false, remain_quota: price });
    expect((await chat(apiKey, '100%_model')).status).toBe(200);
    const list = (): Promise<{ id: number; status: number; remain_quota: number; used_quota: number }[]> =>
      spender.data('GET', '/api/token/?p=0&size=10');
    const [token] = await eventually(list, ([row]) => row?.used_quota === price);
    expect(token).toMatchObject({ status: 4, remain_quota: 0, used_quota: price });
    const refused = await chat(apiKey, '100%_model');
    expect([refused.status, ((await refused.json()) as { error: { message: string } }).error.message]).toEqual([
      401,
      expect.stringContaining('该令牌额度已用尽'),
    ]);
    expectRefusal(
      await spender.call('PUT', '/api/token/?status_only=true', { id: token?.id, status: 1 }),
      '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    );
  });

  it('logs the gifts of a registration and the changes of an administrator in the documented words', async () => {
    for (const [name, value] of [
      ['QuotaForNewUser', '500000'],
      ['QuotaForInvitee', '1000'],
      ['QuotaForInviter', '2000'],
    ])
      await stand.root.data('PUT', '/api/option/', { key: name, value });
    const code = await first.data<string>('GET', '/api/user/aff');
    expectSuccess(
      await stand
        .visitor()
        .call('POST', '/api/user/register', { username: 'gifted', password: '12345678', aff_code: code }),
    );
    const gifted = stand.visitor();
    await gifted.signIn('gifted', '12345678');
    const texts = async (person: Person, type: number, count: number): Promise<string[]> =>
      (
        await eventually(
          () => own(person, `type=${type}`),
          ({ total }) => total >= count,
        )
      ).items.map(({ content }) => content);
    expect(new Set(await texts(gifted, 4, 2))).toEqual(
      new Set(['新用户注册赠送 ＄1.000000 额度', '使用邀请码赠送 ＄0.002000 额度']),
    );
    expect(await texts(first, 4, 1)).toContain('邀请用户赠送 ＄0.004000 额度');
    await stand.root.data('PUT', '/api/user/', { id: gifted.id, quota: 0 });
    expect(await texts(gifted, 3, 1)).toEqual(['管理员将用户额度从 ＄1.002000 额度修改为 ＄0.000000 额度']);
  });

  it('DELETE /api/log/ clears what is older than a time, and only that', async () => {
    for (const query of [
      '',
      '?target_timestamp=',
      '?target_timestamp=abc',
      '?target_timestamp=0',
      '?target_timestamp=-5',
    ]) {
      expectRefusal(await admin.call('DELETE', `/api/log/${query}`), 'target timestamp is required');
    }
    const { total } = await all();
    const none = await admin.call('DELETE', '/api/log?target_timestamp=5');
    expectSuccess(none);
    expect([none.body.data, (await all()).total]).toEqual([0, total]);
    const reply = await admin.call('DELETE', `/api/log/?target_timestamp=${now() + 60}`);
    expectSuccess(reply);
    expect(reply.body.data).toBe(total);
    expect((await all('type=2')).total).toBe(0);
  }, 30_000);
});
