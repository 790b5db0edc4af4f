import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adjustQuota, openAccount, taskUpdated } from '@tollgate/contracts';
import { Metrics, toEnvelope } from '@tollgate/chassis';
import { eventually, hasPostgres, isWaitedFor } from '@tollgate/testing';
import { EntityManager } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { v7 } from 'uuid';
import { Approval } from '../src/approval/approval.entity.js';
import { BookingService } from '../src/booking/booking.service.js';
import { CorrectionPoster } from '../src/correction/correction-poster.js';
import { TaskRefunds } from '../src/refund/task-refunds.js';
import { TaskUpdatedConsumer } from '../src/refund/task-updated.consumer.js';
import { submitCorrections } from '../src/rerate/submit-corrections.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('the price of a failed task', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling();
  });
  afterAll(() => testBed.close());

  let users = 0;
  const user = async (): Promise<number> => {
    users += 1;
    await testBed.call(openAccount, { userId: users, kind: 'register', inviterId: 0 });
    await testBed.call(adjustQuota, { userId: users, quota: 100_000, actorId: 1, commandId: `funding-${users}` });
    return users;
  };
  const token = async (userId: number, credit: number): Promise<number> => {
    const [row] = await testBed.sql<{ id: number }>(
      `insert into "token" ("user_id", "name", "key_hash", "key_sealed", "key_hint", "created_time", "credit")
       values (?, 't', ?, '', '', 0, ?) returning "id"`,
      [userId, v7(), credit],
    );
    return row?.id ?? 0;
  };
  const book = (userId: number, requestId: string, rest: object = {}) =>
    testBed.inContext(() =>
      testBed.get(BookingService).book([consumed({ userId, quota: 50_000, ...rest }, requestId)]),
    );
  const told = (userId: number, requestId: string, rest: object = {}) =>
    toEnvelope(taskUpdated, 'channel', {
      ...{ taskId: 1, requestId, userId, tokenId: 0, channelId: 1, platform: 'midjourney', action: 'IMAGINE' },
      ...{ upstreamId: 'mj-1', status: 'FAILURE', progress: '100%', failReason: 'banned', isOver: true },
      ...rest,
    });
  const hear = (event: ReturnType<typeof told>) =>
    testBed.inContext(() => testBed.get(TaskUpdatedConsumer).refund([event, event]));
  const pay = () => testBed.inContext(() => testBed.get(TaskRefunds).payDue());
  const wallet = async (userId: number) => {
    const [row] = await testBed.sql<Record<string, string>>(
      `select "credit" - "spent" as "quota", "spent" from "account" where "user_id" = ?`,
      [userId],
    );
    return { quota: Number(row?.['quota']), spent: Number(row?.['spent']) };
  };
  const refunds = (requestId: string) =>
    testBed.sql<{ amount: string; reason: string | null }>(
      `select "amount", "reason" from "posting" where "code" = 'task-refund' and "reference" = ? order by "id"`,
      [requestId],
    );

  it('goes back into wallet and token once, however often the failure is reported and paid', async () => {
    const userId = await user();
    const tokenId = await token(userId, 50_000);
    const requestId = v7();
    await book(userId, requestId, { tokenId });
    expect(await wallet(userId)).toEqual({ quota: 50_000, spent: 50_000 });
    await Promise.all([hear(told(userId, requestId, { tokenId })), hear(told(userId, requestId, { tokenId }))]);
    await Promise.all([pay(), pay(), pay()]);
    expect(await wallet(userId)).toEqual({ quota: 100_000, spent: 0 });
    // The journal is never erased, and the upstream's text may repeat a user's prompt.
    expect(await refunds(requestId)).toEqual([{ amount: '50000', reason: null }]);
    const [row] = await testBed.sql<{ spent: string }>('select "spent" from "token" where "id" = ?', [tokenId]);
    expect(Number(row?.spent)).toBe(0);
    const events = await testBed.outbox<{ requestId: string; quota: number }>('task-refunded');
    expect(events.filter((data) => data.requestId === requestId)).toMatchObject([{ userId, quota: 50_000 }]);
  });

  it('waits for the request to be booked', async () => {
    const userId = await user();
    const requestId = v7();
    await hear(told(userId, requestId));
    await pay();
    expect(await wallet(userId)).toEqual({ quota: 100_000, spent: 0 });
    await book(userId, requestId);
    await pay();
    expect(await wallet(userId)).toEqual({ quota: 100_000, spent: 0 });
    expect(await refunds(requestId)).toMatchObject([{ amount: '50000' }]);
  });

  const breakTasks = (ids: readonly string[]) =>
    testBed.sql(
      `update "task_refund" set "task" = jsonb_set("task", '{failReason}', 'null') where "request_id" = any(?)`,
      [`{${ids.join(',')}}`],
    );
  const mend = (id: string) =>
    testBed.sql(
      `update "task_refund" set "task" = jsonb_set("task", '{failReason}', '"banned"'), "retry_at" = now(),
         "created_at" = now() - interval '91 days' where "request_id" = ?`,
      [id],
    );
  /** Refunds are requested before the charges are booked, so that they are not paid before the test breaks them. */
  const broken = async (userId: number, count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => v7());
    await testBed.inContext(() => testBed.get(TaskRefunds).want(ids.map((id) => told(userId, id).data)));
    await breakTasks(ids);
    const events = ids.map((id) => consumed({ userId, quota: 10 }, id));
    await testBed.inContext(() => testBed.get(BookingService).book(events));
    return ids;
  };

  it('does not wait for a hundred others that cannot be paid, and is retried as long as it fails', async () => {
    const userId = await user();
    const bad = await broken(userId, 100);
    const requestId = v7();
    await hear(told(userId, requestId));
    await book(userId, requestId);
    await pay();
    await pay();
    expect(await refunds(requestId)).toMatchObject([{ amount: '50000' }]);
    const [row] = await testBed.sql<{ tried: number; waits: number }>(
      `select count(*) filter (where "failures" > 0)::int as "tried", count(*) filter (where "retry_at" > "created_at")::int as "waits"
       from "task_refund" where "request_id" = any(?) and "done_at" is null`,
      [`{${bad.join(',')}}`],
    );
    expect(row).toEqual({ tried: 100, waits: 100 });
    const [first = ''] = bad;
    await mend(first);
    await pay();
    expect(await refunds(first)).toMatchObject([{ amount: '10' }]);
  });

  it('is counted where it fails, and where its charge came too late', async () => {
    const reading = async (name: string): Promise<number | undefined> =>
      (await testBed.get(Metrics).registry.getSingleMetric(`tollgate_billing_refunds_${name}`)?.get())?.values[0]
        ?.value;
    const count = () => testBed.inContext(() => testBed.get(TaskRefunds).count());
    await testBed.sql(`delete from "task_refund" where "done_at" is null`);
    const userId = await user();
    await broken(userId, 2);
    await pay();
    const late = v7();
    await hear(told(userId, late));
    await mend(late);
    await book(userId, late);
    await pay();
    await count();
    expect([await reading('failing'), await reading('given_up')]).toEqual([2, 1]);
    expect(await refunds(late)).toEqual([]);
  });

  const onConnection = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: testBed.harness.host.env.DATABASE_URL });
    await client.connect();
    return client
      .query('set search_path = billing')
      .then(() => work(client))
      .finally(() => client.end());
  };
  /** Lays a correction down and posts it as if it had been approved; returns the number of corrected requests. */
  const correct = async (userId: number, requestId: string, rerated: number, rest: object = {}): Promise<number> => {
    const wanted = { requestId, userId, tokenId: 0, model: 'm', group: 'default', channelId: 1, charged: 0, rerated };
    const [run] = await onConnection((client) =>
      submitCorrections(
        async <Row extends object>(text: string, values: unknown[] = []) =>
          (await client.query<Row>(text, values)).rows,
        [{ ...wanted, ...rest }],
        { reason: 'other prices', requestedBy: 1 },
      ),
    );
    if (!run) return 0;
    await testBed.inContext(() =>
      testBed.get(EntityManager).transactional(async (em) => {
        const request = await em.findOneOrFail(Approval, { id: run.approvalId });
        Object.assign(request, { status: 'approved', deciderId: 2, decidedAt: new Date() });
        await em.flush();
        await testBed.get(CorrectionPoster).carryOut(request);
      }),
    );
    return run.requests;
  };
  /** Returns which of these ids the check of the books reports. */
  const named = async (...ids: string[]): Promise<string[]> => {
    const faults = new Set(await testBed.faultsOf('failed tasks were paid back'));
    return ids.filter((id) => faults.has(`task:${id}`));
  };

  it('goes back including its corrections, and no more', async () => {
    const userId = await user();
    const [dearer, cheaper, free] = [v7(), v7(), v7()];
    const tokenId = await token(userId, 200_000);
    await book(userId, dearer, { quota: 10_000, tokenId });
    for (const id of [cheaper, free]) await book(userId, id, { quota: 10_000 });
    await correct(userId, dearer, 14_000, { tokenId });
    await correct(userId, dearer, 15_000, { tokenId });
    await correct(userId, cheaper, 4_000);
    await correct(userId, free, 0);
    expect(await wallet(userId)).toEqual({ quota: 81_000, spent: 19_000 });
    await hear(told(userId, dearer, { tokenId }));
    for (const id of [cheaper, free]) await hear(told(userId, id));
    await pay();
    expect(await wallet(userId)).toEqual({ quota: 100_000, spent: 0 });
    expect(await refunds(dearer)).toMatchObject([{ amount: '15000' }]);
    expect(await refunds(cheaper)).toMatchObject([{ amount: '4000' }]);
    expect(await refunds(free)).toEqual([]);
    const [row] = await testBed.sql<{ spent: string }>('select "spent" from "token" where "id" = ?', [tokenId]);
    expect(Number(row?.spent)).toBe(0);
    expect(await named(dearer, cheaper, free)).toEqual([]);
    // A refunded task is not charged again by a later correction.
    for (const id of [dearer, cheaper, free]) expect(await correct(userId, id, 20_000)).toBe(0);
    expect(await wallet(userId)).toEqual({ quota: 100_000, spent: 0 });
  });

  it('waits for a change of its token, which takes its locks in the same order', async () => {
    const userId = await user();
    const [tokenId, requestId] = [await token(userId, 50_000), v7()];
    await hear(told(userId, requestId, { tokenId }));
    const due = (at: string) =>
      testBed.sql(`update "task_refund" set "retry_at" = ${at} where "request_id" = ?`, [requestId]);
    await due(`now() + interval '1 hour'`);
    await book(userId, requestId, { tokenId });
    await onConnection(async (client) => {
      await client.query('begin');
      await client.query('select 1 from "token" where "id" = $1 for update', [tokenId]);
      await due('now()');
      const paid = pay();
      await eventually('the refund waits for the token', () => isWaitedFor((sql) => client.query(sql)));
      await client.query(`update "change_revision" set "value" = "value" + 1 where "name" = 'token'`);
      await client.query('commit');
      await paid;
    });
    expect(await wallet(userId)).toEqual({ quota: 100_000, spent: 0 });
    const [row] = await testBed.sql<{ failures: number }>(
      'select "failures" from "task_refund" where "request_id" = ?',
      [requestId],
    );
    expect(row).toEqual({ failures: 0 });
  });

  it('is all of it, whichever of a correction and the refund comes first', async () => {
    const userId = await user();
    const ids = Array.from({ length: 12 }, () => v7());
    for (const id of ids) await book(userId, id, { quota: 1_000 });
    // Whichever runs second finds that the charge has changed, or was refunded.
    const corrections = ids.map((id, index) => correct(userId, id, index % 2 === 0 ? 3_000 : 200).catch(() => 0));
    for (const id of ids) await hear(told(userId, id));
    await Promise.all([...corrections, pay(), pay()]);
    await pay();
    expect(await wallet(userId)).toEqual({ quota: 100_000, spent: 0 });
    expect(await named(...ids)).toEqual([]);
  });

  it("is reported by reconcile where it differs from the sum of the request's postings", async () => {
    const userId = await user();
    const requestId = v7();
    await book(userId, requestId, { quota: 10_000 });
    await correct(userId, requestId, 4_000);
    await hear(told(userId, requestId));
    await pay();
    expect(await named(requestId)).toEqual([]);
    const harm = (amount: number) =>
      onConnection(async (client) => {
        await client.query('set session_replication_role = replica');
        await client.query(`update "posting" set "amount" = $1 where "code" = 'task-refund' and "reference" = $2`, [
          ...[amount, requestId],
        ]);
      });
    await harm(10_000);
    expect(await named(requestId)).toEqual([requestId]);
    await harm(4_000);
    expect(await named(requestId)).toEqual([]);
  });

  it('is nothing where nothing was charged, or nothing failed', async () => {
    const userId = await user();
    const [free, fine] = [v7(), v7()];
    await book(userId, free, { quota: 0 });
    await book(userId, fine);
    await hear(told(userId, free));
    await hear(told(userId, fine, { status: 'SUCCESS' }));
    await hear(told(userId, fine, { status: 'IN_PROGRESS', isOver: false }));
    await pay();
    expect(await refunds(free)).toEqual([]);
    expect(await refunds(fine)).toEqual([]);
  });
});
