import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { type Attempt, type EventBatch, getRouting, type requestConsumed } from '@tollgate/contracts';
import { InternalClient, Metrics } from '@tollgate/chassis';
import { type FakeUpstream, hasPostgres, startFakeUpstream } from '@tollgate/testing';
import type { ChannelKeyRow } from '@tollgate/contracts/api/channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ConsumptionService } from '../src/suspicion/consumption.service.js';
import { ChannelKeys } from '../src/channel/channel-keys.js';
import { Prober } from '../src/suspicion/prober.js';
import { ChannelStand, dataOf } from './channel-stand.js';
import { consumed } from './consumed-event.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

interface Row {
  outcome: string;
  cause: string;
  from_status: number;
  to_status: number;
  reason: string;
  evidence: Record<string, unknown> & { probe?: Record<string, unknown> };
  actor_id: number | null;
}

const MESSAGE = 'Incorrect-API-key';
const REFUSES = `status=401,code=invalid_api_key,type=authentication_error,message=${MESSAGE}`;

withPostgres('automatic disabling', () => {
  let stand: ChannelStand;
  let upstream: FakeUpstream;
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    stand = await ChannelStand.start();
  }, 60_000);
  afterAll(async () => {
    await stand.close();
    await upstream.close();
  });
  beforeEach(async () => {
    await stand.get(Prober).settled();
    await stand.query('delete from "channel" returning 1');
    await stand.setOptions({ AutomaticDisableChannelEnabled: 'true' });
    upstream.reset();
  });

  const at = (behaviour: string): string => (behaviour === '' ? upstream.url : `${upstream.url}/~${behaviour}`);
  const createAt = (behaviour: string, form: Parameters<ChannelStand['createOne']>[0] = {}): Promise<number> =>
    stand.createOne({ base_url: at(behaviour), ...form });
  const deliver = (batch: EventBatch<typeof requestConsumed>): Promise<void> =>
    stand.inSession(() => stand.get(ConsumptionService).count(batch));
  const refusalOf = (channelId: number): Attempt => ({
    channelId,
    channelType: 1,
    class: 'credential',
    status: 401,
    errorCode: 'invalid_api_key',
    errorType: 'authentication_error',
    message: 'as the user was told',
    durationMs: 5,
  });
  const refused = (channelIds: number | number[], atMs = Date.now(), userId = 1) =>
    consumed({ userId, channelId: 0, quota: 0, outcome: 'failed', attempts: [channelIds].flat().map(refusalOf) }, atMs);
  const transitionsOf = (id: number): Promise<Row[]> =>
    stand.query<Row>('select * from "channel_transition" where "channel_id" = ? order by "id"', [id]);
  const statusOf = async (id: number): Promise<number> => (await stand.find(id)).status;
  const suspicions = (): Promise<{ channel_id: number; cleared_at: Date | null; witnesses: unknown[] }[]> =>
    stand.query('select * from "channel_suspicion" order by "channel_id"');
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (let turn = 0; turn < 400; turn += 1) {
      if (await isSo()) return;
      await pause(25);
    }
    throw new Error('what was waited for did not come');
  };
  /** The rows of the timeline, as soon as there are as many. */
  const timeline = async (id: number, rows = 1): Promise<Row[]> => {
    await until(async () => (await transitionsOf(id)).length >= rows);
    return transitionsOf(id);
  };
  /** Lets what would come later be due now. A probe says when the next one is due only after its row of the timeline is there. */
  const hurry = async (): Promise<void> => {
    await stand.get(Prober).settled();
    await stand.query(`update "channel_suspicion" set "probe_at" = now() - interval '1 second' returning 1`);
    stand.get(Prober).wake();
  };

  describe('of one of several keys', () => {
    let server: Server;
    let url: string;
    /** Keys that the upstream knows. */
    const good = new Set<string>();
    beforeAll(async () => {
      server = createServer((request, response) => {
        const key = String(request.headers.authorization).replace('Bearer ', '');
        const status = good.has(key) ? 200 : 401;
        const message = { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] };
        const error = { error: { message: MESSAGE, code: 'invalid_api_key', type: 'authentication_error' } };
        request.resume().once('end', () => {
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify(status === 200 ? message : error));
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => void server.close());

    const keysOf = async (id: number): Promise<ChannelKeyRow[]> =>
      dataOf((await stand.call<ChannelKeyRow[]>('GET', `/api/channel/${id}/keys`)).body);
    const refusedWith = (channelId: number, keyId: string) =>
      consumed({
        userId: 1,
        channelId: 0,
        quota: 0,
        outcome: 'failed',
        attempts: [{ ...refusalOf(channelId), keyId }],
      });

    it('sets that key aside, and the channel goes off with the last one', async () => {
      good.clear();
      good.add('sk-good-upstream-2222');
      const key = 'sk-bad-upstream-1111\nsk-good-upstream-2222\nsk-bad-upstream-1111';
      const id = await stand.createOne({ base_url: url, key, multi_key_mode: 'polling', name: 'several' });
      const [bad, fine, ...more] = await keysOf(id);
      expect([bad?.hint, fine?.hint, more]).toEqual(['***1111', '***2222', []]);
      expect(await stand.find(id)).toMatchObject({ multi_key_mode: 'polling', multi_key_size: 2, multi_key_away: 0 });
      await deliver([refusedWith(id, bad?.id ?? '')]);
      expect(await timeline(id)).toMatchObject([{ outcome: 'key-away', reason: MESSAGE }]);
      expect(await keysOf(id)).toMatchObject([
        { status: 3, reason: MESSAGE },
        { status: 1, reason: '' },
      ]);
      expect([await statusOf(id), (await stand.find(id)).multi_key_away]).toEqual([1, 1]);
      const internal = stand.get<InternalClient>(InternalClient as unknown as Type<InternalClient>);
      const { channels } = await internal.call(getRouting, {});
      const routed = channels.find((channel) => channel.id === id);
      expect([routed?.key, routed?.keys?.map((one) => one.key)]).toEqual([
        'sk-good-upstream-2222',
        ['sk-good-upstream-2222'],
      ]);

      good.clear();
      await stand.get(Prober).settled();
      await deliver([refusedWith(id, fine?.id ?? '')]);
      await until(async () => (await statusOf(id)) === 3);
      expect(JSON.parse((await stand.find(id)).other_info)).toMatchObject({
        status_reason: `All keys are disabled: ${MESSAGE}`,
      });

      const on = await stand.call('PUT', `/api/channel/${id}/keys`, { key_id: bad?.id, status: 1 });
      expect(on.body).toMatchObject({ success: true, data: [{ status: 1 }, { status: 3 }] });
      expect(await statusOf(id)).toBe(1);
      const last = await stand.call('PUT', `/api/channel/${id}/keys`, { key_id: bad?.id, status: 2 });
      expect(last.body).toMatchObject({ success: false, code: 'channel-last-key' });
      // Switched on as a whole, all keys get another chance.
      await stand.call('PUT', '/api/channel', { id, status: 2 });
      await stand.call('PUT', '/api/channel', { id, status: 1 });
      expect((await keysOf(id)).map(({ status }) => status)).toEqual([1, 1]);
    });

    const due = async (id: number): Promise<void> => {
      await stand.get(Prober).settled();
      await stand.query(
        `update "channel" set "key_states" = (select jsonb_object_agg(s."key", s."value" || '{"probeAt":0}')
           from jsonb_each("key_states") s) where "id" = ? returning 1`,
        [id],
      );
      stand.get(Prober).wake();
    };
    const statusesOf = async (id: number): Promise<number[]> => (await keysOf(id)).map(({ status }) => status);

    it('spares most keys of a provider that refuses everybody, and brings those back that went', async () => {
      good.clear();
      const keys = Array.from({ length: 6 }, (_, index) => `sk-upstream-of-six-${index}`);
      const form = { base_url: url, key: keys.join('\n'), multi_key_mode: 'polling' as const };
      const id = await stand.createOne(form);
      const all = await keysOf(id);
      await deliver(all.map((one) => refusedWith(id, one.id)));
      const rows = await timeline(id, 6);
      expect(rows.map(({ outcome }) => outcome).sort()).toEqual([
        'held',
        'held',
        'held',
        'held',
        'key-away',
        'key-away',
      ]);
      expect((await statusesOf(id)).sort()).toEqual([1, 1, 1, 1, 3, 3]);
      expect(await stand.find(id)).toMatchObject({ status: 1, multi_key_away: 2 });
      // Asked again in vain, and later each time.
      await due(id);
      const looks = async () =>
        (
          await stand.query<{ probes: number }>(
            `select (s."value"->>'probes')::int "probes" from "channel", jsonb_each("key_states") s where "id" = ?`,
            [id],
          )
        ).map(({ probes }) => probes);
      await until(async () => (await looks()).every((probes) => probes === 1));
      for (const key of keys) good.add(key);
      await due(id);
      await until(async () => (await statusesOf(id)).every((status) => status === 1));
      expect((await transitionsOf(id)).filter(({ outcome }) => outcome === 'key-back')).toHaveLength(2);
    });

    it('never asks again with a key that a person switched off, and goes on with the first that is well', async () => {
      good.clear();
      const key = 'sk-switched-off-1111\nsk-went-alone-2222';
      const id = await stand.createOne({ base_url: url, key, multi_key_mode: 'random' });
      const [off, alone] = await keysOf(id);
      await stand.call('PUT', `/api/channel/${id}/keys`, { key_id: off?.id, status: 2 });
      await deliver([refusedWith(id, alone?.id ?? '')]);
      await until(async () => (await statusOf(id)) === 3);
      good.add('sk-switched-off-1111').add('sk-went-alone-2222');
      await stand.setOptions({ AutomaticEnableChannelEnabled: 'true' });
      await due(id);
      await until(async () => (await statusOf(id)) === 1);
      await stand.setOptions({ AutomaticEnableChannelEnabled: 'false' });
      expect(await statusesOf(id)).toEqual([2, 1]);
    });

    it('sets a key aside that was saved before its characters were looked at', async () => {
      good.clear();
      good.add('sk-good-upstream-2222');
      const id = await stand.createOne({ base_url: url, key: 'a\nsk-good-upstream-2222', multi_key_mode: 'polling' });
      const { sealedKey } = stand.get(ChannelKeys).seal('sk-bad\u200bupstream\nsk-good-upstream-2222');
      await stand.query('update "channel" set "sealed_key" = ? where "id" = ? returning 1', [sealedKey, id]);
      const [bad] = await keysOf(id);
      await deliver([refusedWith(id, bad?.id ?? '')]);
      expect(await timeline(id)).toMatchObject([
        { outcome: 'key-away', reason: expect.stringContaining('cannot be sent') },
      ]);
      expect(await statusesOf(id)).toEqual([3, 1]);
      const form = { id, key: '\u200b sk-one \r\nsk-t\u200bwo' };
      const refused = await stand.call('PUT', '/api/channel', form);
      expect(refused.body).toMatchObject({ success: false, code: 'channel-key-unsendable', params: { number: 2 } });
      await stand.call('PUT', '/api/channel', { id, key: '\ufeffsk-pasted-1111\u200b\r\nsk-pasted-2222\n' });
      expect((await keysOf(id)).map(({ hint }) => hint)).toEqual(['***111', '***222']);
    });

    it('lets no key that cannot be opened keep the others waiting', async () => {
      good.clear();
      good.add('sk-open-upstream-2222');
      const key = 'sk-shut-upstream-1111\nsk-open-upstream-2222';
      const id = await stand.createOne({ base_url: url, key, multi_key_mode: 'polling' });
      const [bad] = await keysOf(id);
      await deliver([refusedWith(id, bad?.id ?? '')]);
      await until(async () => (await statusesOf(id)).includes(3));
      const sealed = 'sealed with another secret';
      await stand.query('update "channel" set "sealed_key" = ? where "id" = ? returning 1', [sealed, id]);
      await due(id);
      await until(async () => {
        const [row] = await stand.query<{ probe_at: number }>(
          `select (s."value"->>'probeAt')::float "probe_at" from "channel", jsonb_each("key_states") s where "id" = ?`,
          [id],
        );
        return (row?.probe_at ?? 0) > 0;
      });
      await stand.query('delete from "channel" where "id" = ? returning 1', [id]);
    });

    it('clears a key that is well, and forgets what was said of one that was replaced', async () => {
      good.clear();
      good.add('sk-first-upstream-1111').add('sk-second-upstream-2222');
      const id = await stand.createOne({
        base_url: url,
        key: 'sk-first-upstream-1111\nsk-second-upstream-2222',
        multi_key_mode: 'random',
      });
      const [one] = await keysOf(id);
      await deliver([refusedWith(id, one?.id ?? '')]);
      expect(await timeline(id)).toMatchObject([{ outcome: 'cleared' }]);
      expect((await keysOf(id)).map(({ status }) => status)).toEqual([1, 1]);
      const off = await stand.call('PUT', `/api/channel/${id}/keys`, { key_id: one?.id, status: 2 });
      expect(off.body).toMatchObject({ success: true, data: [{ status: 2 }, { status: 1 }] });
      // What a person switched off stays off, whatever becomes of the channel.
      await stand.call('PUT', '/api/channel', { id, status: 2 });
      await stand.call('PUT', '/api/channel', { id, status: 1 });
      expect((await keysOf(id)).map(({ status }) => status)).toEqual([2, 1]);
      await stand.call('PUT', '/api/channel', { id, key: 'sk-second-upstream-2222\nsk-third-upstream-3333' });
      expect((await keysOf(id)).map(({ hint, status }) => `${hint} ${status}`)).toEqual(['***2222 1', '***3333 1']);
      const single = await stand.call('PUT', '/api/channel', { id, multi_key_mode: '' });
      expect(single.body).toMatchObject({ success: false, code: 'channel-key-of-several', fields: [{ path: 'key' }] });
      await stand.call('PUT', '/api/channel', { id, multi_key_mode: '', key: 'sk-third-upstream-3333' });
      expect([await keysOf(id), (await stand.find(id)).multi_key_mode]).toEqual([[], undefined]);
      const drawing = await stand.call('POST', '/api/channel', {
        ...{ name: 'mj', type: 2, key: 'a\nb', models: 'mj_imagine', base_url: url, multi_key_mode: 'random' },
      });
      expect(drawing.body).toMatchObject({ success: false, code: 'channel-single-key' });
    });
  });

  it('follows from a request and a probe that see the same, with the words of the probe and both as evidence', async () => {
    const id = await createAt(REFUSES, { name: 'refused' });
    const event = refused(id);
    await deliver([event]);
    expect(await timeline(id)).toMatchObject([
      {
        outcome: 'moved',
        cause: 'request',
        from_status: 1,
        to_status: 3,
        actor_id: null,
        reason: MESSAGE,
        evidence: { requestId: event.id, status: 401, probe: { status: 401, message: MESSAGE, model: 'gpt-4o-mini' } },
      },
    ]);
    const channel = await stand.find(id);
    expect(channel.status).toBe(3);
    expect(JSON.parse(channel.other_info)).toEqual({ status_reason: MESSAGE, status_time: expect.any(Number) });
    expect(await stand.abilities(id)).toMatchObject([{ enabled: false }]);
    expect(await stand.eventsOf('channel-disabled', id)).toEqual([
      {
        channelId: id,
        name: 'refused',
        automatic: true,
        reason: MESSAGE,
        evidence: {
          status: 401,
          errorCode: 'invalid_api_key',
          errorType: 'authentication_error',
          requestId: event.id,
        },
      },
    ]);
    expect(await suspicions()).toEqual([]);
  });

  it('happens whatever characters the upstream puts into its words', async () => {
    const [first, second, third] = (await stand.create({ key: 'a\nb\nc', base_url: upstream.url })) as number[];
    upstream.control({ status: 401, errorMessage: 'no\0key\ud800' });
    const event = refused([first ?? 0, second ?? 0, third ?? 0]);
    const attempts = event.data.attempts.map((attempt) => ({ ...attempt, message: 'a\0b\udc00' }));
    await deliver([{ ...event, data: { ...event.data, attempts } }]);
    const rows = (await Promise.all([first, second, third].map((id) => timeline(id ?? 0)))).flat();
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['held', 'moved', 'moved']);
    expect(rows.map(({ reason }) => reason)).toEqual(Array.from({ length: 3 }, () => 'no\ufffdkey\ufffd'));
  });

  it('spares the whole fleet when one request is refused everywhere and the probes are answered', async () => {
    const ids = await stand.create({ key: 'a\nb\nc\nd\ne\nf', base_url: upstream.url });
    await deliver([refused(ids)]);
    for (const id of ids) {
      expect(await timeline(id)).toMatchObject([{ outcome: 'cleared', from_status: 1, to_status: 1 }]);
      expect(await statusOf(id)).toBe(1);
      expect(await stand.eventsOf('channel-disabled', id)).toEqual([]);
    }
    expect(upstream.served()).toBe(6);
  });

  it('takes a third of the fleet at once, says why the rest stays, and looks again', async () => {
    const ids = await stand.create({ key: 'a\nb\nc\nd\ne\nf', base_url: at(REFUSES) });
    const spare = await createAt('', { models: 'another' });
    await deliver([refused(ids)]);
    const rows = (await Promise.all(ids.map((id) => timeline(id)))).flat();
    // Of seven channels three may go.
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['held', 'held', 'held', 'moved', 'moved', 'moved']);
    const statuses = await Promise.all(ids.map(statusOf));
    expect(statuses.filter((status) => status === 1)).toHaveLength(3);
    expect(await statusOf(spare)).toBe(1);
    const metrics = stand.get<Metrics>(Metrics as never);
    expect(await metrics.registry.getSingleMetricAsString('tollgate_channel_health_decisions_total')).toMatch(
      /decision="held".* [1-9]/,
    );
    const held = ids.filter((_, index) => statuses[index] === 1);
    const probesAgain = async (): Promise<void> => {
      upstream.reset();
      await hurry();
      await until(async () => upstream.served() === held.length);
      await stand.get(Prober).settled();
    };
    // People see why it should be off.
    for (const id of held)
      expect(JSON.parse((await stand.find(id)).other_info)).toMatchObject({ status_reason: MESSAGE });
    // Within the window nothing is said twice.
    await probesAgain();
    for (const id of held) expect(await transitionsOf(id)).toHaveLength(1);
    // The window is over: of the four that are left two may go, each by a new probe.
    await stand.query(
      `update "channel_transition" set "happened_at" = "happened_at" - interval '11 minutes' returning 1`,
    );
    await probesAgain();
    const second = await Promise.all(held.map(async (id) => (await timeline(id, 2))[1]?.outcome));
    expect(second.sort()).toEqual(['held', 'moved', 'moved']);
  });

  it('says no more against a channel that was kept on once a test is answered or its key is another', async () => {
    const ids = (await stand.create({ key: 'a\nb\nc', base_url: at(REFUSES) })) as [number, number, number];
    await deliver([refused(ids)]);
    await Promise.all(ids.map((id) => timeline(id)));
    const rows = await Promise.all(ids.map((id) => stand.find(id)));
    const kept = rows.filter(({ status }) => status === 1);
    expect(kept).toHaveLength(1);
    const id = kept[0]?.id ?? 0;
    await stand.query('update "channel" set "base_url" = ? where "id" = ? returning 1', [upstream.url, id]);
    await stand.call('GET', `/api/channel/test/${id}`);
    expect(await stand.find(id)).toMatchObject({ status: 1, other_info: '' });
    await stand.query(`update "channel" set "status_reason" = 'x' where "id" = ? returning 1`, [id]);
    await stand.call('PUT', '/api/channel', { id, key: 'another' });
    expect(await stand.find(id)).toMatchObject({ status: 1, other_info: '' });
  });

  it('keeps the last way to a model when another one went just now', async () => {
    await stand.create({ key: Array.from({ length: 12 }, (_, index) => `k${index}`).join('\n'), models: 'other' });
    const pair = await stand.create({ key: 'a\nb', base_url: at(REFUSES), models: 'rare' });
    await deliver([refused(pair)]);
    const rows = (await Promise.all(pair.map((id) => timeline(id)))).flat();
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['held', 'moved']);
  });

  it('happens once under fifty batches that all say so', async () => {
    const [first, second] = (await stand.create({ key: 'a\nb', base_url: at(REFUSES) })) as [number, number];
    await stand.create({ key: 'c\nd' });
    const batches = Array.from({ length: 50 }, () => [refused(second), refused(first), refused(first)]);
    await Promise.all(batches.map(deliver));
    await Promise.all([timeline(first), timeline(second)]);
    await stand.get(Prober).settled();
    for (const id of [first, second]) {
      expect(await transitionsOf(id)).toHaveLength(1);
      expect(await stand.eventsOf('channel-disabled', id)).toHaveLength(1);
    }
    expect(upstream.served()).toBe(2);
  });

  it('is probed by one of many that look at the same moment', async () => {
    const id = await createAt('latency=100');
    await deliver([refused(id)]);
    await Promise.all(Array.from({ length: 10 }, () => stand.get(Prober).look()));
    await timeline(id);
    expect(upstream.served()).toBe(1);
  });

  it('sends no second probe to a channel that was just found well, however many requests complain', async () => {
    const id = await createAt('');
    await deliver([refused(id)]);
    await timeline(id);
    for (let turn = 0; turn < 5; turn += 1) {
      await deliver([refused(id, Date.now() + 1000)]);
      await stand.get(Prober).look();
      await stand.get(Prober).settled();
    }
    expect(upstream.served()).toBe(1);
    // The pause over, it is looked at again.
    await hurry();
    expect(await timeline(id, 2)).toMatchObject([{ outcome: 'cleared' }, { outcome: 'cleared' }]);
    expect(upstream.served()).toBe(2);
  });

  it.each([
    ['nobody answers', 'http://127.0.0.1:9'],
    ['the upstream is down', 'status=503'],
    ['the rate is limited', 'status=429'],
  ])('does not happen when %s, which is written down after five tries', async (_, where) => {
    const id = await (where.startsWith('http') ? stand.createOne({ base_url: where }) : createAt(where));
    await deliver([refused(id)]);
    for (let turn = 0; turn < 12 && (await transitionsOf(id)).length === 0; turn += 1) {
      await hurry();
      await pause(50);
      await stand.get(Prober).settled();
    }
    expect(await transitionsOf(id)).toMatchObject([{ outcome: 'unproven', from_status: 1, to_status: 1 }]);
    expect(await statusOf(id)).toBe(1);
  });

  describe('of a channel that no probe can reach', () => {
    const circle = { models: 'a', model_mapping: '{"a":"b","b":"a"}' };
    const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;
    const createOld = async (): Promise<number> => {
      const id = await createAt('', circle);
      await stand.query(
        `update "channel" set "evidence_since" = now() - interval '1 hour' where "id" = ? returning 1`,
        [id],
      );
      return id;
    };
    const looked = async (): Promise<void> => {
      await hurry();
      await stand.get(Prober).look();
      await pause(100);
      await stand.get(Prober).settled();
    };

    it('does not follow from one user, however often', async () => {
      const id = await createOld();
      await deliver([5, 4, 3, 2, 1].map((minutes) => refused(id, minutesAgo(minutes))));
      await looked();
      expect(await transitionsOf(id)).toEqual([]);
      expect((await suspicions())[0]?.witnesses).toHaveLength(5);
    });

    it('follows from several users over time, and not when it answered meanwhile', async () => {
      const id = await createOld();
      await deliver([refused(id, minutesAgo(3)), refused(id, minutesAgo(2), 2)]);
      await deliver([consumed({ channelId: id, quota: 1 })]);
      await deliver([refused(id, minutesAgo(1))]);
      await looked();
      expect(await transitionsOf(id)).toEqual([]);
      await deliver([refused(id, minutesAgo(3), 2), refused(id, minutesAgo(3), 3)]);
      await looked();
      expect(await timeline(id)).toMatchObject([
        { outcome: 'moved', to_status: 3, reason: 'as the user was told', evidence: { requests: 3, users: 3 } },
      ]);
    });
  });

  it.each([
    ['the option is off', async () => stand.setOptions({ AutomaticDisableChannelEnabled: 'false' }), {}],
    ['the channel opted out', async () => undefined, { auto_ban: 0 as const }],
  ])('is not even considered when %s', async (_, arrange, form) => {
    await arrange();
    const id = await createAt(REFUSES, form);
    await deliver([refused(id)]);
    expect(await suspicions()).toEqual([]);
    expect(await statusOf(id)).toBe(1);
  });

  it('does not happen when the option goes off before the probe is back', async () => {
    const id = await createAt(`latency=300,${REFUSES}`);
    await deliver([refused(id)]);
    await stand.setOptions({ AutomaticDisableChannelEnabled: 'false' });
    await until(async () => (await suspicions()).length === 0);
    expect(await statusOf(id)).toBe(1);
  });

  it('leaves a channel alone that a person has switched off', async () => {
    const id = await createAt(REFUSES);
    await stand.call('PUT', '/api/channel', { id, status: 2 });
    await deliver([refused(id)]);
    expect(await suspicions()).toEqual([]);
    expect(await statusOf(id)).toBe(2);
  });

  it('ignores other failures', async () => {
    const id = await createAt(REFUSES);
    const attempt = { ...refusalOf(id), class: 'upstream', status: 500 } as const;
    await deliver([consumed({ channelId: 0, quota: 0, attempts: [attempt] })]);
    expect(await suspicions()).toEqual([]);
  });

  it('takes a request of a deleted channel as done', async () => {
    const id = await createAt(REFUSES);
    await stand.call('DELETE', `/api/channel/${id}`);
    await expect(deliver([refused(id)])).resolves.toBeUndefined();
    expect(await transitionsOf(id)).toEqual([]);
  });

  it.each([
    ['its key was changed', (id: number) => stand.call('PUT', '/api/channel', { id, key: 'mended' })],
    ['its address was changed', (id: number) => stand.putAsRoot({ id, base_url: at(`${REFUSES},tokens=1`) })],
  ])('does not follow from requests that began before %s', async (_, mend) => {
    const id = await createAt(REFUSES);
    const late = refused(id, Date.now());
    await pause(5);
    await mend(id);
    await deliver([late]);
    expect(await suspicions()).toEqual([]);
    await deliver([refused(id)]);
    expect(await timeline(id)).toMatchObject([{ outcome: 'moved' }]);
  });

  it('ends a suspicion with the key it was about', async () => {
    const id = await createAt(`latency=2000,${REFUSES}`);
    await deliver([refused(id)]);
    expect(await suspicions()).toHaveLength(1);
    await pause(5);
    await stand.call('PUT', '/api/channel', { id, key: 'mended' });
    expect(await suspicions()).toEqual([]);
    await stand.get(Prober).settled();
    expect(await statusOf(id)).toBe(1);
  });

  it("does not undo a person's re-enabling by old evidence, nor count it as news", async () => {
    const id = await createAt(REFUSES);
    await deliver([refused(id)]);
    await timeline(id);
    const late = refused(id, Date.now());
    await pause(5);
    await stand.call('PUT', '/api/channel', { id, status: 1 });
    await deliver([late]);
    expect(await suspicions()).toEqual([]);
    expect(await stand.find(id)).toMatchObject({ status: 1, other_info: '' });
    expect((await transitionsOf(id)).map(({ to_status: to }) => to)).toEqual([3, 1]);
  });

  it("races with a person's edits without losing either", async () => {
    const id = await createAt(REFUSES);
    await Promise.all([
      ...Array.from({ length: 10 }, () => deliver([refused(id), consumed({ channelId: id, quota: 1 })])),
      ...Array.from({ length: 10 }, (_, index) => stand.call('PUT', '/api/channel', { id, priority: index })),
    ]);
    expect(await timeline(id)).toHaveLength(1);
    expect(await stand.find(id)).toMatchObject({ status: 3, used_quota: 10 });
  });
});
