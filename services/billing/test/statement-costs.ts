import { describe, expect, it } from '@jest/globals';
import type { ChannelCosts, SavedCosts } from '@tollgate/contracts/api/cost';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { admin, dayText, type StatementWorld, TODAY } from './statement-world.js';
import { consumed } from './test-bed.js';

/** The cost prices of channels, and the cost and margin that statements compute from them. */
export function describeCosts(world: StatementWorld): void {
  describe('cost and margin', () => {
    const save = (costs: object[], as = admin) =>
      world.testBed.harness.request<ChannelCosts>('PUT', '/api/cost', { as, body: { channel_id: 77, costs } });
    const used = (inputTokens: number, startedAt: number, more: object = {}) => ({
      ...{ quota: inputTokens * 60, model: 'priced', channelId: 77, startedAt: new Date(startedAt).toISOString() },
      usage: { semantics: 'openai', inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 } as const,
      ...more,
    });
    const bookFor = (userId: number, ...events: ReturnType<typeof used>[]) =>
      world.testBed.inContext(() =>
        world.testBed.get(BookingService).book(events.map((data) => consumed({ userId, ...data }, uuidv7()))),
      );

    it('are known from the moment a cost price is saved, and shown as unknown before', async () => {
      const user = world.newUser();
      const before = Date.now() - 60_000;
      await bookFor(user, used(10, before));
      const byChannel = async () => (await world.statement({ by: 'channel', period: 'month', user_id: user })).items;
      expect(await byChannel()).toMatchObject([{ key: '77', consumed: 600, cost: null, margin: null, costed: 0 }]);

      // 4 dollars per million tokens at half a million units per dollar: 2 units each.
      const saved = await save([{ model: '', terms: { input: 4, output: 8 } }]);
      expect((saved.body.data as ChannelCosts).current).toMatchObject([
        { model: '', terms: { input: 4, output: 8 }, actor_id: admin.id },
      ]);
      const now = Date.now();
      await bookFor(user, used(10, before), used(10, now), used(10, now, { model: 'own' }));
      expect(await byChannel()).toMatchObject([
        { requests: 4, consumed: 2400, costed: 2, costed_sales: 1200, cost: 40, margin: 1160 },
      ]);

      await save([
        { model: '', terms: { input: 4, output: 8 } },
        { model: 'own', terms: { call: 0.001 } },
      ]);
      const later = Date.now();
      await bookFor(user, used(10, later, { model: 'own' }), used(10, now, { model: 'own' }), used(1, later));
      const byModel = (await world.statement({ by: 'model', period: 'month', user_id: user })).items;
      // One request by the price per call, two by the token prices in force when they began.
      expect(byModel.find(({ key }) => key === 'own')).toMatchObject({ costed: 3, cost: 500 + 20 + 20 });
      const { text } = await world.testBed.harness.request('GET', '/api/statement/export', {
        as: admin,
        query: { start: dayText(TODAY), end: dayText(TODAY), by: 'model', user_id: user },
      });
      expect(text.split('\r\n')[0]).toMatch(
        /,late,cost,cost_usd,costed,costed_sales,costed_sales_usd,margin,margin_usd$/,
      );

      const history = await world.read<ChannelCosts>('/api/cost', { channel_id: 77 });
      expect(history.history.map(({ model }) => model)).toEqual(['own', '']);
      const actions = await world.testBed.outbox<{ action: string; after: object }>('admin-action');
      expect(actions.filter(({ action }) => action === 'channel-cost').map(({ after }) => after)).toEqual([
        { '*': { input: 4, output: 8 } },
        { own: { call: 0.001 } },
      ]);
      await save([]);
      expect((await world.read<ChannelCosts>('/api/cost', { channel_id: 77 })).current).toEqual([]);
      await expect(world.testBed.sql(`update "channel_cost" set "terms" = null`)).rejects.toThrow();
    });

    it('is not replaced by a person who read the prices before another one changed them', async () => {
      const put = async (version: number | undefined, costs: object[], channel = 78) => {
        const body = { channel_id: channel, costs, ...(version !== undefined && { based_on: version }) };
        return (await world.testBed.harness.request<ChannelCosts>('PUT', '/api/cost', { as: admin, body })).body;
      };
      const both = await world.read<ChannelCosts>('/api/cost', { channel_id: 78 });
      expect(both).toEqual({ version: 0, current: [], history: [] });
      const first = [{ model: 'a', terms: { ratio: 0.5 } }];
      expect((await put(both.version, first)).success).toBe(true);
      expect(await put(both.version, [{ model: 'b', terms: { ratio: 0.7 } }])).toMatchObject({
        ...{ success: false, code: 'cost-changed-meanwhile', kind: 'conflict' },
      });
      // Saving the same again, as after a lost reply, changes nothing and is no conflict.
      expect((await put(both.version, first)).success).toBe(true);
      const now = await world.read<ChannelCosts>('/api/cost', { channel_id: 78 });
      expect(now.current.map(({ model }) => model)).toEqual(['a']);
      expect((await put(now.version, [])).success).toBe(true);
      expect((await put(now.version, first)).success).toBe(false);
      // A caller that did not read the prices before is told which ones it ended.
      expect(await put(undefined, first)).toMatchObject({ success: true, data: { replaced: [] } });
      const others = await put(undefined, [{ model: 'b', terms: { ratio: 0.7 } }]);
      expect((others.data as SavedCosts).replaced).toMatchObject([{ model: 'a', terms: { ratio: 0.5 } }]);

      world.testBed.neighbours.goneChannels = new Set([999]);
      expect(await put(0, first, 999)).toMatchObject({ code: 'channels-unknown', params: { ids: '999' } });
      expect((await world.read<ChannelCosts>('/api/cost', { channel_id: 999 })).history).toEqual([]);
    });

    it("is not shown in users' own statements, nor can users set it", async () => {
      const user = world.newUser();
      await bookFor(user, used(1, Date.now()));
      const query = { start: dayText(TODAY - 1), end: dayText(TODAY) };
      const own = await world.testBed.harness.request('GET', '/api/statement/self', { as: { id: user }, query });
      expect(own.text).not.toMatch(/cost|margin/);
      const file = await world.testBed.harness.request('GET', '/api/statement/self/export', {
        as: { id: user },
        query,
      });
      expect(file.text).toContain('consumed,consumed_usd');
      expect(file.text).not.toMatch(/cost|margin/);
      expect((await save([], { id: user, role: 1 })).body.success).toBe(false);
      for (const terms of [{}, { ratio: -1 }, { ratio: 1, call: 1 }, { input: 1 }, { ratio: 'free' }])
        expect((await save([{ model: '', terms }])).body).toMatchObject({ success: false, code: 'invalid-input' });
      const twice = [1, 2].map((ratio) => ({ model: 'm', terms: { ratio } }));
      expect((await save(twice)).body).toMatchObject({ code: 'invalid-input' });
    });
  });
}
