import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OutboundClient } from '@tollgate/chassis';
import type { Demonstration } from '@tollgate/contracts/api/channel';
import type { ChannelHealth, Why } from '@tollgate/contracts/api/channel-health';
import { hasPostgres } from '@tollgate/testing';
import { ChannelTestRun } from '../src/channel-test/channel-test-run.js';
import { dataOf, KEY, loggedHours } from './channel-test-bed.js';
import { UpstreamWorld } from './upstream-world.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('health and explanation of channels', () => {
  const world = new UpstreamWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());
  beforeEach(() => world.clear());

  const healthOf = async (id: number, query: Record<string, string | number> = {}): Promise<ChannelHealth> =>
    dataOf((await world.testBed.call<ChannelHealth>('GET', `/api/channel/${id}/health`, undefined, query)).body);
  const why = async (query: Record<string, string | number>): Promise<Why> =>
    dataOf((await world.testBed.call<Why>('GET', '/api/channel/why', undefined, query)).body);

  describe('the health of a channel', () => {
    it('lists changes with evidence, tests and request results, newest first', async () => {
      const id = await world.createAt('status=401,code=invalid_api_key,type=authentication_error');
      await world.createAt('');
      await world.testBed.call('PUT', '/api/channel', { id, status: 2 });
      await world.testBed.call('PUT', '/api/channel', { id, status: 1 });
      await world.testBed.setOptions({ AutomaticDisableChannelEnabled: 'true' });
      await world.testBed.call('GET', '/api/channel/test');
      await world.testBed.get(ChannelTestRun).settled();
      const now = Math.floor(Date.now() / 1000);
      const hour = now - (now % 3600);
      loggedHours.push({ channelId: id, hour, requests: 4, failures: 3, firstTokenP95Ms: 900, durationMs: 1200 });

      const health = await healthOf(id);
      expect(health).toMatchObject({ id, status: 3, suspicion: null, to: expect.any(Number) });
      expect(health.status_reason).not.toBe('');
      expect(health.steps).toMatchObject([
        {
          from_status: 1,
          to_status: 3,
          cause: 'test',
          outcome: 'moved',
          actor_id: 0,
          actor: '',
          evidence: { status: 401, error_code: 'invalid_api_key', model: 'gpt-4o-mini' },
        },
        { from_status: 2, to_status: 1, cause: 'manual', actor_id: 7, actor: 'ann' },
        { from_status: 1, to_status: 2, cause: 'manual', actor: 'ann' },
      ]);
      expect(health.tests).toMatchObject([
        { success: false, model: 'gpt-4o-mini', message: expect.stringMatching(/./) },
      ]);
      expect(health.hours).toEqual([{ hour, requests: 4, failures: 3, first_token_p95: 900, duration: 1200 }]);
      expect(health.to - health.from).toBeGreaterThanOrEqual(23 * 3600);
      expect(JSON.stringify(health)).not.toContain(KEY);
    });

    it('keeps the newest tests of each channel only, and none of a deleted channel', async () => {
      const id = await world.createAt('');
      await world.testBed.query(
        `insert into "channel_test" ("channel_id", "model", "success", "response_time_ms", "message", "tested_at")
         select ?, 'old', false, 1, '', now() from generate_series(1, 130) returning 1`,
        [id],
      );
      await world.testBed.call('GET', `/api/channel/test/${id}`);
      const kept = (): Promise<object[]> =>
        world.testBed.query('select 1 from "channel_test" where "channel_id" = ?', [id]);
      expect(await kept()).toHaveLength(100);
      const { tests } = await healthOf(id, { hours: 5000 });
      expect(tests).toHaveLength(50);
      expect(tests[0]).toMatchObject({ model: 'gpt-4o-mini', success: true });
      await world.testBed.call('DELETE', `/api/channel/${id}`);
      expect(await kept()).toEqual([]);
      expect((await world.testBed.call('GET', `/api/channel/${id}/health`)).body).toMatchObject({
        success: false,
        message: '渠道不存在',
      });
    });

    it('shows the suspicion while no probe has decided it', async () => {
      const id = await world.createAt('');
      await world.testBed.query(
        `insert into "channel_suspicion" ("channel_id", "observed_at", "reason", "evidence", "witnesses", "probe_at")
         values (?, now(), 'bad key', '{"status":401,"requestId":"r"}', '[]', now() + interval '4 minutes') returning 1`,
        [id],
      );
      expect((await healthOf(id)).suspicion).toMatchObject({
        reason: 'bad key',
        evidence: { status: 401, request_id: 'r' },
      });
    });
  });

  describe('the channel for demonstrations', () => {
    const demonstration = (method: 'GET' | 'POST') =>
      world.testBed.call<Demonstration>(method, '/api/channel/demonstration');

    it('is created once, answers a test itself and lists its models', async () => {
      expect(dataOf((await demonstration('GET')).body)).toEqual({ available: true, channel_id: 0 });
      const made = await Promise.all([demonstration('POST'), demonstration('POST'), demonstration('POST')]);
      const ids = new Set(made.map(({ body }) => dataOf(body).channel_id));
      expect(ids.size).toBe(1);
      const [id = 0] = ids;
      expect(dataOf((await demonstration('GET')).body)).toEqual({ available: true, channel_id: id });
      expect((await world.testBed.call('GET', `/api/channel/test/${id}`)).body).toMatchObject({ success: true });
      expect((await world.testBed.call('GET', `/api/channel/fetch_models/${id}`)).body.data).toContain('gpt-4o-mini');
    });

    it('gets no requests when a real channel serves the model, and is deleted completely', async () => {
      const { channel_id: id } = dataOf((await demonstration('POST')).body);
      const real = await world.testBed.createOne({ name: 'real', priority: -5 });
      const told = await why({ group: 'default', model: 'gpt-4o-mini' });
      expect(told.channels.map((row) => [row.id, row.place])).toEqual([
        [real, 'first'],
        [id, 'never'],
      ]);
      expect(await world.testBed.find(id)).toMatchObject({ tag: 'demo', name: expect.stringContaining('演示') });
      await world.testBed.call('DELETE', `/api/channel/${id}`);
      expect(dataOf((await demonstration('GET')).body)).toMatchObject({ channel_id: 0 });
      expect(await world.testBed.query('select 1 from "ability" where "channel_id" = ?', [id])).toEqual([]);
      expect((await why({ group: 'default', model: 'text-embedding-3-small' })).channels).toEqual([]);
    });

    it('is refused where it is off', async () => {
      const client = world.testBed.get(OutboundClient);
      const isOn = jest.spyOn(client, 'hasDemonstration', 'get').mockReturnValue(false);
      expect(dataOf((await demonstration('GET')).body)).toMatchObject({ available: false });
      expect((await demonstration('POST')).body).toMatchObject({ success: false, code: 'demonstration-off' });
      isOn.mockRestore();
    });
  });

  describe('why a channel gets no request', () => {
    it('explains every channel related to the model, and the channel in the request', async () => {
      const first = await world.testBed.createOne({ name: 'first', priority: 1 });
      const second = await world.testBed.createOne({ name: 'second' });
      const off = await world.testBed.createOne({ name: 'off', priority: 9 });
      await world.testBed.call('PUT', '/api/channel', { id: off, status: 2 });
      const vip = await world.testBed.createOne({ name: 'vip', group: 'vip' });
      const other = await world.testBed.createOne({ name: 'other', models: 'gpt-4o' });
      const told = await why({ group: 'default', model: 'gpt-4o-mini', channel_id: other });
      expect(told).toMatchObject({ tries: 1, obstacles: [], total: 5 });
      expect(told.channels.map(({ id, place, reasons }) => [id, place, reasons.map(({ code }) => code)])).toEqual([
        [first, 'first', []],
        [second, 'never', ['lower_priority', 'beyond_retries']],
        [off, 'out', ['disabled']],
        [vip, 'out', ['group']],
        [other, 'out', ['model']],
      ]);
      await world.testBed.setOptions({ RetryTimes: '3' });
      expect((await why({ group: 'default', model: 'gpt-4o-mini' })).channels[1]).toMatchObject({ place: 'retry' });
      expect(JSON.stringify(told)).not.toContain(KEY);
    });

    it('names what excludes all channels', async () => {
      await world.testBed.createOne({ models: 'nobody-priced-this', group: 'default' });
      expect(await why({ group: 'nowhere', model: 'nobody-priced-this' })).toMatchObject({
        obstacles: ['unknown_group', 'unpriced_model', 'no_channel'],
        channels: [{ place: 'out', reasons: [{ code: 'group' }] }],
      });
      await world.testBed.setOptions({ SelfUseModeEnabled: 'true' });
      expect((await why({ group: 'default', model: 'nobody-priced-this' })).obstacles).toEqual([]);
    });

    it('reports an endpoint that the type lacks, and refuses invalid queries', async () => {
      const id = await world.testBed.createOne({ type: 14 });
      expect((await why({ group: 'default', model: 'gpt-4o-mini', endpoint: 'embeddings' })).channels).toMatchObject([
        { id, place: 'out', reasons: [{ code: 'endpoint' }] },
      ]);
      for (const query of [{ group: '', model: 'a' }, { group: 'default' }, { group: 'a', model: 'b', endpoint: 'x' }])
        expect((await world.testBed.call('GET', '/api/channel/why', undefined, query as never)).body.success).toBe(
          false,
        );
      const unknown = { group: 'default', model: 'gpt-4o-mini', channel_id: 999_999 };
      expect((await world.testBed.call('GET', '/api/channel/why', undefined, unknown)).body).toMatchObject({
        success: false,
        message: '渠道不存在',
      });
    });
  });
});
