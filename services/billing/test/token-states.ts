import { expect, it } from '@jest/globals';
import { resolveTokens } from '@tollgate/contracts';
import type { Token } from '@tollgate/contracts/api/token';
import { EXHAUSTED, type TokenWorld } from './token-world.js';

const EXPIRED = '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期';

/** The status of a token, which follows from its budget and its time of expiry, and the postings of its budget. */
export function describeTokenStates(world: TokenWorld): void {
  it('shows a token without a budget as used up to its owner and to the relay, also when it never had one', async () => {
    const as = world.newCaller();
    const token = await world.create(as, { remain_quota: 0 });
    expect(token).toMatchObject({ status: 4, remain_quota: 0, used_quota: 0 });
    expect(await world.search(as, { keyword: token.name })).toMatchObject([{ status: 4 }]);
    const { body } = await world.testBed.harness.request<Token>('GET', `/api/token/${token.id}`, { as });
    expect(body).toMatchObject({ success: true, data: { status: 4 } });
    expect(await world.testBed.call(resolveTokens, { ids: [token.id] })).toMatchObject({ tokens: [{ status: 4 }] });
    expect((await world.put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: EXHAUSTED,
    });
    expect((await world.put(as, { id: token.id, unlimited_quota: true })).body).toMatchObject({ data: { status: 1 } });
  });

  it('lets a form with the status that it read use up or expire a working token', async () => {
    const as = world.newCaller();
    const token = await world.create(as);
    const ended = await world.put(as, { ...token, expired_time: 1000 });
    expect(ended.body).toMatchObject({ success: true, data: { status: 3, expired_time: 1000 } });
    await world.put(as, { id: token.id, expired_time: -1 });
    expect((await world.put(as, { ...token, remain_quota: 0 })).body).toMatchObject({
      success: true,
      data: { status: 4 },
    });
    expect((await world.put(as, { ...token, remain_quota: 0 })).body).toMatchObject({
      success: false,
      message: EXHAUSTED,
    });
  });

  it('shows and guards the states that follow from time and budget', async () => {
    const as = world.newCaller();
    const token = await world.create(as, { remain_quota: 100 });
    await world.spend(as.id, token.id, 130);
    expect(await world.list(as)).toMatchObject([{ status: 4, remain_quota: 0, used_quota: 130 }]);
    expect((await world.put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: EXHAUSTED,
    });
    expect((await world.put(as, { id: token.id, name: 'x', status: 1 })).body).toMatchObject({
      success: false,
      message: EXHAUSTED,
    });
    const refilled = await world.put(as, { id: token.id, remain_quota: 50, status: 1 });
    expect(refilled.body).toMatchObject({
      success: true,
      data: { status: 1, remain_quota: 50, used_quota: 130, name: '我的API' },
    });
    await world.put(as, { id: token.id, expired_time: 1000 });
    expect(await world.list(as)).toMatchObject([{ status: 3 }]);
    expect((await world.put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: EXPIRED,
    });
    expect((await world.put(as, { id: token.id, status: 2 }, { status_only: 'true' })).body).toMatchObject({
      success: true,
      data: { status: 2 },
    });
    const mended = { expired_time: -1, unlimited_quota: true, remain_quota: 0 };
    expect((await world.put(as, { id: token.id, status: 1, ...mended })).body).toMatchObject({
      success: true,
      data: { status: 2 },
    });
    expect((await world.put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: true,
      data: { status: 1 },
    });
  });

  it('journals every change of a budget, so that the budget is the sum of its postings', async () => {
    const as = world.newCaller();
    const token = await world.create(as, { remain_quota: 100 });
    await world.spend(as.id, token.id, 30);
    await world.put(as, { id: token.id, remain_quota: 500 });
    await world.put(as, { id: token.id, remain_quota: 20 });
    await world.put(as, { id: token.id, remain_quota: 20 });
    const rows = await world.testBed.sql<{ debit: string; credit: string; amount: string }>(
      `select "debit", "credit", "amount" from "posting" where "token_id" = ? and "code" = 'token-budget' order by "id"`,
      [token.id],
    );
    const budget = `token:${token.id}`;
    expect(rows).toEqual([
      { debit: 'budgets', credit: budget, amount: '100' },
      { debit: 'budgets', credit: budget, amount: '430' }, // 70 remained, 500 wanted
      { debit: budget, credit: 'budgets', amount: '480' }, // 500 remained, 20 wanted
    ]);
    const [row] = await world.testBed.sql<{ credit: string }>(`select "credit" from "token" where "id" = ?`, [
      token.id,
    ]);
    expect(Number(row?.credit)).toBe(100 + 430 - 480);
  });
}
