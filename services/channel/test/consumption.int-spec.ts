import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventBatch, requestConsumed } from '@tollgate/contracts';
import { Outbox } from '@tollgate/platform';
import { hasPostgres } from '@tollgate/testing';
import type { Type } from '@nestjs/common';
import { ConsumptionService } from '../src/health/consumption.service.js';
import { CountedRequests } from '../src/health/counted-requests.js';
import { ChannelStand } from './channel-stand.js';
import { consumed } from './consumed-event.js';

const withPostgres = hasPostgres() ? describe : describe.skip;
const DAY_MS = 86_400_000;

withPostgres('the consumer of finished requests', () => {
  let stand: ChannelStand;
  beforeAll(async () => {
    stand = await ChannelStand.start();
  }, 60_000);
  afterAll(() => stand.close());
  beforeEach(() => stand.setOptions({ AutomaticDisableChannelEnabled: 'true' }));

  const deliver = (batch: EventBatch<typeof requestConsumed>): Promise<void> =>
    stand.inSession(() => stand.get(ConsumptionService).count(batch));
  const usedQuota = async (id: number): Promise<number> => (await stand.find(id)).used_quota;
  const refusalOf = (channelId: number) =>
    ({
      channelId,
      channelType: 1,
      class: 'credential',
      status: 401,
      errorCode: 'invalid_api_key',
      errorType: 'authentication_error',
      message: 'Incorrect API key',
      durationMs: 5,
    }) as const;
  const refused = (channelId: number, atMs = Date.now() + 1) =>
    consumed({ channelId: 0, quota: 0, outcome: 'failed', attempts: [refusalOf(channelId)] }, atMs);
  const transitionsOf = (id: number) =>
    stand.query<{ cause: string; to_status: number }>(
      'select * from "channel_transition" where "channel_id" = ? order by "id"',
      [id],
    );

  describe('counting', () => {
    it('adds each request once, however often and in whatever batches it comes', async () => {
      const [first, second] = (await stand.create({ key: 'a\nb' })) as [number, number];
      const events = [
        consumed({ channelId: first, quota: 5 }),
        consumed({ channelId: second, quota: 7 }),
        consumed({ channelId: first, quota: 11 }),
      ];
      await deliver([...events, ...events]);
      await deliver(events.slice(1));
      await deliver([...events, consumed({ channelId: second, quota: 1 })]);
      expect([await usedQuota(first), await usedQuota(second)]).toEqual([16, 8]);
    });

    it('loses nothing when partitions count the same channels at once', async () => {
      const ids = await stand.create({ key: Array.from({ length: 6 }, (_, index) => `k${index}`).join('\n') });
      const batches = Array.from({ length: 30 }, (_, turn) =>
        [...ids].sort(() => (turn % 2 ? 1 : -1)).map((channelId) => consumed({ channelId, quota: 2 })),
      );
      await Promise.all(batches.map(deliver));
      for (const id of ids) expect(await usedQuota(id)).toBe(60); // 30 batches × 2
    });

    it('takes a request of a deleted channel as done', async () => {
      const id = await stand.createOne();
      await stand.call('DELETE', `/api/channel/${id}`);
      await expect(deliver([consumed({ channelId: id, quota: 5 }), refused(id)])).resolves.toBeUndefined();
      expect(await transitionsOf(id)).toEqual([]);
    });

    it('does not bump the routing revision', async () => {
      const id = await stand.createOne();
      const before = await stand.eventsOf('channel-changed', id);
      await deliver([consumed({ channelId: id, quota: 5 })]);
      expect(await stand.eventsOf('channel-changed', id)).toEqual(before);
    });

    it('forgets ids only when they are too old to be counted again', async () => {
      const id = await stand.createOne();
      const old = consumed({ channelId: id, quota: 5 }, Date.now() - 9 * DAY_MS);
      const recent = consumed({ channelId: id, quota: 3 }, Date.now() - 7 * DAY_MS);
      await stand.query('insert into "counted_request" values (?) returning 1', [old.id]);
      await deliver([recent]);
      await stand.inSession(() => stand.get(CountedRequests).prune());
      const kept = await stand.query<{ event_id: string }>(
        'select "event_id" from "counted_request" where "event_id" in (?, ?)',
        [old.id, recent.id],
      );
      expect(kept).toEqual([{ event_id: recent.id }]);
      await deliver([old, recent]);
      expect(await usedQuota(id)).toBe(3);
    });

    it('hears of requests through the event log', async () => {
      const id = await stand.createOne();
      const { data } = consumed({ channelId: id, quota: 9 });
      const outbox = stand.get<Outbox>(Outbox as unknown as Type<Outbox>);
      await stand.inSession((em) => em.transactional(() => outbox.add(requestConsumed, data)));
      for (let turn = 0; turn < 100 && (await usedQuota(id)) === 0; turn += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await usedQuota(id)).toBe(9);
    }, 15_000);
  });

  describe('automatic disabling', () => {
    it('switches a refused channel off with its reason and evidence', async () => {
      const id = await stand.createOne({ name: 'refused' });
      const event = refused(id);
      await deliver([event]);
      const channel = await stand.find(id);
      expect(channel.status).toBe(3);
      expect(JSON.parse(channel.other_info)).toEqual({
        status_reason: 'Incorrect API key',
        status_time: expect.any(Number),
      });
      expect(await stand.abilities(id)).toMatchObject([{ enabled: false }]);
      expect(await stand.eventsOf('channel-disabled', id)).toEqual([
        {
          channelId: id,
          name: 'refused',
          automatic: true,
          reason: 'Incorrect API key',
          evidence: {
            status: 401,
            errorCode: 'invalid_api_key',
            errorType: 'authentication_error',
            requestId: event.id,
          },
        },
      ]);
      expect(await transitionsOf(id)).toMatchObject([
        {
          cause: 'request',
          from_status: 1,
          to_status: 3,
          actor_id: null,
          evidence: { requestId: event.id, status: 401 },
        },
      ]);
    });

    it('happens once under fifty batches that all say so', async () => {
      const [first, second] = (await stand.create({ key: 'a\nb' })) as [number, number];
      const batches = Array.from({ length: 50 }, () => [refused(second), refused(first), refused(first)]);
      await Promise.all(batches.map(deliver));
      for (const id of [first, second]) {
        expect(await transitionsOf(id)).toHaveLength(1);
        expect(await stand.eventsOf('channel-disabled', id)).toHaveLength(1);
      }
    });

    it.each([
      ['the option is off', async () => stand.setOptions({ AutomaticDisableChannelEnabled: 'false' }), {}],
      ['the channel opted out', async () => undefined, { auto_ban: 0 as const }],
    ])('does not happen when %s', async (_, arrange, form) => {
      await arrange();
      const id = await stand.createOne(form);
      await deliver([refused(id)]);
      expect((await stand.find(id)).status).toBe(1);
    });

    it('leaves a channel alone that a person has switched off', async () => {
      const id = await stand.createOne();
      await stand.call('PUT', '/api/channel', { id, status: 2 });
      await deliver([refused(id)]);
      expect((await stand.find(id)).status).toBe(2);
    });

    it('ignores other failures', async () => {
      const id = await stand.createOne();
      const attempt = { ...refusalOf(id), class: 'upstream', status: 500 } as const;
      await deliver([consumed({ channelId: 0, quota: 0, attempts: [attempt] })]);
      expect((await stand.find(id)).status).toBe(1);
    });

    it.each([
      ['its key was changed', (id: number) => stand.call('PUT', '/api/channel', { id, key: 'mended' })],
      ['its address was changed', (id: number) => stand.putAsRoot({ id, base_url: 'http://127.0.0.1:5' })],
    ])('does not follow from requests that began before %s', async (_, mend) => {
      const id = await stand.createOne();
      const late = refused(id, Date.now());
      await new Promise((resolve) => setTimeout(resolve, 5));
      await mend(id);
      await deliver([late]);
      expect((await stand.find(id)).status).toBe(1);
      await deliver([refused(id)]);
      expect((await stand.find(id)).status).toBe(3);
    });

    it("does not undo a person's re-enabling by old evidence, nor count it as news", async () => {
      const id = await stand.createOne();
      await deliver([refused(id)]);
      const late = refused(id, Date.now());
      await new Promise((resolve) => setTimeout(resolve, 5));
      await stand.call('PUT', '/api/channel', { id, status: 1 });
      await deliver([late]);
      expect(await stand.find(id)).toMatchObject({ status: 1, other_info: '' });
      expect((await transitionsOf(id)).map(({ to_status: to }) => to)).toEqual([3, 1]);
    });

    it("races with a person's edits without losing either", async () => {
      const id = await stand.createOne();
      await Promise.all([
        ...Array.from({ length: 10 }, () => deliver([refused(id), consumed({ channelId: id, quota: 1 })])),
        ...Array.from({ length: 10 }, (_, index) => stand.call('PUT', '/api/channel', { id, priority: index })),
      ]);
      expect(await stand.find(id)).toMatchObject({ status: 3, used_quota: 10 });
      expect(await transitionsOf(id)).toHaveLength(1);
    });
  });
});
