import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, hasPostgres } from '@tollgate/testing';
import { HealthService } from '../src/health/health.service.js';
import { Prober } from '../src/suspicion/prober.js';
import { REFUSES, suspectsAt } from './suspects.js';
import { UpstreamWorld } from './upstream-world.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('automatic enabling', () => {
  const world = new UpstreamWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());
  beforeEach(() => world.clear({ AutomaticDisableChannelEnabled: 'true' }));

  const { deliver, refused, transitionsOf, statusOf } = suspectsAt(() => world.testBed);

  describe('of a whole channel, while channels may be enabled automatically,', () => {
    const on = { AutomaticDisableChannelEnabled: 'true', AutomaticEnableChannelEnabled: 'true' } as const;
    beforeEach(() => world.testBed.setOptions(on));

    const goOff = async (form: Parameters<UpstreamWorld['createAt']>[1] = {}): Promise<number> => {
      const id = await world.createAt(REFUSES, form);
      await deliver([refused(id)]);
      await eventually('the channel is off', async () => (await statusOf(id)) === 3);
      await world.testBed.get(Prober).settled();
      await world.testBed.query(
        `update "channel_transition" set "happened_at" = "happened_at" - interval '11 minutes'`,
      );
      return id;
    };
    /** Seconds from the last test, or from the disabling, to the next probe; and how many probes there were. */
    const planOf = async (id: number): Promise<{ probes: number; pause: number }> => {
      const [row] = await world.testBed.query<{ probes: number; pause: string }>(
        `select "probes", extract(epoch from "probe_at" - greatest("tested_at", "status_changed_at")) "pause" from "channel" where "id" = ?`,
        [id],
      );
      return { probes: row?.probes ?? 0, pause: Math.round(Number(row?.pause) / 30) * 30 };
    };
    /** Waits for the result of the probe before it waits for the end of the probe. */
    const probeNow = async (id: number): Promise<void> => {
      const results = () => world.testBed.query('select 1 from "channel_test" where "channel_id" = ?', [id]);
      const { length: before } = await results();
      await world.testBed.query(`update "channel" set "probe_at" = now() where "probe_at" is not null returning 1`);
      world.testBed.get(Prober).wake();
      await eventually('another result', async () => (await results()).length > before);
      await world.testBed.get(Prober).settled();
    };
    const mend = (id: number) =>
      world.testBed.query('update "channel" set "base_url" = ? where "id" = ? returning 1', [world.upstream.url, id]);

    it('ends with the first probe that succeeds, after pauses that double up to an hour', async () => {
      const id = await goOff();
      expect(await planOf(id)).toEqual({ probes: 0, pause: 60 });
      const { body } = await world.testBed.call('GET', `/api/channel/${id}/health`);
      expect(body).toMatchObject({ data: { probe_at: expect.any(Number) } });
      await probeNow(id);
      expect(await planOf(id)).toEqual({ probes: 1, pause: 120 });
      await world.testBed.query('update "channel" set "probes" = 4 where "id" = ? returning 1', [id]);
      await probeNow(id);
      expect(await planOf(id)).toEqual({ probes: 5, pause: 1920 });
      await world.testBed.query('update "channel" set "probes" = 9 where "id" = ? returning 1', [id]);
      await probeNow(id);
      expect(await planOf(id)).toEqual({ probes: 10, pause: 3600 });
      expect(await statusOf(id)).toBe(3);
      await mend(id);
      await probeNow(id);
      expect(await statusOf(id)).toBe(1);
      expect((await transitionsOf(id)).at(-1)).toMatchObject({
        ...{ outcome: 'moved', cause: 'test', from_status: 3, to_status: 1, reason: '' },
        evidence: { status: 200, model: 'gpt-4o-mini' },
      });
      expect(await world.testBed.eventsOf('channel-enabled', id)).toMatchObject([{ automatic: true }]);
      expect(await world.testBed.abilities(id)).toMatchObject([{ enabled: true }]);
      expect(await world.testBed.query('select "probe_at", "probes" from "channel" where "id" = ?', [id])).toEqual([
        { probe_at: null, probes: 0 },
      ]);
    });

    it('waits for a reply within the limit of a test, and for the setting', async () => {
      const id = await goOff();
      await world.testBed.query('update "channel" set "base_url" = ? where "id" = ? returning 1', [
        world.at('latency=1200'),
        id,
      ]);
      await world.testBed.setOptions({ ...on, ChannelDisableThreshold: '1' });
      await probeNow(id);
      expect(await statusOf(id)).toBe(3);
      await world.testBed.setOptions({ AutomaticDisableChannelEnabled: 'true' });
      await mend(id);
      world.upstream.reset();
      await world.testBed.query('update "channel" set "probe_at" = now() where "id" = ? returning 1', [id]);
      await world.testBed.get(Prober).startDueProbes();
      await world.testBed.get(Prober).settled();
      expect([await statusOf(id), world.upstream.served()]).toEqual([3, 0]);
      const { body } = await world.testBed.call('GET', `/api/channel/${id}/health`);
      expect((body as { data: object }).data).not.toHaveProperty('probe_at');
    });

    it('is looked at again at once after a new key, never when a person switched it off or its account was empty', async () => {
      await world.testBed.setOptions({ AutomaticDisableChannelEnabled: 'true' });
      const [id, off, empty] = [await goOff(), await goOff(), await goOff()] as const;
      await world.testBed.query('update "channel" set "probes" = 9 returning 1');
      await world.testBed.call('PUT', '/api/channel', { id, key: 'sk-another-upstream-1234' });
      const [row] = await world.testBed.query<{ is_due: boolean; probes: number }>(
        'select "probe_at" <= now() "is_due", "probes" from "channel" where "id" = ?',
        [id],
      );
      expect(row).toEqual({ is_due: true, probes: 0 });
      await world.testBed.call('PUT', '/api/channel', { id: off, status: 2 });
      await world.testBed.query('update "channel" set "status" = 1 where "id" = ? returning 1', [empty]);
      const decide = () => ({ to: 3, cause: 'balance', reason: '余额不足' }) as const;
      expect(
        await world.testBed.inSession(() => world.testBed.get(HealthService).apply(empty, new Date(), decide)),
      ).toBe('moved');
      await Promise.all([id, off, empty].map(mend));
      world.upstream.reset();
      await world.testBed.setOptions(on);
      await probeNow(id);
      expect(world.upstream.served()).toBe(1);
      expect(await Promise.all([id, off, empty].map(statusOf))).toEqual([1, 2, 3]);
    });
  });
});
