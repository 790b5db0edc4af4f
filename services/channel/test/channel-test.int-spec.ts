import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyValue } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import type { Type } from '@nestjs/common';
import { ChannelTestRun } from '../src/channel-test/channel-test-run.js';
import { ChannelSchedule } from '../src/schedule/channel-schedule.js';
import { KEY } from './channel-test-bed.js';
import { UpstreamWorld } from './upstream-world.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('channel tests against an upstream', () => {
  const world = new UpstreamWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());

  const test = async (id: number, model?: string) =>
    (await world.testBed.call('GET', `/api/channel/test/${id}`, undefined, model ? { model } : {})).body as unknown as {
      success: boolean;
      message: string;
      time: number;
    };

  describe('of one channel', () => {
    beforeEach(() => world.upstream.reset());

    it('sends one small request, and stores and returns its time', async () => {
      const id = await world.createAt('latency=30', { models: 'alias', model_mapping: '{"alias":"gpt-4o-mini"}' });
      const reply = await test(id);
      expect(reply).toEqual({ success: true, message: '', time: expect.any(Number) });
      expect(reply.time).toBeGreaterThanOrEqual(0.03);
      expect(reply.time).toBeLessThan(5);
      const channel = await world.testBed.find(id);
      expect(channel.response_time).toBe(Math.round(reply.time * 1000));
      expect(channel.test_time).toBeGreaterThan(Date.now() / 1000 - 60);
      expect(channel.test_ok).toBe(true);
      expect(await world.testBed.eventsOf('channel-tested', id)).toEqual([
        {
          ...{ channelId: id, model: 'alias', success: true, responseTimeMs: channel.response_time, message: '' },
          answer: {
            upstreamModel: 'gpt-4o-mini',
            usage: expect.objectContaining({ outputTokens: expect.any(Number) }),
          },
        },
      ]);
      expect(world.upstream.journal()).toMatchObject([{ body: { model: 'gpt-4o-mini', max_tokens: 10 } }]);
    });

    it.each([
      ['a refused key', 'status=401,code=invalid_api_key,type=authentication_error'],
      ['an error of the upstream', 'status=500'],
      ['an error under status 200', 'error200'],
      ['a reply that breaks off', 'cut=0'],
    ])('reports %s without the key, and stores the time', async (_, behaviour) => {
      const id = await world.createAt(behaviour);
      const reply = await test(id);
      expect(reply.success).toBe(false);
      expect(reply.message).not.toBe('');
      expect(reply.message).not.toContain(KEY);
      expect(await world.testBed.find(id)).toMatchObject({ test_time: expect.any(Number), test_ok: false });
      expect((await world.testBed.find(id)).test_time).toBeGreaterThan(0);
      // A test of a single channel does not change its status.
      expect((await world.testBed.find(id)).status).toBe(1);
      expect((await world.testBed.eventsOf('channel-tested', id))[0]).not.toHaveProperty('answer');
    });

    it.each([
      [500, 'bad response status code 500'],
      [200, 'the upstream answered with an unreadable body'],
    ])('shows what stands in a page under status %i, without the key', async (status, words) => {
      const proxy = createServer((_, response) => response.writeHead(status).end(`<h1>Sign in</h1>\n<p>${KEY}</p>`));
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      try {
        const { port } = proxy.address() as AddressInfo;
        const id = await world.testBed.createOne({ base_url: `http://127.0.0.1:${port}` });
        const { success, message } = await test(id);
        expect([success, message]).toEqual([false, `${words}: <h1>Sign in</h1> <p>***</p>`]);
      } finally {
        proxy.close();
        proxy.closeAllConnections();
      }
    });

    it('succeeds when the reply has no usage, because the relay then counts tokens itself', async () => {
      const id = await world.createAt('usage=absent');
      expect(await test(id)).toMatchObject({ success: true });
      expect(await world.testBed.eventsOf('channel-tested', id)).toMatchObject([{ answer: {} }]);
      expect((await world.testBed.eventsOf<{ answer: object }>('channel-tested', id))[0]?.answer).not.toHaveProperty(
        'usage',
      );
    });

    it('reports an upstream that cannot be reached', async () => {
      const id = await world.testBed.createOne({ base_url: 'http://127.0.0.1:9' });
      expect(await test(id)).toMatchObject({ success: false, message: expect.stringContaining('无法连接') });
    });

    it('tests several in one call, each with its own outcome', async () => {
      const good = await world.createAt('');
      const refused = await world.createAt('status=500');
      const { body } = await world.testBed.call('POST', '/api/channel/batch/test', { ids: [refused, 987_654, good] });
      expect(body).toMatchObject({
        success: true,
        data: [
          { id: refused, success: false, message: expect.stringMatching(/./) },
          { id: 987_654, success: false, message: expect.stringMatching(/./) },
          { id: good, success: true, message: '', time: expect.any(Number) },
        ],
      });
      expect((await world.testBed.find(good)).test_time).toBeGreaterThan(0);
      const many = Array.from({ length: 21 }, (_, index) => index + 1);
      expect((await world.testBed.call('POST', '/api/channel/batch/test', { ids: many })).body.success).toBe(false);
    });

    it('says which key cannot be decrypted, and tests the others', async () => {
      const [broken, good] = [await world.createAt(''), await world.createAt('')];
      await world.testBed.query(`update "channel" set "sealed_key" = 'v1.a.b.c' where "id" = ? returning 1`, [broken]);
      const unreadable = { success: false, message: expect.stringContaining('请重新填写密钥') };
      expect(await test(broken)).toMatchObject(unreadable);
      const [row] = await world.testBed.query(
        'select "tested_at" is not null "is_kept", "test_ok" from "channel" where "id" = ?',
        [broken],
      );
      expect(row).toEqual({ is_kept: true, test_ok: false });
      const { body } = await world.testBed.call('POST', '/api/channel/batch/test', { ids: [broken, good] });
      expect(body).toMatchObject({
        success: true,
        data: [
          { id: broken, ...unreadable },
          { id: good, success: true },
        ],
      });
      const { body: models } = await world.testBed.call('GET', `/api/channel/fetch_models/${broken}`);
      expect(models).toMatchObject(unreadable);
    });

    it('tests an embeddings model by an embedding, also when it is the default model', async () => {
      const id = await world.createAt('', { models: 'text-embedding-3-small,gpt-4o-mini' });
      expect(await test(id)).toMatchObject({ success: true });
      expect(await test(id, 'gpt-4o-mini')).toMatchObject({ success: true });
      expect(world.upstream.journal().map(({ path }) => path)).toEqual(['/v1/embeddings', '/v1/chat/completions']);
    });

    it('uses the dialect of the channel', async () => {
      const id = await world.createAt('', { type: 14, models: 'claude-3-7-sonnet-20250219' });
      expect(await test(id)).toMatchObject({ success: true });
      expect(world.upstream.journal()).toMatchObject([{ path: '/v1/messages' }]);
    });

    it('refuses an unknown channel, and a circular model mapping', async () => {
      expect(await test(999_999)).toMatchObject({ success: false, message: '渠道不存在' });
      const id = await world.createAt('', { models: 'a', model_mapping: '{"a":"b","b":"a"}' });
      expect(await test(id)).toMatchObject({ success: false, message: 'model_mapping_contains_cycle', time: 0 });
      // The time of a test that cannot be sent is stored, too.
      const channel = await world.testBed.find(id);
      expect(channel).toMatchObject({ response_time: 0, test_ok: false });
      expect(channel.test_time).toBeGreaterThan(0);
    });
  });

  describe('of all channels', () => {
    const run = (): ChannelTestRun => world.testBed.get(ChannelTestRun);
    const keyValue = (): KeyValue => world.testBed.get<KeyValue>(KeyValue as unknown as Type<KeyValue>);
    const monitor = {
      AutomaticDisableChannelEnabled: 'true',
      AutomaticEnableChannelEnabled: 'true',
      ChannelDisableThreshold: '5',
    } as const;
    const testAll = async (): Promise<void> => {
      expect((await world.testBed.call('GET', '/api/channel/test')).body).toEqual({ success: true, message: '' });
      await run().settled();
    };
    beforeEach(async () => {
      await world.testBed.query('delete from "channel" returning 1');
      await world.testBed.setOptions(monitor);
      world.upstream.reset();
    });

    it('disables only channels that are refused or too slow', async () => {
      const good = await world.createAt('');
      const refused = await world.createAt('status=401,code=invalid_api_key,type=authentication_error');
      const failing = await world.createAt('status=500');
      const slow = await world.createAt('latency=6000');
      const spared = await world.createAt('status=401', { auto_ban: 0 });
      // A drawing proxy cannot be tested, so it does not count as failed.
      await world.createAt('', { type: 2, models: 'mj_imagine' });
      await testAll();
      expect((await world.testBed.events('channel-tests-finished')).at(-1)).toEqual({ tested: 5, failed: 3 });
      const statuses = await Promise.all(
        [good, refused, failing, slow, spared].map(async (id) => (await world.testBed.find(id)).status),
      );
      expect(statuses).toEqual([1, 3, 1, 3, 1]);
      expect((await world.testBed.find(slow)).other_info).toMatch(/响应时间 \d+\.\d\ds 超过阈值 5\.00s/);
      expect(
        await world.testBed.query('select "cause", "to_status" from "channel_transition" where "channel_id" = ?', [
          refused,
        ]),
      ).toEqual([{ cause: 'test', to_status: 3 }]);
      expect(await world.testBed.eventsOf('channel-disabled', refused)).toMatchObject([
        { automatic: true, evidence: { status: 401 } },
      ]);
    });

    it('leaves most channels enabled when all are refused at once', async () => {
      const keys = Array.from({ length: 9 }, (_, index) => `k${index}`).join('\n');
      const ids = await world.testBed.create({ key: keys, base_url: world.at('status=401') });
      await testAll();
      const statuses = await Promise.all(ids.map(async (id) => (await world.testBed.find(id)).status));
      expect(statuses.filter((status) => status === 3)).toHaveLength(3); // a third of nine
      const held = await world.testBed.query(
        `select 1 from "channel_transition" where "outcome" = 'held' and "cause" = 'test'`,
      );
      expect(held).toHaveLength(6);
    });

    it('enables automatically disabled channels that work again, never those that a person disabled', async () => {
      const well = await world.createAt('');
      const ill = await world.createAt('status=500');
      const off = await world.createAt('');
      await world.testBed.query('update "channel" set "status" = 3 where "id" in (?, ?) returning 1', [well, ill]);
      await world.testBed.call('PUT', '/api/channel', { id: off, status: 2 });
      await testAll();
      expect((await world.testBed.find(well)).status).toBe(1);
      expect((await world.testBed.find(ill)).status).toBe(3);
      expect(await world.testBed.find(off)).toMatchObject({ status: 2, test_time: 0 });
      expect(await world.testBed.eventsOf('channel-enabled', well)).toMatchObject([{ automatic: true }]);
    });

    it('does not test automatically disabled channels when automatic enabling is off', async () => {
      await world.testBed.setOptions({ ...monitor, AutomaticEnableChannelEnabled: 'false' });
      const id = await world.createAt('');
      await world.testBed.query('update "channel" set "status" = 3 where "id" = ? returning 1', [id]);
      await testAll();
      expect(world.upstream.journal()).toEqual([]);
    });

    it('replies before the run ends, and refuses a second run meanwhile', async () => {
      const id = await world.createAt('latency=5000');
      let isOver = false;
      await world.testBed.call('GET', '/api/channel/test');
      const over = run()
        .settled()
        .then(() => (isOver = true));
      expect((await world.testBed.call('GET', '/api/channel/test')).body).toMatchObject({
        success: false,
        message: '测试已在运行中',
      });
      expect(isOver).toBe(false);
      await over;
      await world.testBed.query('update "channel" set "base_url" = ? where "id" = ? returning 1', [
        world.upstream.url,
        id,
      ]);
      await testAll();
    });

    it('is refused while another replica holds the lease', async () => {
      expect(await keyValue().setIfAbsent('channel:test-run', 'another replica', 30)).toBe(true);
      expect((await world.testBed.call('GET', '/api/channel/test')).body).toMatchObject({ message: '测试已在运行中' });
      await keyValue().delete('channel:test-run');
    });

    it('tests several channels at a time, up to a limit', async () => {
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`).join('\n');
      await world.testBed.create({ key: keys, base_url: world.at('latency=200') });
      await testAll();
      const spans = world.upstream
        .journal()
        .map(({ startedAt, durationMs }) => ({ from: Date.parse(startedAt), to: Date.parse(startedAt) + durationMs }));
      const open = spans.map(({ from }) => spans.filter((one) => one.from <= from && from < one.to).length);
      expect(spans).toHaveLength(20);
      expect(Math.max(...open)).toBeGreaterThan(1);
      expect(Math.max(...open)).toBeLessThanOrEqual(8);
    });
  });

  describe('by the schedule', () => {
    const schedule = (): ChannelSchedule => world.testBed.get(ChannelSchedule);
    const settle = (): Promise<void> => world.testBed.get(ChannelTestRun).settled();
    const becomeDue = (): Promise<unknown> =>
      world.testBed.query(`update "scheduled_run" set "next_at" = now() - interval '1 second' returning 1`);
    /** Minutes until the next run of the only plan. */
    const wait = async (): Promise<number> => {
      const [row] = await world.testBed.query<{ minutes: string }>(
        'select extract(epoch from "next_at" - now()) / 60 as "minutes" from "scheduled_run"',
      );
      return Number(row?.minutes);
    };
    beforeEach(async () => {
      await world.testBed.query('delete from "channel" returning 1');
      await world.testBed.query('delete from "scheduled_run" returning 1');
      await world.testBed.setOptions({ ChannelTestFrequency: '20', AutomaticEnableChannelEnabled: 'true' });
      world.upstream.reset();
    });

    it('runs once per period for simultaneous leaders, and enables working channels without a notice of its end', async () => {
      const id = await world.createAt('');
      await world.testBed.query('update "channel" set "status" = 3 where "id" = ? returning 1', [id]);
      expect(await schedule().runIfDue('test')).toBe(false);
      expect(await wait()).toBeGreaterThan(17.9);
      expect(await wait()).toBeLessThan(22.1);
      expect(await schedule().runIfDue('test')).toBe(false);
      await becomeDue();
      const looks = await Promise.all([
        schedule().runIfDue('test'),
        schedule().runIfDue('test'),
        schedule().runIfDue('test'),
      ]);
      await settle();
      expect(looks.filter(Boolean)).toHaveLength(1);
      expect(world.upstream.journal()).toHaveLength(1);
      expect(await world.testBed.find(id)).toMatchObject({ status: 1 });
      expect(await world.testBed.eventsOf('channel-enabled', id)).toMatchObject([{ automatic: true }]);
      expect((await world.testBed.events('channel-tests-finished')).at(-1)).toEqual({
        tested: 1,
        failed: 0,
        scheduled: true,
      });
      expect(await wait()).toBeGreaterThan(17.9);
    });

    it('begins a run again soon when its process dies, and plans the next one only at the end', async () => {
      await world.createAt('latency=5000');
      await schedule().runIfDue('test');
      await becomeDue();
      expect(await schedule().runIfDue('test')).toBe(true);
      expect(await wait()).toBeLessThan(5.1);
      expect(await wait()).toBeGreaterThan(4);
      await settle();
      expect(await wait()).toBeGreaterThan(17.9);
    });

    it('runs by a plan that a clock made that was ahead', async () => {
      await world.createAt('');
      await schedule().runIfDue('test');
      await world.testBed.query(`update "scheduled_run" set "next_at" = now() + interval '2 days' returning 1`);
      expect(await schedule().runIfDue('test')).toBe(true);
      await settle();
      expect(world.upstream.journal()).toHaveLength(1);
      expect(await wait()).toBeLessThan(22.1);
    });

    it('plans anew when the frequency changes, and stops when it is 0 or not set', async () => {
      await world.createAt('');
      await schedule().runIfDue('test');
      await world.testBed.setOptions({ ChannelTestFrequency: '2' });
      await schedule().runIfDue('test');
      expect(await wait()).toBeLessThan(2.3);
      await becomeDue();
      for (const off of ['0', '']) {
        await world.testBed.setOptions({ ChannelTestFrequency: off });
        expect(await schedule().runIfDue('test')).toBe(false);
      }
      expect(world.upstream.journal()).toEqual([]);
    });

    it('starts no second run while a run that a person started is under way', async () => {
      await world.createAt('latency=300');
      await schedule().runIfDue('test');
      await becomeDue();
      await world.testBed.call('GET', '/api/channel/test');
      expect(await schedule().runIfDue('test')).toBe(true);
      await settle();
      expect(world.upstream.journal()).toHaveLength(1);
      expect((await world.testBed.events('channel-tests-finished')).at(-1)).toEqual({ tested: 1, failed: 0 });
    });
  });

  describe('balances', () => {
    it('are refused for a channel type without a balance interface', async () => {
      const id = await world.createAt('', { type: 14, models: 'claude' });
      expect((await world.testBed.call('GET', `/api/channel/update_balance/${id}/`)).body).toMatchObject({
        success: false,
        message: '尚未实现',
      });
    });

    it('are answered with an error when the upstream lacks the interface, without changing the channel', async () => {
      const id = await world.createAt('');
      expect((await world.testBed.call('GET', `/api/channel/update_balance/${id}`)).body.success).toBe(false);
      expect((await world.testBed.call('GET', '/api/channel/update_balance')).body).toMatchObject({ success: true });
      expect(await world.testBed.find(id)).toMatchObject({ balance: 0, balance_updated_time: 0, status: 1 });
    });
  });
});
