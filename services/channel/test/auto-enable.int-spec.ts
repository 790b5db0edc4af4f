import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, type FakeUpstream, hasPostgres, startFakeUpstream } from '@tollgate/testing';
import { HealthService } from '../src/health/health.service.js';
import { Prober } from '../src/suspicion/prober.js';
import { ChannelTestBed } from './channel-test-bed.js';
import { MESSAGE, suspectsAt } from './suspects.js';

const withPostgres = hasPostgres() ? describe : describe.skip;
const REFUSES = `status=401,code=invalid_api_key,type=authentication_error,message=${MESSAGE}`;

withPostgres('automatic disabling', () => {
  let testBed: ChannelTestBed;
  let upstream: FakeUpstream;
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await ChannelTestBed.start();
  }, 60_000);
  afterAll(async () => {
    await testBed.close();
    await upstream.close();
  });
  beforeEach(async () => {
    await testBed.get(Prober).settled();
    await testBed.query('delete from "channel" returning 1');
    await testBed.setOptions({ AutomaticDisableChannelEnabled: 'true' });
    upstream.reset();
  });

  const at = (behaviour: string): string => (behaviour === '' ? upstream.url : `${upstream.url}/~${behaviour}`);
  const createAt = (behaviour: string, form: Parameters<ChannelTestBed['createOne']>[0] = {}): Promise<number> =>
    testBed.createOne({ base_url: at(behaviour), ...form });
  const { deliver, refused, transitionsOf, statusOf } = suspectsAt(() => testBed);

  describe('of a whole channel, while channels may be enabled automatically,', () => {
    const on = { AutomaticDisableChannelEnabled: 'true', AutomaticEnableChannelEnabled: 'true' } as const;
    beforeEach(() => testBed.setOptions(on));

    const goOff = async (form: Parameters<ChannelTestBed['createOne']>[0] = {}): Promise<number> => {
      const id = await createAt(REFUSES, form);
      await deliver([refused(id)]);
      await eventually('the channel is off', async () => (await statusOf(id)) === 3);
      await testBed.get(Prober).settled();
      await testBed.query(`update "channel_transition" set "happened_at" = "happened_at" - interval '11 minutes'`);
      return id;
    };
    /** Seconds from the last test, or from the disabling, to the next probe; and how many probes there were. */
    const planOf = async (id: number): Promise<{ probes: number; pause: number }> => {
      const [row] = await testBed.query<{ probes: number; pause: string }>(
        `select "probes", extract(epoch from "probe_at" - greatest("tested_at", "status_changed_at")) "pause" from "channel" where "id" = ?`,
        [id],
      );
      return { probes: row?.probes ?? 0, pause: Math.round(Number(row?.pause) / 30) * 30 };
    };
    /** Waits for the result of the probe before it waits for the end of the probe. */
    const probeNow = async (id: number): Promise<void> => {
      const results = () => testBed.query('select 1 from "channel_test" where "channel_id" = ?', [id]);
      const { length: before } = await results();
      await testBed.query(`update "channel" set "probe_at" = now() where "probe_at" is not null returning 1`);
      testBed.get(Prober).wake();
      await eventually('another result', async () => (await results()).length > before);
      await testBed.get(Prober).settled();
    };
    const mend = (id: number) =>
      testBed.query('update "channel" set "base_url" = ? where "id" = ? returning 1', [upstream.url, id]);

    it('ends with the first probe that succeeds, after pauses that double up to an hour', async () => {
      const id = await goOff();
      expect(await planOf(id)).toEqual({ probes: 0, pause: 60 });
      const { body } = await testBed.call('GET', `/api/channel/${id}/health`);
      expect(body).toMatchObject({ data: { probe_at: expect.any(Number) } });
      await probeNow(id);
      expect(await planOf(id)).toEqual({ probes: 1, pause: 120 });
      await testBed.query('update "channel" set "probes" = 4 where "id" = ? returning 1', [id]);
      await probeNow(id);
      expect(await planOf(id)).toEqual({ probes: 5, pause: 1920 });
      await testBed.query('update "channel" set "probes" = 9 where "id" = ? returning 1', [id]);
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
      expect(await testBed.eventsOf('channel-enabled', id)).toMatchObject([{ automatic: true }]);
      expect(await testBed.abilities(id)).toMatchObject([{ enabled: true }]);
      expect(await testBed.query('select "probe_at", "probes" from "channel" where "id" = ?', [id])).toEqual([
        { probe_at: null, probes: 0 },
      ]);
    });

    it('waits for a reply within the limit of a test, and for the setting', async () => {
      const id = await goOff();
      await testBed.query('update "channel" set "base_url" = ? where "id" = ? returning 1', [at('latency=1200'), id]);
      await testBed.setOptions({ ...on, ChannelDisableThreshold: '1' });
      await probeNow(id);
      expect(await statusOf(id)).toBe(3);
      await testBed.setOptions({ AutomaticDisableChannelEnabled: 'true' });
      await mend(id);
      upstream.reset();
      await testBed.query('update "channel" set "probe_at" = now() where "id" = ? returning 1', [id]);
      await testBed.get(Prober).startDueProbes();
      await testBed.get(Prober).settled();
      expect([await statusOf(id), upstream.served()]).toEqual([3, 0]);
      const { body } = await testBed.call('GET', `/api/channel/${id}/health`);
      expect((body as { data: object }).data).not.toHaveProperty('probe_at');
    });

    it('is looked at again at once after a new key, never when a person switched it off or its account was empty', async () => {
      await testBed.setOptions({ AutomaticDisableChannelEnabled: 'true' });
      const [id, off, empty] = [await goOff(), await goOff(), await goOff()] as const;
      await testBed.query('update "channel" set "probes" = 9 returning 1');
      await testBed.call('PUT', '/api/channel', { id, key: 'sk-another-upstream-1234' });
      const [row] = await testBed.query<{ is_due: boolean; probes: number }>(
        'select "probe_at" <= now() "is_due", "probes" from "channel" where "id" = ?',
        [id],
      );
      expect(row).toEqual({ is_due: true, probes: 0 });
      await testBed.call('PUT', '/api/channel', { id: off, status: 2 });
      await testBed.query('update "channel" set "status" = 1 where "id" = ? returning 1', [empty]);
      const decide = () => ({ to: 3, cause: 'balance', reason: '余额不足' }) as const;
      expect(await testBed.inSession(() => testBed.get(HealthService).apply(empty, new Date(), decide))).toBe('moved');
      await Promise.all([id, off, empty].map(mend));
      upstream.reset();
      await testBed.setOptions(on);
      await probeNow(id);
      expect(upstream.served()).toBe(1);
      expect(await Promise.all([id, off, empty].map(statusOf))).toEqual([1, 2, 3]);
    });
  });
});
