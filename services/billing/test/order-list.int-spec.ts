import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TopUpDetail } from '@tollgate/contracts/api/top-up';
import { hasPostgres } from '@tollgate/testing';
import { admin, epayOptions, paymentsAt } from './payments.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('orders that were made', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling(epayOptions);
  });
  afterAll(() => testBed.close());

  const { newCaller, post, pay, noticeOf, notify, orders, orderOf, detail, quotaOf } = paymentsAt(() => testBed);

  it("shows owners their orders without the gateway's messages, and administrators all of them", async () => {
    const as = newCaller();
    await notify(noticeOf(await pay(as)));
    const order = await orderOf(as);
    const own = await testBed.harness.request<TopUpDetail>('GET', `/api/user/topup/self/${order.id}`, { as });
    expect(own.text).not.toContain('TRADE_SUCCESS');
    const foreign = await testBed.harness.request('GET', `/api/user/topup/self/${order.id}`, { as: newCaller() });
    expect(foreign.body).toMatchObject({ success: false, message: '订单不存在' });
    const found = (query: object) => orders(admin, '/api/user/topup', query);
    expect((await found({ keyword: order.trade_no.slice(3, 20) })).items).toEqual([order]);
    expect((await found({ keyword: '%' })).total).toBe(0);
    expect((await found({ user_id: as.id, status: 'paid' })).total).toBe(1);
    expect((await found({ user_id: as.id, status: 'pending' })).total).toBe(0);
    expect(
      (await found({ user_id: as.id, start_timestamp: order.create_time, end_timestamp: order.create_time })).total,
    ).toBe(1);
    expect((await found({ user_id: as.id, end_timestamp: order.create_time - 1 })).total).toBe(0);
    expect((await orders(as, '/api/user/topup/self', { user_id: 1 })).total).toBe(1);
  });

  it('find nothing by an unknown id, and refuse an invalid word', async () => {
    for (const user_id of ['99999999999', '9'.repeat(30), '-1'])
      expect((await orders(admin, '/api/user/topup', { user_id })).total).toBe(0);
    const none: Record<string, string>[] = [{ status: 'Paid' }, { provider: 'paypal' }];
    for (const query of none)
      expect((await testBed.harness.request('GET', '/api/user/topup', { as: admin, query })).body).toMatchObject({
        ...{ success: false, message: '参数错误' },
      });
  });

  it.each([Number.MAX_SAFE_INTEGER, 8_640_000_000_001, 253_402_300_800, 1e300])(
    'refuses %p as the time of an order',
    async (time) => {
      for (const [path, as] of [['/api/user/topup', admin] as const, ['/api/user/topup/self', newCaller()] as const])
        for (const name of ['start_timestamp', 'end_timestamp']) {
          const { status, body } = await testBed.harness.request('GET', path, { as, query: { [name]: String(time) } });
          expect([status, body.success, body.message]).toEqual([200, false, '参数错误']);
        }
    },
  );

  it('keeps what the gateway sent from administrators who rank no higher than the owner', async () => {
    const as = newCaller();
    await notify(noticeOf(await pay(as)));
    const { id } = await orderOf(as);
    const rawFor = async (role: 10 | 100) => (await detail(id, { id: 2, role })).steps.map(({ raw }) => raw ?? null);
    const whole = ['', expect.stringContaining('TRADE_SUCCESS')];
    expect(await rawFor(10)).toEqual(whole);
    for (const role of [10, 100] as const) {
      testBed.neighbours.users.set(as.id, { role });
      expect(await rawFor(10)).toEqual([null, null]);
      expect(await rawFor(100)).toEqual(whole);
    }
    testBed.neighbours.users.delete(as.id);
  });

  it('takes back a refunded order once, and below zero only if allowed', async () => {
    const as = newCaller();
    const form = await pay(as);
    await notify(noticeOf(form));
    const { id, trade_no: tradeNo } = await orderOf(as);
    const refund = (body: object, by = admin) => post(by, `/api/user/topup/${id}/refund`, body);
    testBed.neighbours.users.set(as.id, { role: 10 });
    expect((await refund({ reason: 'asked' })).body).toMatchObject({ code: 'user-of-equal-or-higher-rank' });
    testBed.neighbours.users.delete(as.id);
    expect((await refund({ reason: ' ' })).body).toMatchObject({ message: '请填写退款原因' });
    await testBed.sql(`update "account" set "spent" = 1 where "user_id" = ?`, [as.id]);
    expect((await refund({ reason: 'asked' })).body).toMatchObject({
      code: 'wallet-short',
      fields: [{ path: 'allow_negative' }],
    });
    const replies = await Promise.all([1, 2, 3].map(() => refund({ reason: 'asked', allow_negative: true })));
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
    expect(await quotaOf(as)).toBe(-1);
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await quotaOf(as)).toBe(-1);
    expect((await detail(id)).steps[2]).toMatchObject({
      kind: 'refunded',
      to: 'refunded',
      actor_id: 2,
      reason: 'asked',
    });
    const events = await testBed.outbox<{ tradeNo: string }>('top-up-refunded');
    expect(events.filter((event) => event.tradeNo === tradeNo)).toMatchObject([{ actorId: 2, quota: 500_000 }]);
  });
});
