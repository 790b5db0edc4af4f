import { expect } from '@jest/globals';
import type { ClosedPeriod, Statement, StatementKey } from '@tollgate/contracts/api/statement';
import type { TestCaller } from '@tollgate/testing';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

export const admin: TestCaller = { id: 2, role: 10 };
export const root: TestCaller = { id: 1, role: 100 };
const DAY_MS = 86_400_000;
export const TODAY = Math.floor(Date.now() / DAY_MS);
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

interface Booking {
  user: number;
  quota: number;
  model: string;
  channel: number;
  group: string;
  /** Days before today. */
  ago: number;
}

/** A billing service whose journal the tests fill and read through its statements. */
export class StatementWorld {
  testBed!: BillingTestBed;
  private lastUser = 900;

  async open(): Promise<void> {
    this.testBed = await startBilling();
  }

  async close(): Promise<void> {
    await this.testBed?.close();
  }

  newUser(): number {
    return (this.lastUser += 1);
  }

  async read<T>(path: string, query: Record<string, string | number>, as = admin): Promise<T> {
    const { body } = await this.testBed.harness.request<T>('GET', path, { as, query });
    if (!body.success) throw new Error(body.message);
    return body.data as T;
  }

  statement(query: Record<string, string | number> = {}): Promise<Statement> {
    return this.read('/api/statement', { start: dayText(TODAY - 40), end: dayText(TODAY), page_size: 100, ...query });
  }

  book(bookings: readonly Booking[]): Promise<unknown> {
    const { testBed } = this;
    return testBed.inContext(() =>
      testBed.get(BookingService).book(
        bookings.map(({ user, quota, model, channel, group, ago }) => {
          const id = uuidv7({ msecs: (TODAY - ago) * DAY_MS + 1000 });
          return consumed({ userId: user, quota, model, channelId: channel, group }, id);
        }),
      ),
    );
  }

  closing(lastDay: string, as = root) {
    return this.testBed.harness.request<ClosedPeriod>('POST', '/api/period/close', {
      as,
      body: { last_day: lastDay, note: 'month end' },
    });
  }

  /** Sums computed from the journal itself, independently of the statements. */
  async journal(column: string, userIds: readonly number[]): Promise<Record<string, number>> {
    const rows = await this.testBed.sql<{ key: string; amount: string }>(
      `select ${column} as "key", sum("amount") as "amount" from "posting" where "user_id" in (${userIds.join(', ')}) group by 1`,
    );
    return Object.fromEntries(rows.map(({ key, amount }) => [key, Number(amount)]));
  }

  /** The same sums from the statements of each user, by day, week and month. */
  async byStatements(by: StatementKey, users: readonly number[]): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    const asked = users.flatMap((user) =>
      (['day', 'week', 'month', 'span'] as const).map((period) => ({ user, period })),
    );
    for (const { user, period } of asked) {
      const { items, totals, opening, closing } = await this.statement({ by, period, user_id: user });
      expect(items.reduce((all, row) => all + row.turnover, 0)).toBe(totals.turnover);
      expect(opening + totals.net).toBe(closing);
      for (const row of period === 'span' ? items : []) found[row.key] = (found[row.key] ?? 0) + row.turnover;
    }
    return found;
  }
}
