import { describe, expect, it } from '@jest/globals';
import type { Page } from '@tollgate/contracts';
import type { ClosedPeriod, PeriodCheck } from '@tollgate/contracts/api/statement';
import { expectHarmNamed, expectMissed, forgetSignatures } from './period-harms.js';
import { admin, dayText, root, type StatementWorld, TODAY } from './statement-world.js';

/** The closing of a period, after which its statements do not change. */
export function describeClosedPeriods(world: StatementWorld): void {
  describe('a closed period', () => {
    const closedBy = ({ body }: Awaited<ReturnType<typeof close>>): ClosedPeriod => {
      if (!body.success || !body.data) throw new Error(body.message);
      return body.data;
    };
    const close: typeof world.closing = (lastDay, as) => world.closing(lastDay, as);
    const checked = (id: number) => world.read<PeriodCheck>(`/api/period/${id}/check`, {});

    it('is sealed and never reopened; late rows count for the next one and are marked', async () => {
      const user = world.newUser();
      const late = { user, quota: 11, model: 'm', channel: 3, group: 'g', ago: 20 };
      // Two names whose order by language rules differs from their order by bytes.
      await world.book(['gpt-4o', 'gpt-4-turbo'].map((model) => ({ ...late, model, quota: 2 })));
      expect((await close(dayText(TODAY - 10), admin)).body.success).toBe(false);
      expect((await close(dayText(TODAY))).body).toMatchObject({ code: 'period-not-over' });
      const period = closedBy(await close(dayText(TODAY - 10)));
      expect(period).toMatchObject({ first_day: '', last_day: dayText(TODAY - 10), actor_id: root.id });
      expect(period.seal?.digest).toMatch(/^[0-9a-f]{64}$/);
      expect((await close(dayText(TODAY - 10))).body).toMatchObject({ code: 'period-closed' });
      expect((await close(dayText(TODAY - 12))).body).toMatchObject({ code: 'period-closed' });

      await world.book([late]);
      const closed = await world.statement({ user_id: user, end: dayText(TODAY - 10) });
      expect(closed.totals).toMatchObject({ consumed: 4, late: 0 });
      const next = await world.statement({ user_id: user, start: dayText(TODAY - 9) });
      expect(next.items).toMatchObject([{ period: dayText(TODAY - 9), consumed: 11, late: 1 }]);
      expect(next.opening).toBe(-4);
      const { id } = period;
      expect(await checked(id)).toMatchObject({ matches: true, signature: 'valid' });
      const sortBy = (collation: string): Promise<unknown> =>
        world.testBed.sql(`alter table "statement_day" alter column "model" type text collate "${collation}"`);
      await sortBy('en-x-icu');
      expect(await checked(id)).toMatchObject({ matches: true });
      await sortBy('default');
      const { items } = await world.read<Page<ClosedPeriod>>('/api/period', {});
      expect(items).toMatchObject([{ id, note: 'month end' }]);
      const actions = await world.testBed.outbox<{ action: string }>('admin-action');
      expect(actions.filter(({ action }) => action === 'period-close')).toHaveLength(1);
      await expect(world.testBed.sql(`update "closed_period" set "until" = "until" - 1`)).rejects.toThrow();
      await expectHarmNamed(world.testBed);

      await world.testBed.sql(
        `update "statement_day" set "amount" = "amount" + 1 where "user_id" = ? and "day" = ?::date`,
        [user, dayText(TODAY - 20)],
      );
      expect(await checked(id)).toMatchObject({ matches: false, signature: 'valid' });
    });

    it('includes each row or leaves it to the next one, while bookings continue', async () => {
      const user = world.newUser();
      const ago = 5;
      await forgetSignatures(world.testBed);
      const bookings = Array.from({ length: 12 }, () =>
        world.book([{ user, quota: 1, model: 'm', channel: 3, group: 'g', ago }]),
      );
      const [reply] = await Promise.all([close(dayText(TODAY - 4)), ...bookings]);
      const before = await world.statement({ user_id: user, end: dayText(TODAY - 4) });
      const after = await world.statement({ user_id: user, start: dayText(TODAY - 3) });
      expect(before.totals.consumed + after.totals.consumed).toBe(12);
      expect(before.totals.late).toBe(0);
      expect(after.totals.late).toBe(after.totals.consumed);
      const { id } = closedBy(reply);
      expect(await checked(id)).toMatchObject({ matches: true, signature: 'valid' });
      expect(await checked(id - 1)).toMatchObject({ signature: 'valid' });
      await expectMissed(world.testBed, id);
    });
  });
}
