import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventBatch, requestConsumed } from '@tollgate/contracts';
import { Outbox } from '@tollgate/database';
import { eventually, hasPostgres, isWaitedFor, readUntil } from '@tollgate/testing';
import type { Type } from '@nestjs/common';
import { ConsumptionService } from '../src/suspicion/consumption.service.js';
import { CountedRequests } from '../src/suspicion/counted-requests.js';
import { ChannelTestBed } from './channel-test-bed.js';
import { consumed } from './consumed-event.js';

const withPostgres = hasPostgres() ? describe : describe.skip;
const DAY_MS = 86_400_000;

withPostgres('the consumer of finished requests', () => {
  let testBed: ChannelTestBed;
  beforeAll(async () => {
    testBed = await ChannelTestBed.start();
  }, 60_000);
  afterAll(() => testBed.close());

  const deliver = (batch: EventBatch<typeof requestConsumed>): Promise<void> =>
    testBed.inSession(() => testBed.get(ConsumptionService).count(batch));
  const usedQuota = async (id: number): Promise<number> => (await testBed.find(id)).used_quota;
  describe('counting', () => {
    it('counts each request once, however often and in whatever batches it is delivered', async () => {
      const [first, second] = (await testBed.create({ key: 'a\nb' })) as [number, number];
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
      const ids = await testBed.create({ key: Array.from({ length: 6 }, (_, index) => `k${index}`).join('\n') });
      const batches = Array.from({ length: 30 }, (_, turn) =>
        [...ids].sort(() => (turn % 2 ? 1 : -1)).map((channelId) => consumed({ channelId, quota: 2 })),
      );
      await Promise.all(batches.map(deliver));
      for (const id of ids) expect(await usedQuota(id)).toBe(60); // 30 batches × 2
    });

    it('locks suspicions in the order of their channels, to avoid deadlocks', async () => {
      const [low, high] = (await testBed.create({ key: 'a\nb' })) as [number, number];
      for (const id of [high, low])
        await testBed.query(
          `insert into "channel_suspicion" ("channel_id", "observed_at", "reason", "evidence", "witnesses", "probe_at")
           values (?, now(), 'r', '{}', '[1]', now() + interval '4 minutes') returning 1`,
          [id],
        );
      const lock = 'select 1 from "channel_suspicion" where "channel_id" = ? for update';
      const locked = Promise.withResolvers<void>();
      const rival = testBed.inSession((em) =>
        em.transactional(async (tx) => {
          await tx.execute(lock, [low]);
          locked.resolve();
          await eventually('the count waits', () => isWaitedFor((sql) => tx.execute<object[]>(sql)));
          await tx.execute(lock, [high]);
        }),
      );
      await locked.promise;
      const counting = deliver([high, low].map((channelId) => consumed({ channelId, quota: 0 })));
      await rival;
      await counting;
      expect(
        await testBed.query('select "witnesses" from "channel_suspicion" where "channel_id" in (?, ?)', [low, high]),
      ).toEqual([{ witnesses: [] }, { witnesses: [] }]);
    });

    it('accepts events of a deleted channel without effect', async () => {
      const id = await testBed.createOne();
      await testBed.call('DELETE', `/api/channel/${id}`);
      await expect(deliver([consumed({ channelId: id, quota: 5 })])).resolves.toBeUndefined();
    });

    it('does not bump the routing revision', async () => {
      const id = await testBed.createOne();
      const before = await testBed.eventsOf('channel-changed', id);
      await deliver([consumed({ channelId: id, quota: 5 })]);
      expect(await testBed.eventsOf('channel-changed', id)).toEqual(before);
    });

    it('deletes ids only when they are too old to be counted again', async () => {
      const id = await testBed.createOne();
      const old = consumed({ channelId: id, quota: 5 }, Date.now() - 9 * DAY_MS);
      const recent = consumed({ channelId: id, quota: 3 }, Date.now() - 7 * DAY_MS);
      await testBed.query('insert into "counted_request" values (?) returning 1', [old.id]);
      await deliver([recent]);
      await testBed.inSession(() => testBed.get(CountedRequests).prune());
      const kept = await testBed.query<{ event_id: string }>(
        'select "event_id" from "counted_request" where "event_id" in (?, ?)',
        [old.id, recent.id],
      );
      expect(kept).toEqual([{ event_id: recent.id }]);
      await deliver([old, recent]);
      expect(await usedQuota(id)).toBe(3);
    });

    it('receives requests through the event log', async () => {
      const id = await testBed.createOne();
      const { data } = consumed({ channelId: id, quota: 9 });
      const outbox = testBed.get<Outbox>(Outbox as unknown as Type<Outbox>);
      await testBed.inSession((em) => em.transactional(() => outbox.add(requestConsumed, data)));
      expect(await readUntil(() => usedQuota(id), Boolean)).toBe(9);
    });
  });
});
