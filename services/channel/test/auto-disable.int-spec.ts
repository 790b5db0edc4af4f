import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Metrics } from '@tollgate/chassis';
import { eventually, hasPostgres } from '@tollgate/testing';
import { ChannelTestService } from '../src/channel-test/channel-test.service.js';
import { Prober } from '../src/suspicion/prober.js';
import { consumed } from './consumed-event.js';
import { MESSAGE, REFUSES, suspectsAt } from './suspects.js';
import { UpstreamWorld } from './upstream-world.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('automatic disabling', () => {
  const world = new UpstreamWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());
  beforeEach(() => world.clear({ AutomaticDisableChannelEnabled: 'true' }));

  const { deliver, refusalOf, refused, transitionsOf, statusOf, suspicions, timeline, hurry } = suspectsAt(
    () => world.testBed,
  );

  it('follows when a request and a probe fail alike, with the message of the probe and both as evidence', async () => {
    const id = await world.createAt(REFUSES, { name: 'refused' });
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
    const channel = await world.testBed.find(id);
    expect(channel.status).toBe(3);
    expect(JSON.parse(channel.other_info)).toEqual({ status_reason: MESSAGE, status_time: expect.any(Number) });
    expect(await world.testBed.abilities(id)).toMatchObject([{ enabled: false }]);
    expect(await world.testBed.eventsOf('channel-disabled', id)).toEqual([
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

  it('does not wait for times that a clock wrote that was ahead', async () => {
    const [id, suspect] = [await world.createAt(REFUSES), await world.createAt(REFUSES, { models: 'another' })];
    await world.createAt('', { models: 'spare' });
    await world.testBed.query(
      `update "channel" set "evidence_since" = now() + interval '2 days' where "id" = ? returning 1`,
      [id],
    );
    // The first evidence finds the time to be wrong, the next one counts.
    await deliver([refused(id)]);
    expect(await suspicions()).toEqual([]);
    await deliver([refused(id)]);
    await eventually('the channel is off', async () => (await statusOf(id)) === 3);
    await world.testBed.query(
      `insert into "channel_suspicion" ("channel_id", "observed_at", "reason", "evidence", "witnesses", "probe_at")
       values (?, now(), 'r', '{}', '[]', now() + interval '2 days') returning 1`,
      [suspect],
    );
    await eventually('the suspected channel is off', async () => (await statusOf(suspect)) === 3);
    await world.testBed.get(Prober).settled();
    const later = `update "channel" set "probe_at" = now() + interval '2 days', "base_url" = ? returning 1`;
    await world.testBed.query(later, [world.upstream.url]);
    await world.testBed.setOptions({ AutomaticEnableChannelEnabled: 'true' });
    await eventually('the channel is on again', async () => (await statusOf(id)) === 1);
  });

  it('works with any characters in the message of the upstream', async () => {
    const [first, second, third] = (await world.testBed.create({
      key: 'a\nb\nc',
      base_url: world.upstream.url,
    })) as number[];
    world.upstream.control({ status: 401, errorMessage: 'no\0key\ud800' });
    const event = refused([first ?? 0, second ?? 0, third ?? 0]);
    const attempts = event.data.attempts.map((attempt) => ({ ...attempt, message: 'a\0b\udc00' }));
    await deliver([{ ...event, data: { ...event.data, attempts } }]);
    const rows = (await Promise.all([first, second, third].map((id) => timeline(id ?? 0)))).flat();
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['held', 'moved', 'moved']);
    expect(rows.map(({ reason }) => reason)).toEqual(Array.from({ length: 3 }, () => 'no\ufffdkey\ufffd'));
  });

  it('disables no channel when one request is refused everywhere but the probes succeed', async () => {
    const ids = await world.testBed.create({ key: 'a\nb\nc\nd\ne\nf', base_url: world.upstream.url });
    await deliver([refused(ids)]);
    for (const id of ids) {
      expect(await timeline(id)).toMatchObject([{ outcome: 'cleared', from_status: 1, to_status: 1 }]);
      expect(await statusOf(id)).toBe(1);
      expect(await world.testBed.eventsOf('channel-disabled', id)).toEqual([]);
    }
    expect(world.upstream.served()).toBe(6);
  });

  it('disables at most a third of the channels at once, gives the reason for the rest, and probes them again', async () => {
    const ids = await world.testBed.create({ key: 'a\nb\nc\nd\ne\nf', base_url: world.at(REFUSES) });
    const spare = await world.createAt('', { models: 'another' });
    await deliver([refused(ids)]);
    const rows = (await Promise.all(ids.map((id) => timeline(id)))).flat();
    // Of seven channels, three may be disabled within a window.
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['held', 'held', 'held', 'moved', 'moved', 'moved']);
    const statuses = await Promise.all(ids.map(statusOf));
    expect(statuses.filter((status) => status === 1)).toHaveLength(3);
    expect(await statusOf(spare)).toBe(1);
    const metrics = world.testBed.get<Metrics>(Metrics as never);
    expect(await metrics.registry.getSingleMetricAsString('tollgate_channel_health_decisions_total')).toMatch(
      /decision="held".* [1-9]/,
    );
    const held = ids.filter((_, index) => statuses[index] === 1);
    const probesAgain = async (): Promise<void> => {
      world.upstream.reset();
      await hurry();
      await eventually('each held channel is probed', () => world.upstream.served() === held.length);
      await world.testBed.get(Prober).settled();
    };
    // The reason why it should be disabled is shown.
    for (const id of held)
      expect(JSON.parse((await world.testBed.find(id)).other_info)).toMatchObject({ status_reason: MESSAGE });
    // Within the window there is only one row per channel.
    await probesAgain();
    for (const id of held) expect(await transitionsOf(id)).toHaveLength(1);
    // After the window, two of the remaining four may be disabled, each by a new probe.
    await world.testBed.query(
      `update "channel_transition" set "happened_at" = "happened_at" - interval '11 minutes' returning 1`,
    );
    await probesAgain();
    const second = await Promise.all(held.map(async (id) => (await timeline(id, 2))[1]?.outcome));
    expect(second.sort()).toEqual(['held', 'moved', 'moved']);
  });

  it('clears the reason of a channel that the brake kept on after a successful test or a new key', async () => {
    const ids = (await world.testBed.create({ key: 'a\nb\nc', base_url: world.at(REFUSES) })) as [
      number,
      number,
      number,
    ];
    await deliver([refused(ids)]);
    await Promise.all(ids.map((id) => timeline(id)));
    const rows = await Promise.all(ids.map((id) => world.testBed.find(id)));
    const kept = rows.filter(({ status }) => status === 1);
    expect(kept).toHaveLength(1);
    const id = kept[0]?.id ?? 0;
    await world.testBed.query('update "channel" set "base_url" = ? where "id" = ? returning 1', [
      world.upstream.url,
      id,
    ]);
    await world.testBed.call('GET', `/api/channel/test/${id}`);
    expect(await world.testBed.find(id)).toMatchObject({ status: 1, other_info: '' });
    await world.testBed.query(`update "channel" set "status_reason" = 'x' where "id" = ? returning 1`, [id]);
    await world.testBed.call('PUT', '/api/channel', { id, key: 'another' });
    expect(await world.testBed.find(id)).toMatchObject({ status: 1, other_info: '' });
  });

  it('keeps the last channel of a model when another one was just disabled', async () => {
    await world.testBed.create({
      key: Array.from({ length: 12 }, (_, index) => `k${index}`).join('\n'),
      models: 'other',
    });
    const pair = await world.testBed.create({ key: 'a\nb', base_url: world.at(REFUSES), models: 'rare' });
    await deliver([refused(pair)]);
    const rows = (await Promise.all(pair.map((id) => timeline(id)))).flat();
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['held', 'moved']);
  });

  it('happens once when fifty batches report the same failure', async () => {
    const [first, second] = (await world.testBed.create({ key: 'a\nb', base_url: world.at(REFUSES) })) as [
      number,
      number,
    ];
    await world.testBed.create({ key: 'c\nd' });
    const batches = Array.from({ length: 50 }, () => [refused(second), refused(first), refused(first)]);
    await Promise.all(batches.map(deliver));
    await Promise.all([timeline(first), timeline(second)]);
    await world.testBed.get(Prober).settled();
    for (const id of [first, second]) {
      expect(await transitionsOf(id)).toHaveLength(1);
      expect(await world.testBed.eventsOf('channel-disabled', id)).toHaveLength(1);
    }
    expect(world.upstream.served()).toBe(2);
  });

  it('sends one probe when several replicas start due probes at the same time', async () => {
    const id = await world.createAt('latency=100');
    await deliver([refused(id)]);
    await Promise.all(Array.from({ length: 10 }, () => world.testBed.get(Prober).startDueProbes()));
    await timeline(id);
    expect(world.upstream.served()).toBe(1);
  });

  it('sends no second probe right after a successful one, however many requests fail', async () => {
    const id = await world.createAt('');
    await deliver([refused(id)]);
    await timeline(id);
    for (let turn = 0; turn < 5; turn += 1) {
      await deliver([refused(id, Date.now() + 1000)]);
      await world.testBed.get(Prober).startDueProbes();
      await world.testBed.get(Prober).settled();
    }
    expect(world.upstream.served()).toBe(1);
    // After the pause it is probed again.
    await hurry();
    expect(await timeline(id, 2)).toMatchObject([{ outcome: 'cleared' }, { outcome: 'cleared' }]);
    expect(world.upstream.served()).toBe(2);
  });

  it.each([
    ['nobody answers', 'http://127.0.0.1:9'],
    ['the upstream is down', 'status=503'],
    ['the rate is limited', 'status=429'],
  ])('does not happen when %s, and records an inconclusive outcome after five probes', async (_, where) => {
    const id = await (where.startsWith('http') ? world.testBed.createOne({ base_url: where }) : world.createAt(where));
    await deliver([refused(id)]);
    // The next probe is hurried only after the one before was counted; two at once would both be the last.
    for (const probes of [1, 2, 3, 4]) {
      await eventually('the probe is counted', async () => (await suspicions())[0]?.undecided === probes);
      await hurry();
    }
    expect(await timeline(id)).toMatchObject([{ outcome: 'unproven', from_status: 1, to_status: 1 }]);
    expect(await statusOf(id)).toBe(1);
  });

  describe('of a channel that no probe can reach', () => {
    const circle = { models: 'a', model_mapping: '{"a":"b","b":"a"}' };
    const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;
    const createOld = async (): Promise<number> => {
      const id = await world.createAt('', circle);
      await world.testBed.query(
        `update "channel" set "evidence_since" = now() - interval '1 hour' where "id" = ? returning 1`,
        [id],
      );
      return id;
    };
    /** A look leaves no trace where it changes nothing, so it is recognised by its test of the channel. */
    const looked = async (): Promise<void> => {
      const test = jest.spyOn(world.testBed.get(ChannelTestService), 'test');
      await hurry();
      await eventually('the channel is tested', () => test.mock.calls.length > 0);
      await world.testBed.get(Prober).settled();
      test.mockRestore();
    };

    it('does not follow from failures of one user, however many', async () => {
      const id = await createOld();
      await deliver([5, 4, 3, 2, 1].map((minutes) => refused(id, minutesAgo(minutes))));
      await looked();
      expect(await transitionsOf(id)).toEqual([]);
      expect((await suspicions())[0]?.witnesses).toHaveLength(5);
    });

    it('follows from failures of several users over time, unless a request succeeded meanwhile', async () => {
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
    ['the option is off', async () => world.testBed.setOptions({ AutomaticDisableChannelEnabled: 'false' }), {}],
    ['the channel opted out', async () => undefined, { auto_ban: 0 as const }],
  ])('starts no suspicion when %s', async (_, arrange, form) => {
    await arrange();
    const id = await world.createAt(REFUSES, form);
    await deliver([refused(id)]);
    expect(await suspicions()).toEqual([]);
    expect(await statusOf(id)).toBe(1);
  });

  it('does not happen when the option is disabled before the probe ends', async () => {
    const id = await world.createAt(`latency=3000,${REFUSES}`);
    await deliver([refused(id)]);
    await world.testBed.setOptions({ AutomaticDisableChannelEnabled: 'false' });
    await eventually('the suspicion ends', async () => (await suspicions()).length === 0);
    expect(await statusOf(id)).toBe(1);
  });

  it('ignores a channel that a person switched off', async () => {
    const id = await world.createAt(REFUSES);
    await world.testBed.call('PUT', '/api/channel', { id, status: 2 });
    await deliver([refused(id)]);
    expect(await suspicions()).toEqual([]);
    expect(await statusOf(id)).toBe(2);
  });

  it('ignores other failures', async () => {
    const id = await world.createAt(REFUSES);
    const attempt = { ...refusalOf(id), class: 'upstream', status: 500 } as const;
    await deliver([consumed({ channelId: 0, quota: 0, attempts: [attempt] })]);
    expect(await suspicions()).toEqual([]);
  });

  it('accepts events of a deleted channel without effect', async () => {
    const id = await world.createAt(REFUSES);
    await world.testBed.call('DELETE', `/api/channel/${id}`);
    await expect(deliver([refused(id)])).resolves.toBeUndefined();
    expect(await transitionsOf(id)).toEqual([]);
  });

  it.each([
    ['its key was changed', (id: number) => world.testBed.call('PUT', '/api/channel', { id, key: 'mended' })],
    [
      'its address was changed',
      (id: number) => world.testBed.putAsRoot({ id, base_url: world.at(`${REFUSES},tokens=1`) }),
    ],
  ])('does not follow from requests that began before %s', async (_, mend) => {
    const id = await world.createAt(REFUSES);
    const late = refused(id, Date.now());
    await pause(5);
    await mend(id);
    await deliver([late]);
    expect(await suspicions()).toEqual([]);
    await deliver([refused(id)]);
    expect(await timeline(id)).toMatchObject([{ outcome: 'moved' }]);
  });

  it('ends a suspicion when its key is replaced', async () => {
    const id = await world.createAt(`latency=2000,${REFUSES}`);
    await deliver([refused(id)]);
    expect(await suspicions()).toHaveLength(1);
    await pause(5);
    await world.testBed.call('PUT', '/api/channel', { id, key: 'mended' });
    expect(await suspicions()).toEqual([]);
    await world.testBed.get(Prober).settled();
    expect(await statusOf(id)).toBe(1);
  });

  it('does not disable a channel again by evidence from before a person enabled it', async () => {
    const id = await world.createAt(REFUSES);
    await deliver([refused(id)]);
    await timeline(id);
    const late = refused(id, Date.now());
    await pause(5);
    await world.testBed.call('PUT', '/api/channel', { id, status: 1 });
    await deliver([late]);
    expect(await suspicions()).toEqual([]);
    expect(await world.testBed.find(id)).toMatchObject({ status: 1, other_info: '' });
    expect((await transitionsOf(id)).map(({ to_status: to }) => to)).toEqual([3, 1]);
  });

  it('loses neither the state nor edits when a person edits at the same time', async () => {
    const id = await world.createAt(REFUSES);
    await Promise.all([
      ...Array.from({ length: 10 }, () => deliver([refused(id), consumed({ channelId: id, quota: 1 })])),
      ...Array.from({ length: 10 }, (_, index) => world.testBed.call('PUT', '/api/channel', { id, priority: index })),
    ]);
    expect(await timeline(id)).toHaveLength(1);
    expect(await world.testBed.find(id)).toMatchObject({ status: 3, used_quota: 10 });
  });
});
