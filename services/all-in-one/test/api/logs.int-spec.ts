import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiReply, type Person, readUntil } from '@tollgate/testing';
import { type Log, type LogPage, LogWorld, type Stat } from './log-world.js';
import { expectFields, expectErrorReply, expectSuccess, plain, spellings } from './support.js';

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

const now = (): number => Math.floor(Date.now() / 1000);

describe('logs', () => {
  const world = new LogWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());

  it.each([
    ['GET', '/api/log/'],
    ['GET', '/api/log/stat'],
    ['GET', '/api/log/search'],
    ['GET', '/api/data/'],
    ['DELETE', '/api/log/'],
  ] as const)('%s %s is for administrators, in both spellings', async (method, path) => {
    for (const spelling of spellings(path)) {
      expectErrorReply(await world.first.call(method, spelling), '无权进行此操作，权限不足');
      expectErrorReply(
        await world.testBed.visitor().call(method, spelling),
        '无权进行此操作，未登录且未提供 access token',
        401,
      );
    }
  });

  it.each(['/api/log/self', '/api/log/self/stat', '/api/log/self/search', '/api/data/self'])(
    'GET %s requires a session',
    async (path) => {
      for (const spelling of spellings(path)) {
        expectSuccess(await world.first.call('GET', spelling));
        expectErrorReply(
          await world.testBed.visitor().call('GET', spelling),
          '无权进行此操作，未登录且未提供 access token',
          401,
        );
      }
    },
  );

  describe('GET /api/log/', () => {
    it.each(spellings('/api/log/?p=1&page_size=3'))(
      '%s is a page of rows with every documented field, newest first',
      async (path) => {
        const reply = await world.admin.call<LogPage>('GET', path);
        expectSuccess(reply);
        expectFields(reply.body.data, { items: 'array', page: 'int', page_size: 'int', total: 'int' });
        expect(reply.body.data).toMatchObject({ page: 1, page_size: 3 });
        for (const row of reply.body.data.items) expectFields(row, FIELDS);
        const times = reply.body.data.items.map(({ created_at: at }) => at);
        expect(times).toEqual([...times].sort((a, b) => b - a));
      },
    );

    it('has the documented fields of a consumption', async () => {
      const [row] = (await world.all('type=2&model_name=gpt-4o&token_name=budget')).items;
      expect(row).toMatchObject({
        type: 2,
        username: 'first',
        token_name: 'budget',
        model_name: 'gpt-4o',
        channel: world.channel,
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
        admin_info: { use_channel: [String(world.channel)] },
      });
      expectFields(other, { frt: 'number', cache_ratio: 'number' });
    });

    it('has the price of a call at a fixed price', async () => {
      const [row] = (await world.all(`type=2&model_name=${encodeURIComponent('100%_model')}`)).items;
      expect(row).toMatchObject({ quota: 500, content: '模型价格 0.00，分组倍率 1.00' });
      expect(JSON.parse(row?.other ?? '')).toMatchObject({ model_price: 0.001, group_ratio: 1 });
    });

    it('marks a stream', async () => {
      const [row] = (await world.all('type=2&username=first&model_name=gpt-4o-mini')).items;
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
      ['type=2&username=first&username=second', 4],
      ['type=2&type=1&username=first', 4],
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
      const page = await world.all(query);
      expect([page.total, page.items.length]).toEqual([total, total]);
    });

    it('filters by channel and by both bounds, inclusive', async () => {
      expect((await world.all(`type=2&channel=${world.channel}`)).total).toBe(5);
      const [row] = (await world.all('type=2&token_name=budget')).items;
      const at = row?.created_at ?? 0;
      expect((await world.all(`type=2&token_name=budget&start_timestamp=${at}&end_timestamp=${at}`)).total).toBe(1);
      expect((await world.all(`type=2&token_name=budget&start_timestamp=${at + 1}`)).total).toBe(0);
      expect((await world.all(`type=2&token_name=budget&end_timestamp=${at - 1}`)).total).toBe(0);
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
    ])('reads %s as page %i of %i, for administrators and users', async (query, page, size) => {
      for (const [person, path] of [
        [world.admin, '/api/log/'],
        [world.first, '/api/log/self/'],
      ] as const) {
        expect(await person.data('GET', `${path}?${query}`)).toMatchObject({ page, page_size: size });
      }
    });

    it.each(['username=%00', 'model_name=a%00b'])('refuses %s', async (query) => {
      expectErrorReply(await world.admin.call('GET', `/api/log/?${query}`), '无效的参数');
    });
  });

  describe('GET /api/log/self/', () => {
    it('returns the own rows, without channels and fields for administrators', async () => {
      const page = await world.own(world.first);
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

    it('ignores filters that only administrators have', async () => {
      const consumed = (await world.own(world.first, 'type=2')).total;
      expect(consumed).toBe(4);
      for (const query of ['username=second', `channel=${world.channel}`, 'channel=987654'])
        expect((await world.own(world.first, `type=2&${query}`)).total).toBe(consumed);
      expect((await world.own(world.first, 'type=2&model_name=gpt-4o')).total).toBe(2);
      expect((await world.own(world.first, 'type=2&token_name=other')).total).toBe(0);
    });

    it('returns all own rows after a change of name', async () => {
      const renamed = await world.testBed.user('before', 1_000_000);
      const apiKey = await world.testBed.token(renamed);
      await (await world.chat(apiKey, 'gpt-4o')).text();
      await readUntil(
        () => world.own(renamed, 'type=2'),
        ({ total }) => total === 1,
      );
      await renamed.data('PUT', '/api/user/self', { username: 'after' });
      const stranger = await world.testBed.user('stranger', 0);
      await stranger.data('PUT', '/api/user/self', { username: 'before2' });
      expect((await world.own(renamed, 'type=2')).total).toBe(1);
      expect(await renamed.data('GET', '/api/log/self/stat')).toMatchObject({ rpm: 1 });
      expect((await world.own(stranger, 'type=2')).total).toBe(0);
    });
  });

  describe('totals', () => {
    it.each(spellings('/api/log/stat?type=0'))(
      'GET %s sums quota, and requests and tokens of the last minute',
      async (path) => {
        const reply = await world.admin.call<Stat>('GET', path);
        expectSuccess(reply);
        expectFields(reply.body.data, STAT);
        const rows = (await world.all('type=2')).items;
        expect(reply.body.data.quota).toBe(rows.reduce((sum, { quota }) => sum + quota, 0));
      },
    );

    it('follow the filters', async () => {
      const rows = (await world.all('type=2&username=first')).items;
      const quota = rows.reduce((sum, row) => sum + row.quota, 0);
      expect((await world.stat('username=first')).quota).toBe(quota);
      expect((await world.stat('username=first&type=2')).quota).toBe(quota);
      expect(await world.stat('username=first&type=1')).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect(await world.stat('username=nobody')).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect((await world.stat('username=first&end_timestamp=5')).quota).toBe(0);
      expect((await world.first.data<Stat>('GET', '/api/log/self/stat?username=second')).quota).toBe(quota);
    });
  });

  describe('search', () => {
    it('finds rows by type and text prefix, and own rows by type', async () => {
      const byType = await world.admin.data<Log[]>('GET', '/api/log/search?keyword=2');
      expect(byType.length).toBeGreaterThanOrEqual(5);
      for (const row of byType) expectFields(row, FIELDS);
      const byText = await world.admin.data<Log[]>('GET', `/api/log/search/?keyword=${encodeURIComponent('模型倍率')}`);
      expect(byText.every(({ content }) => content.startsWith('模型倍率'))).toBe(true);
      expect(await world.admin.data('GET', '/api/log/search?keyword=%25')).toEqual([]);
      const ownRows = await world.first.data<Log[]>('GET', '/api/log/self/search?keyword=2');
      expect(new Set(ownRows.map(({ username }) => username))).toEqual(new Set(['first']));
      expect(JSON.stringify(ownRows)).not.toContain('admin_info');
    });
  });

  describe('GET /api/log/token', () => {
    it.each(spellings('/api/log/token'))(
      '%s returns the rows of a key from query or header, on any page',
      async (path) => {
        const byQuery = await plain(world.testBed, 'GET', `${path}?key=${world.key}`);
        const byHeader = await plain(world.testBed, 'GET', path, { headers: { authorization: `Bearer ${world.key}` } });
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
        const reply = await world.testBed.visitor().call('GET', `/api/log/token${query}`);
        expect([reply.status < 500, reply.body.success]).toEqual([true, false]);
      },
    );
  });

  it('logs gifts at registration and changes by administrators with the documented texts', async () => {
    for (const [name, value] of [
      ['QuotaForNewUser', '500000'],
      ['QuotaForInvitee', '1000'],
      ['QuotaForInviter', '2000'],
    ])
      await world.testBed.root.data('PUT', '/api/option/', { key: name, value });
    const code = await world.first.data<string>('GET', '/api/user/aff');
    expectSuccess(
      await world.testBed
        .visitor()
        .call('POST', '/api/user/register', { username: 'gifted', password: '12345678', aff_code: code }),
    );
    const gifted = world.testBed.visitor();
    await gifted.signIn('gifted', '12345678');
    const texts = async (person: Person, type: number, count: number): Promise<string[]> =>
      (
        await readUntil(
          () => world.own(person, `type=${type}`),
          ({ total }) => total >= count,
        )
      ).items.map(({ content }) => content);
    expect(new Set(await texts(gifted, 4, 2))).toEqual(
      new Set(['新用户注册赠送 ＄1.000000 额度', '使用邀请码赠送 ＄0.002000 额度']),
    );
    expect(await texts(world.first, 4, 1)).toContain('邀请用户赠送 ＄0.004000 额度');
    await world.testBed.root.data('PUT', '/api/user/', { id: gifted.id, quota: 0 });
    expect(await texts(gifted, 3, 1)).toEqual(['管理员将用户额度从 ＄1.002000 额度修改为 ＄0.000000 额度']);
  });

  it('counts the requests and tokens of the last minute, whatever the time filter', async () => {
    const key = await world.testBed.token(await world.testBed.user('recent', 1_000_000));
    for (const model of ['gpt-4o', 'gpt-4o-mini']) await (await world.chat(key, model)).text();
    const { items } = await readUntil(
      () => world.all('type=2&username=recent'),
      ({ total }) => total === 2,
    );
    const tokens = items.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0);
    expect(tokens).toBeGreaterThan(20);
    expect(await world.stat('username=recent&end_timestamp=5')).toEqual({ quota: 0, rpm: 2, tpm: tokens });
  });

  it('DELETE /api/log/ deletes only rows older than a time', async () => {
    for (const query of [
      '',
      '?target_timestamp=',
      '?target_timestamp=abc',
      '?target_timestamp=0',
      '?target_timestamp=-5',
    ]) {
      expectErrorReply(await world.admin.call('DELETE', `/api/log/${query}`), 'target timestamp is required');
    }
    const { total } = await world.all();
    for (const ahead of [now() * 1000, now() + 2 * 86_400])
      expectErrorReply(
        await world.admin.call('DELETE', `/api/log/?target_timestamp=${ahead}`),
        '目标时间不能晚于一天之后，请以秒为单位',
      );
    expect((await world.all()).total).toBe(total);
    const none = await world.admin.call('DELETE', '/api/log?target_timestamp=5');
    expectSuccess(none);
    expect([none.body.data, (await world.all()).total]).toEqual([0, total]);
    const reply = await world.admin.call('DELETE', `/api/log/?target_timestamp=${now() + 60}`);
    expectSuccess(reply);
    expect(reply.body.data).toBe(total);
    expect((await world.all('type=2')).total).toBe(0);
  });
});
