import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  channelChanged,
  channelTested,
  digestRequests,
  type EventOf,
  tokenChanged,
  userChanged,
  userErased,
} from '@tollgate/contracts';
import type { QuotaData } from '@tollgate/contracts/api/log';
import { broadcastChannel, KeyValue, leastIdAt } from '@tollgate/chassis';
import { bindPeriod } from '@tollgate/database';
import { eventually, hasPostgres } from '@tollgate/testing';
import { logging } from '../src/index.js';
import { type LogDesk, openLogDesk } from './log-desk.js';
import { consumed, type LogPage, otherOf } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('the usage log', () => {
  let testBed: LogDesk['testBed'];
  let list: LogDesk['list'];
  let own: LogDesk['own'];
  let nameOf: LogDesk['nameOf'];

  beforeAll(async () => {
    ({ testBed, list, own, nameOf } = await openLogDesk());
  }, 60_000);
  afterAll(() => testBed.close());

  it('writes one row and counts once for a batch that is delivered twice', async () => {
    const userId = testBed.newUser();
    const batch = [consumed({ userId }), consumed({ userId, quota: 5 })];
    await testBed.publishBatch(batch);
    await testBed.publishBatch([...batch, ...batch]);

    const page = await list({ username: nameOf(userId) });
    expect(page.total).toBe(2);
    const data = (await own(userId, '/api/data/self')) as QuotaData[];
    expect(data).toEqual([
      expect.objectContaining({
        user_id: userId,
        username: nameOf(userId),
        model_name: 'gpt-4o',
        count: 2,
        quota: 230,
        token_used: 240,
      }),
    ]);
  });

  it('treats a recovered request with another end as the same one', async () => {
    const userId = testBed.newUser();
    const event = consumed({ userId });
    await testBed.publish(event);
    await testBed.publish(consumed({ userId, outcome: 'interrupted', durationMs: 100, quota: 1 }, event.id));

    const page = await list({ username: nameOf(userId) });
    expect(page.items.map(({ quota }) => quota)).toEqual([225]);
  });

  it('stores the documented columns, and names as they are at that time', async () => {
    const userId = testBed.newUser();
    const event = consumed({ userId, upstreamModel: 'gpt-4o-2024', reasoningEffort: 'low', durationMs: 2_900 });
    await testBed.publish(event);

    const [log] = (await list({ username: nameOf(userId) })).items;
    expect(log).toMatchObject({
      user_id: userId,
      type: 2,
      created_at: Math.floor((Date.parse(event.data.startedAt) + 2_900) / 1000),
      content: '模型倍率 1.25，补全倍率 4.00，分组倍率 1.00',
      username: nameOf(userId),
      token_name: 'my key',
      model_name: 'gpt-4o',
      quota: 225,
      prompt_tokens: 100,
      completion_tokens: 20,
      use_time: 2,
      is_stream: true,
      channel: 3,
      channel_name: 'main',
      token_id: 9,
      group: 'default',
    });
    expect(otherOf(log)).toEqual({
      model_ratio: 1.25,
      group_ratio: 1,
      user_group_ratio: -1,
      completion_ratio: 4,
      cache_tokens: 0,
      cache_ratio: 0.5,
      model_price: -1,
      frt: 300,
      is_model_mapped: true,
      upstream_model_name: 'gpt-4o-2024',
      reasoning_effort: 'low',
      request_id: event.id,
      price_version: 'v1',
      usage_source: 'upstream',
      outcome: 'completed',
      admin_info: { use_channel: ['3'] },
    });
  });

  it('fetches the names of a batch once', async () => {
    const before = { ...testBed.neighbours.asked };
    const userId = testBed.newUser();
    testBed.neighbours.names.tokens.set(77, 'seventy-seven');
    testBed.neighbours.names.channels.set(78, 'seventy-eight');
    await testBed.publishBatch(Array.from({ length: 50 }, () => consumed({ userId, tokenId: 77, channelId: 78 })));
    expect(testBed.neighbours.asked).toEqual({
      users: before.users + 1,
      tokens: before.tokens + 1,
      channels: before.channels + 1,
      prices: before.prices,
    });
  });

  it('writes a new name from the announcement of its change on', async () => {
    const { names } = testBed.neighbours;
    const userId = testBed.newUser();
    const call = () => testBed.publish(consumed({ userId, tokenId: 80, channelId: 81 }));
    const rename = (text: string) => {
      names.users.set(userId, `${text} user`);
      names.tokens.set(80, `${text} token`);
      names.channels.set(81, `${text} channel`);
    };
    rename('old');
    await call();
    rename('new');
    const changes = [[userChanged, userId] as const, [tokenChanged, userId] as const, [channelChanged, 81] as const];
    for (const [{ name }, id] of changes) await testBed.get(KeyValue).publish(broadcastChannel(name), String(id));
    await call();
    expect((await list({ username: 'new user' })).items).toEqual([
      expect.objectContaining({ token_name: 'new token', channel_name: 'new channel' }),
    ]);
  });

  it('logs playground requests under a token name with their group', async () => {
    const userId = testBed.newUser();
    await testBed.publish(consumed({ userId, tokenId: 0, group: 'vip' }));
    expect((await list({ username: nameOf(userId) })).items[0]).toMatchObject({
      token_name: 'playground-vip',
      token_id: 0,
    });
  });

  it('delays rows while the service of the names is down', async () => {
    const userId = testBed.newUser();
    testBed.neighbours.down = true;
    const { asked } = testBed.neighbours;
    const before = asked.users;
    const published = testBed.publish(consumed({ userId }));
    await eventually('names are asked for again', () => asked.users >= before + 2);
    expect((await list({ username: nameOf(userId) })).total).toBe(0);
    testBed.neighbours.down = false;
    await published;
    expect((await list({ username: nameOf(userId) })).total).toBe(1);
  });

  describe('failed requests', () => {
    it('are rows of type 5 that never count as quota', async () => {
      const userId = testBed.newUser();
      const error = { status: 429, code: 'rate_limit_exceeded', type: 'rate_limit', message: '上游限流' };
      const attempts = [
        { channelId: 3, channelType: 1, class: 'rate-limited', status: 429, durationMs: 20, message: 'slow down' },
        { channelId: 4, channelType: 1, class: 'network', status: 0, durationMs: 30 },
      ] as const;
      await testBed.publish(
        consumed({
          userId,
          outcome: 'failed',
          quota: 999,
          error,
          attempts: [...attempts],
          channelId: 4,
          firstTokenMs: undefined,
        }),
      );

      const [log] = (await list({ username: nameOf(userId), type: 5 })).items;
      expect(log).toMatchObject({ type: 5, quota: 0, content: '上游限流', channel: 4, channel_name: 'spare' });
      expect(otherOf(log)).toMatchObject({
        error_type: 'rate_limit',
        error_code: 'rate_limit_exceeded',
        status_code: 429,
        frt: -1000,
        outcome: 'failed',
        admin_info: {
          use_channel: ['3', '4'],
          attempts: [{ channel_id: 3, class: 'rate-limited', message: 'slow down' }, { channel_id: 4 }],
        },
      });
      expect(await own(userId, '/api/log/self/stat')).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect(await own(userId, '/api/data/self')).toEqual([]);
    });

    it('contain nothing about channels for their user', async () => {
      const userId = testBed.newUser();
      const attempts = [{ channelId: 3, channelType: 1, class: 'upstream' as const, status: 500, durationMs: 20 }];
      await testBed.publish(
        consumed({ userId, outcome: 'failed', quota: 0, attempts, error: { status: 500, code: 'x', message: 'm' } }),
      );
      const { items } = (await own(userId)) as LogPage;
      expect(items[0]).toMatchObject({ channel: 0, channel_name: '', type: 5 });
      expect(Object.keys(otherOf(items[0]))).not.toContain('admin_info');
      expect(otherOf(items[0])).toMatchObject({ status_code: 500 });
    });
  });

  describe('access to the log', () => {
    it('is complete for administrators, and for users limited to own rows without channels', async () => {
      const [userId, other] = [testBed.newUser(), testBed.newUser()];
      await testBed.publish(consumed({ userId }), consumed({ userId: other }));
      const { items, total } = (await own(userId, '/api/log/self/', {
        username: nameOf(other),
        channel: 999,
      })) as LogPage;
      expect(total).toBe(1);
      expect(items[0]).toMatchObject({ user_id: userId, channel: 0, channel_name: '' });
      expect(items[0]?.other).not.toContain('admin_info');
      expect(otherOf(items[0])).toMatchObject({ model_ratio: 1.25 });
    });

    it.each(['/api/log/', '/api/log/stat', '/api/log/search', '/api/data/'])(
      'is refused to users for %s',
      async (path) => {
        const reply = await testBed.request('GET', path, { as: { id: 5 } });
        expect(reply.body).toMatchObject({ success: false, kind: 'forbidden' });
      },
    );
  });

  describe('switches', () => {
    afterAll(() => testBed.setOptions({}));

    it('stop consumption rows and hours with LogConsumeEnabled off, but not failures', async () => {
      const userId = testBed.newUser();
      testBed.setOptions({ LogConsumeEnabled: 'false' });
      await testBed.publish(consumed({ userId }), consumed({ userId, outcome: 'failed', quota: 0 }));
      testBed.setOptions({});
      const { items } = (await own(userId)) as LogPage;
      expect(items.map(({ type }) => type)).toEqual([5]);
      expect(await own(userId, '/api/data/self')).toEqual([]);
    });

    it('stop hours but not rows with DataExportEnabled off', async () => {
      const userId = testBed.newUser();
      testBed.setOptions({ DataExportEnabled: 'false' });
      await testBed.publish(consumed({ userId }));
      testBed.setOptions({});
      expect(((await own(userId)) as LogPage).total).toBe(1);
      expect(await own(userId, '/api/data/self')).toEqual([]);
    });
  });

  it('stores texts with characters that PostgreSQL refuses', async () => {
    const userId = testBed.newUser();
    await testBed.publishBatch([
      consumed({ userId, model: 'nul\0model' }),
      consumed({ userId, model: 'nulmodel' }),
      consumed({ userId, outcome: 'failed', error: { status: 500, code: 'c', message: `half \ud83d and \0 ? \\ '` } }),
    ]);
    const { items } = (await own(userId)) as LogPage;
    expect(items.map(({ type }) => type).sort()).toEqual([2, 2, 5]);
    expect(items.find(({ type }) => type === 5)?.content).toBe(`half \ufffd and \ufffd ? \\ '`);
    const hours = (await own(userId, '/api/data/self')) as { model_name: string; count: number }[];
    expect(hours.map(({ model_name, count }) => [model_name, count]).sort()).toEqual([
      ['nulmodel', 1],
      ['nul\ufffdmodel', 1],
    ]);
  });

  describe('tests of channels', () => {
    const TESTER = 1;
    const answer = {
      upstreamModel: 'gpt-4o-2024',
      usage: { semantics: 'openai', inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 },
    } as const;
    const tested = (change: Partial<EventOf<typeof channelTested>['data']> = {}) =>
      testBed.newEvent(channelTested, {
        ...{ channelId: 3, model: 'gpt-4o', success: true, responseTimeMs: 2_700, message: '', answer },
        ...change,
      });
    const rows = async (): Promise<LogPage['items']> => (await list({ token_name: '模型测试' })).items;
    const quotaOf = async (query: Record<string, string> = {}): Promise<unknown> =>
      (await testBed.request('GET', '/api/log/self/stat', { as: { id: TESTER }, query })).body;
    const faults = async (): Promise<unknown[]> => {
      const found: unknown[] = [];
      for (const { query } of logging.database?.checks ?? [])
        found.push(...(await testBed.em().execute<object[]>(bindPeriod(query, { from: 0, to: Date.now() + 60_000 }))));
      return found.filter((row) => JSON.stringify(row).match(/of user 1,|of channel 3[ "]/));
    };
    const requests = () =>
      testBed.internal(digestRequests, { fromId: leastIdAt(0), toId: leastIdAt(Date.now() + 60_000) });

    it('are rows of the first user, which comparisons with the journal leave out', async () => {
      testBed.neighbours.names.users.set(TESTER, 'user1');
      const before = { requests: await requests(), faults: await faults(), stat: await quotaOf() };
      const event = tested();
      await testBed.publishBatch([
        event,
        event,
        tested({ success: false, answer: undefined }),
        tested({ answer: undefined }),
      ]);
      await testBed.publish(event);
      const found = await rows();
      expect(found).toEqual([
        expect.objectContaining({
          ...{ type: 2, user_id: TESTER, username: 'user1', token_id: 0, token_name: '模型测试', content: '模型测试' },
          ...{ model_name: 'gpt-4o', quota: 61, prompt_tokens: 9, completion_tokens: 10, use_time: 2 }, // (9 + 10 × 4) × 1.25
          ...{ is_stream: false, channel: 3, channel_name: 'main', group: 'default' },
        }),
      ]);
      expect(otherOf(found[0])).toEqual({
        ...{ model_ratio: 1.25, completion_ratio: 4, model_price: -1, group_ratio: 1, user_group_ratio: -1 },
        ...{ cache_ratio: 1, cache_tokens: 0, frt: -1000, price_version: 'v1', channel_test: true },
        ...{ is_model_mapped: true, upstream_model_name: 'gpt-4o-2024' },
      });
      expect(await quotaOf({ token_name: '模型测试' })).toMatchObject({ data: { quota: 61, rpm: 1, tpm: 19 } });
      expect((await quotaOf()) as object).toMatchObject({
        data: { quota: (before.stat as { data: { quota: number } }).data.quota + 61 },
      });
      expect({ requests: await requests(), faults: await faults() }).toEqual({
        requests: before.requests,
        faults: before.faults,
      });
    });

    it('are logged without usage, without a price, and with implausible usage', async () => {
      const { usage } = answer;
      for (const [change, quota, prompt] of [
        [{ answer: { upstreamModel: 'gpt-4o' } }, 0, 0],
        [{ model: 'unheard-of' }, 0, 9],
        [{ answer: { ...answer, usage: { ...usage, inputTokens: 0, outputTokens: 0 } } }, 1, 0],
        [{ answer: { ...answer, usage: { ...usage, inputTokens: Number.MAX_SAFE_INTEGER } } }, 0, 0],
      ] as const) {
        await testBed.publish(tested(change));
        expect((await rows())[0]).toMatchObject({ quota, prompt_tokens: prompt });
      }
      const { length } = await rows();
      testBed.setOptions({ LogConsumeEnabled: 'false' });
      await testBed.publish(tested());
      testBed.setOptions({});
      expect(await rows()).toHaveLength(length);
    });

    it('are cleared with their sums, and carry the pseudonym of an erased user', async () => {
      await testBed.request('DELETE', '/api/log/', {
        as: { id: 1_000_000, role: 10 },
        query: { target_timestamp: Math.floor(Date.now() / 1000) + 60 },
      });
      expect(await rows()).toEqual([]);
      expect(await quotaOf()).toMatchObject({ data: { quota: 0 } });
      await testBed.publish(testBed.newEvent(userErased, { userId: TESTER, pseudonym: 'erased-1' }));
      await testBed.publish(tested());
      expect(await rows()).toMatchObject([{ username: 'erased-1', content: '模型测试', quota: 61 }]);
      expect(await quotaOf()).toMatchObject({ data: { quota: 61 } });
    });
  });
});
