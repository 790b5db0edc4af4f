import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from '@tollgate/contracts';
import type { BudgetChange, TokenBudget } from '@tollgate/contracts/api/journal';
import { hasPostgres } from '@tollgate/testing';
import { deskAt, first, second } from './desk.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('the budget of a key', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling();
    for (const { id } of [first, second]) testBed.neighbours.users.set(id, { role: 10 });
  });
  afterAll(() => testBed.close());

  const { newUser, post, read, journal, codeOf, newToken } = deskAt(() => testBed);

  it('is raised and lowered by administrators, by postings with a reason, and audited', async () => {
    const userId = newUser();
    const token = await newToken(userId, 100);
    const raise = { delta: 50, reason: 'campaign' };
    const key = { 'idempotency-key': 'budget-key-1' };
    const { body } = await post<BudgetChange>(first, `/api/token/${token.id}/budget`, raise, key);
    expect(body.data).toEqual({ before: 100, after: 150 });
    const again = await post<BudgetChange>(first, `/api/token/${token.id}/budget`, raise, key);
    expect(again.body.data).toEqual({ before: 100, after: 150 });
    const other = await post(first, `/api/token/${token.id}/budget`, { delta: 51, reason: 'campaign' }, key);
    expect(codeOf(other.body)).toBe('idempotency-key-reused');
    await post(first, `/api/token/${token.id}/budget`, { remain_quota: 20, reason: 'misuse' });
    const { items } = await read<Page<TokenBudget>>(first, `/api/token/user/${userId}`);
    expect(items).toMatchObject([{ id: token.id, remain_quota: 20 }]);
    expect(JSON.stringify(items)).not.toContain(token.key);
    const rows = (await journal({ token_id: token.id, code: 'token-budget' })).items;
    expect(rows.map(({ amount, debit, reason }) => [amount, debit, reason])).toEqual([
      [130, `token:${token.id}`, 'misuse'],
      [50, 'budgets', 'campaign'],
      [100, 'budgets', ''],
    ]);
    const told = await testBed.sql<{ value: string }>(
      `select "value" from "outbox_event" where "topic" = 'admin-action' order by "id"`,
    );
    const audit = told.map(
      ({ value }) => JSON.parse(value) as { id: string; data: { action: string; subject: string } },
    );
    const changes = audit.filter(({ data }) => data.subject === `token:${token.id}` && data.action === 'token-budget');
    // Each audit event has the id of its posting, by which the chain of proof finds it.
    expect(changes.map(({ id }) => id)).toEqual(
      rows
        .slice(0, 2)
        .map(({ id }) => id)
        .reverse(),
    );
  });

  it('changes nothing by repeating a command that changed nothing, however late', async () => {
    const token = await newToken(newUser(), 100);
    const path = `/api/token/${token.id}/budget`;
    const [wish, headers] = [
      { remain_quota: 100, reason: 'as agreed' },
      { 'idempotency-key': 'budget-key-of-nothing' },
    ];
    const moved = await post<BudgetChange>(first, path, wish, headers);
    expect(moved.body.data).toEqual({ before: 100, after: 100 });
    await post(first, path, { remain_quota: 60, reason: 'less' });
    expect((await post<BudgetChange>(first, path, wish, headers)).body.data).toEqual({ before: 100, after: 100 });
    const [row] = await testBed.sql<{ credit: string }>(`select "credit" from "token" where "id" = ?`, [token.id]);
    expect(row?.credit).toBe('60');
  });

  it('changes once per command, also when two arrive at the same moment', async () => {
    const userId = newUser();
    const tokens = [await newToken(userId, 100), await newToken(userId, 100)];
    const ids = (await read<Page<TokenBudget>>(first, `/api/token/user/${userId}`)).items.map(({ id }) => id);
    expect(ids).toHaveLength(tokens.length);
    const wish = { delta: 50, reason: 'campaign' };
    const headers = { 'idempotency-key': 'one-key-for-two' };
    const replies = await Promise.all(ids.map((id) => post(first, `/api/token/${id}/budget`, wish, headers)));
    expect(replies.map(({ body }) => codeOf(body) ?? 'done').sort()).toEqual(['done', 'idempotency-key-reused']);
    const rows = await testBed.sql<{ credit: string; posted: string }>(
      `select t."credit", sum(p."amount") as "posted" from "token" t
       join "posting" p on p."token_id" = t."id" and p."code" = 'token-budget' where t."user_id" = ? group by 1, t."id" order by 1`,
      [userId],
    );
    expect(rows).toEqual([
      { credit: '100', posted: '100' },
      { credit: '150', posted: '150' },
    ]);
  });

  it('does not fall below zero, and is not for users or equals', async () => {
    const userId = newUser();
    const token = await newToken(userId, 10);
    const path = `/api/token/${token.id}/budget`;
    expect(codeOf((await post(first, path, { delta: -11, reason: 'x' })).body)).toBe('budget-below-zero');
    expect(codeOf((await post(first, path, { delta: 5 })).body)).toBe('invalid-input');
    expect(codeOf((await post(first, path, { delta: 5, remain_quota: 5, reason: 'x' })).body)).toBe('invalid-input');
    testBed.neighbours.users.set(userId, { role: 10 });
    expect(codeOf((await post(first, path, { delta: 5, reason: 'x' })).body)).toBe('user-of-equal-or-higher-rank');
    expect((await testBed.harness.request('POST', path, { as: { id: userId }, body: {} })).body.success).toBe(false);
  });
});
