import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasPostgres, type TestCaller, type TestReply } from '@tollgate/testing';
import { signedEpayFields } from '../src/payment/epay.js';
import { OrderStateService, UNMATCHED_OF_A_DAY } from '../src/top-up/order-state.service.js';
import { admin, EPAY_KEY, epayOptions, type Fields, paymentsAt } from './payments.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('top-up orders', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling(epayOptions);
  });
  afterAll(() => testBed.close());

  const { newCaller, post, pay, noticeOf, notify, orders, orderOf, detail, quotaOf } = paymentsAt(() => testBed);
  const fillWallet = ({ id }: TestCaller, credit: number) =>
    testBed.sql(
      `insert into "account" ("user_id", "credit") values (?, ?) on conflict ("user_id") do update set "credit" = excluded."credit"`,
      [id, credit],
    );
  const bare = ({ body }: TestReply) => ({ success: body.success, message: body.message, data: body['data'] });

  it('quotes the exact price of an amount, by the ratio of the group', async () => {
    const cost = (group: string, amount: unknown) => post(newCaller(group), '/api/user/amount', { amount });
    expect((await cost('default', 1)).body).toEqual({ success: true, message: 'success', data: '7.30' });
    expect((await cost('vip', 3)).body).toMatchObject({ data: '18.62' }); // 3 × 7.3 × 0.85 = 18.615
    expect((await cost('other', 2)).body).toMatchObject({ data: '14.60' });
    expect(bare(await cost('default', 0))).toEqual({ success: false, message: 'error', data: '充值数量不能小于 1' });
    for (const path of ['/api/user/amount', '/api/user/pay'])
      for (const [body, status, data] of [
        ['{"amount":', 200, '参数错误'],
        ['{"amount":2,"amount":3}', 200, '字段 amount 不能重复'],
        [`{"amount":"${'2'.repeat(1024 * 1024)}"}`, 413, '请求体过大'],
      ] as const) {
        const reply = await post(newCaller(), path, body);
        expect({ ...bare(reply), status: reply.status }).toEqual({ success: false, message: 'error', data, status });
      }
    for (const amount of ['x', 1.5, null, undefined])
      expect(bare(await cost('default', amount))).toEqual({ success: false, message: 'error', data: '参数错误' });
    for (const Price of ['0.001', '0.01']) {
      testBed.setOptions({ Price });
      for (const path of ['/api/user/amount', '/api/user/pay']) {
        const reply = await post(newCaller(), path, { amount: 1, payment_method: 'zfb' });
        expect(bare(reply)).toEqual({ success: false, message: 'error', data: '充值金额过低' });
      }
    }
    testBed.setOptions({ Price: '0.02' });
    expect((await cost('default', 1)).body).toMatchObject({ data: '0.02' });
    expect((await pay(newCaller()))['money']).toBe('0.02');
    testBed.setOptions({ Price: '7.3', DisplayInCurrencyEnabled: 'false', MinTopUp: '2' });
    expect(bare(await cost('default', 750_000))).toMatchObject({ data: '充值数量不能小于 1000000' });
    expect((await cost('default', 1_500_000)).body).toMatchObject({ data: '21.90' });
    testBed.setOptions({ DisplayInCurrencyEnabled: 'true', MinTopUp: '1' });
  });

  it('returns a form that the gateway can verify', async () => {
    const as = newCaller();
    const { body } = await post(as, '/api/user/pay', { amount: 2, payment_method: 'zfb' });
    expect(body).toMatchObject({ message: 'success', url: 'https://pay.example/submit.php' });
    const form = body['data'] as Fields;
    const tradeNo = form['out_trade_no'] ?? '';
    expect(tradeNo).toMatch(new RegExp(`^USR${as.id}NO[A-Za-z0-9]{6}\\d{10}$`));
    const { sign, ...rest } = form;
    expect(rest).toEqual({
      pid: '1001',
      type: 'alipay',
      out_trade_no: tradeNo,
      notify_url: 'https://tollgate.example/api/user/epay/notify',
      return_url: 'https://tollgate.example/log',
      name: 'TUC2',
      money: '14.60',
      device: 'pc',
      sign_type: 'MD5',
    });
    expect(signedEpayFields(rest, EPAY_KEY)['sign']).toBe(sign);
    expect(await orderOf(as)).toMatchObject({ trade_no: tradeNo, status: 'pending', quota: 1_000_000, money: '14.60' });
    testBed.setOptions({ CustomCallbackAddress: 'https://callback.example' });
    expect((await pay(as))['notify_url']).toBe('https://callback.example/api/user/epay/notify');
    testBed.setOptions({ CustomCallbackAddress: '', ServerAddress: '' });
    const { address } = testBed.harness.host;
    expect(await pay(as)).toMatchObject({
      notify_url: `${address}/api/user/epay/notify`,
      return_url: `${address}/log`,
    });
    testBed.setOptions({ ServerAddress: epayOptions.ServerAddress });
  });

  it.each([undefined, null, 7, ['zfb'], '', 'wx', 'x'.repeat(1000)])(
    'pays by WeChat for the method %p',
    async (method) => {
      const { body } = await post(newCaller(), '/api/user/pay', { amount: 1, payment_method: method });
      expect(body).toMatchObject({ message: 'success', data: { type: 'wxpay' } });
    },
  );

  it('credits once when the gateway reports ten times at once, by GET and by POST', async () => {
    const as = newCaller();
    const fields = noticeOf(await pay(as));
    const byPost = async () =>
      (
        await testBed.harness.request('POST', '/api/user/epay/notify', {
          body: new URLSearchParams(fields).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).text;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? notify(fields) : byPost())),
    );
    expect(new Set(answers)).toEqual(new Set(['success']));
    expect(await quotaOf(as)).toBe(500_000);
    const order = await orderOf(as);
    expect(order).toMatchObject({ status: 'paid', complete_time: expect.any(Number) });
    expect(
      await testBed.sql(
        `select "debit", "credit", "amount" from "posting" where "code" = 'top-up' and "reference" = ?`,
        [order.trade_no],
      ),
    ).toEqual([{ debit: 'payments', credit: `wallet:${as.id}`, amount: '500000' }]);
    const events = (await testBed.outbox<{ tradeNo: string }>('top-up-completed')).filter(
      ({ tradeNo }) => tradeNo === order.trade_no,
    );
    expect(events).toEqual([
      {
        ...{ userId: as.id, orderId: order.id, tradeNo: order.trade_no, provider: 'epay', method: 'alipay' },
        ...{ quota: 500_000, quotaText: '＄1.000000 额度', money: '7.30', currency: 'CNY' },
      },
    ]);
    const { steps } = await detail(order.id);
    expect(steps.slice(0, 2)).toMatchObject([
      { kind: 'created', to: 'pending', actor_id: as.id },
      {
        kind: 'callback',
        verdict: 'credited',
        from: 'pending',
        to: 'paid',
        raw: expect.stringContaining('TRADE_SUCCESS'),
      },
    ]);
    expect(steps.slice(2).map(({ verdict }) => verdict)).toEqual(Array<string>(9).fill('repeated'));
  });

  it.each<{ what: string; change?: Fields; key?: string; verdict: string; status: string }>([
    { what: 'a wrong amount', change: { money: '0.01' }, verdict: 'amount-mismatch', status: 'refused' },
    { what: 'another merchant', change: { pid: '1002' }, verdict: 'wrong-merchant', status: 'refused' },
    { what: 'an unfinished payment', change: { trade_status: 'WAIT' }, verdict: 'not-paid', status: 'pending' },
    { what: 'a foreign signature', key: 'other-key', verdict: 'bad-signature', status: 'pending' },
  ])('credits nothing for $what, with a verdict', async ({ change, key, verdict, status }) => {
    const as = newCaller();
    const form = await pay(as);
    expect(await notify(noticeOf(form, change, key))).toBe('fail');
    expect(await quotaOf(as)).toBe(0);
    const order = await orderOf(as);
    expect(order.status).toBe(status);
    expect((await detail(order.id)).steps[1]).toMatchObject({ kind: 'callback', verdict, to: status });
    // The correct notice may still come.
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await quotaOf(as)).toBe(500_000);
  });

  it('keeps a payment that no longer fits into the wallet, and credits it once it does', async () => {
    const as = newCaller();
    const form = await pay(as);
    await fillWallet(as, Number.MAX_SAFE_INTEGER - 1);
    for (let turn = 0; turn < 50; turn += 1) await notify(noticeOf(form, { trade_no: String(turn) }, 'guess'));
    expect(await notify(noticeOf(form))).toBe('fail');
    expect(await notify(noticeOf(form))).toBe('fail');
    const order = await orderOf(as);
    expect(order.status).toBe('pending');
    expect((await detail(order.id)).steps.at(-1)).toMatchObject({
      ...{ kind: 'callback', verdict: 'not-credited', from: 'pending', to: 'pending' },
      reason: '额度超出可以保存的范围，最多为 9007199254740991',
      raw: expect.stringContaining('TRADE_SUCCESS'),
    });
    await fillWallet(as, 0);
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await quotaOf(as)).toBe(500_000);
    expect((await detail(order.id)).steps.at(-1)).toMatchObject({ verdict: 'credited', to: 'paid' });
  });

  it('credits such a payment once it fits, even if the provider does not repeat it', async () => {
    const as = newCaller();
    const form = await pay(as);
    await fillWallet(as, Number.MAX_SAFE_INTEGER - 1);
    expect(await notify(noticeOf(form))).toBe('fail');
    const look = () => testBed.inContext(() => testBed.get(OrderStateService).creditHeldBack());
    await look();
    expect((await orderOf(as)).status).toBe('pending');
    await fillWallet(as, 0);
    await Promise.all([look(), look()]);
    await look();
    const order = await orderOf(as);
    expect([order.status, await quotaOf(as)]).toEqual(['paid', 500_000]);
    expect((await detail(order.id)).steps.map(({ verdict, to }) => [verdict, to])).toEqual([
      ['', 'pending'],
      ['not-credited', 'pending'],
      ['credited', 'paid'],
    ]);
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await quotaOf(as)).toBe(500_000);
  });

  it('does not let another failing payment delay such a payment', async () => {
    const [broken, sound] = [newCaller(), newCaller()];
    for (const as of [broken, sound]) {
      const form = await pay(as);
      await fillWallet(as, Number.MAX_SAFE_INTEGER - 1);
      expect(await notify(noticeOf(form))).toBe('fail');
    }
    const beyond = `update "account" set "credit" = 9223372036854775807 where "user_id" = ?`;
    await testBed.sql(beyond, [broken.id]);
    await fillWallet(sound, 0);
    await testBed.inContext(() => testBed.get(OrderStateService).creditHeldBack());
    expect([await quotaOf(sound), (await orderOf(broken)).status]).toEqual([500_000, 'pending']);
  });

  it('creates no order that the wallet could not hold, and none beyond the limit', async () => {
    const as = newCaller();
    const refused = { success: false, message: 'error', data: '充值数量过大' };
    const ask = async (amount: number) => bare(await post(as, '/api/user/pay', { amount, payment_method: 'zfb' }));
    expect(await ask(20_000_001)).toEqual(refused);
    await fillWallet(as, Number.MAX_SAFE_INTEGER - 499_999);
    expect(await ask(1)).toEqual(refused);
    expect((await orders(as)).total).toBe(0);
    await fillWallet(as, Number.MAX_SAFE_INTEGER - 500_000);
    const form = await pay(as);
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await quotaOf(as)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('trusts no callback while the key is empty, and answers an empty call', async () => {
    const as = newCaller();
    const form = await pay(as);
    testBed.setOptions({ EpayKey: '' });
    expect(await notify(noticeOf(form, {}, ''))).toBe('fail');
    expect(bare(await post(as, '/api/user/pay', { amount: 1, payment_method: 'zfb' }))).toMatchObject({
      message: 'error',
      data: '当前管理员未配置支付信息',
    });
    testBed.setOptions({ EpayKey: EPAY_KEY });
    expect(await notify({})).toBe('fail');
    expect(await notify(noticeOf({ ...form, out_trade_no: 'USR1NOnobody1' }))).toBe('fail');
    expect(
      await testBed.sql(
        `select "verdict" from "top_up_step" where "order_id" is null and "trade_no" = 'USR1NOnobody1'`,
      ),
    ).toEqual([{ verdict: 'unknown-order' }]);
    expect(await quotaOf(as)).toBe(0);
  });

  it('lets orders expire, and credits a payment that comes late', async () => {
    const as = newCaller();
    const form = await pay(as);
    await testBed.sql(`update "top_up_order" set "expires_at" = now() - interval '1 second' where "trade_no" = ?`, [
      form['out_trade_no'],
    ]);
    await testBed.inContext(() => testBed.get(OrderStateService).expire());
    const order = await orderOf(as);
    expect(order.status).toBe('expired');
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await quotaOf(as)).toBe(500_000);
    expect((await detail(order.id)).steps.map(({ kind, verdict, to }) => [kind, verdict, to])).toEqual([
      ['created', '', 'pending'],
      ['expired', '', 'expired'],
      ['callback', 'late', 'paid'],
    ]);
  });

  it('credits money for a deleted user, marks it, and lets an administrator refund it', async () => {
    const as = newCaller();
    const form = await pay(as);
    testBed.neighbours.gone.add(as.id);
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await notify(noticeOf(form))).toBe('success');
    expect(await quotaOf(as)).toBe(500_000);
    const { items } = await orders(admin, '/api/user/topup', { user_id: as.id });
    const order = await detail(items[0]?.id ?? 0);
    expect(order).toMatchObject({ status: 'paid', user_id: as.id });
    expect(order.steps.map(({ verdict }) => verdict)).toEqual(['', 'owner-gone', 'repeated']);
    const refund = await post(admin, `/api/user/topup/${order.id}/refund`, { reason: 'deleted' });
    expect(refund.body.success).toBe(true);
    expect(await quotaOf(as)).toBe(0);
    expect((await detail(order.id)).status).toBe('refunded');
  });

  it('stores few of the callbacks that anybody may send about an order', async () => {
    const as = newCaller();
    const form = await pay(as);
    for (let turn = 0; turn < 60; turn += 1) await notify(noticeOf(form, { trade_no: String(turn) }, 'guess'));
    const { id } = await orderOf(as);
    expect((await detail(id)).steps).toHaveLength(51);
    // What the provider signed has room of its own, which is limited, too.
    const unpaid = noticeOf(form, { trade_status: 'WAIT' });
    expect(await notify(unpaid)).toBe('fail');
    expect((await detail(id)).steps.at(-1)).toMatchObject({ verdict: 'not-paid', to: 'pending' });
    for (let turn = 0; turn < 60; turn += 1) await notify(unpaid);
    expect((await detail(id)).steps).toHaveLength(100);
    expect(await notify(noticeOf(form))).toBe('success');
    expect((await detail(id)).steps.at(-1)).toMatchObject({ verdict: 'credited', to: 'paid' });
  });

  it('stores few callbacks without an order, forged ones least of all', async () => {
    const stray = (tradeNo: string, key = EPAY_KEY) =>
      notify(noticeOf({ pid: '1001', out_trade_no: tradeNo, name: 'n'.repeat(2_000) }, {}, key));
    const kept = () =>
      testBed.sql<{ trade_no: string; size: number }>(
        `select "trade_no", length("raw") as "size" from "top_up_step" where "trade_no" like 'stray%' order by "id"`,
      );
    await stray('stray-1', 'guess');
    expect(await kept()).toEqual([{ trade_no: 'stray-1', size: 500 }]);
    const { keyValue } = testBed.harness.host;
    const { limit, windowMs } = UNMATCHED_OF_A_DAY;
    for (let turn = 0; turn < limit; turn += 1) await keyValue.admit('unmatched-callbacks:forged:day', limit, windowMs);
    await stray('stray-2', 'guess');
    await stray('stray-3');
    expect((await kept()).map(({ trade_no: tradeNo }) => tradeNo)).toEqual(['stray-1', 'stray-3']);
  });

  it('limits the number of new orders', async () => {
    const as = newCaller();
    const replies = [];
    for (let turn = 0; turn < 61; turn += 1) replies.push(await post(as, '/api/user/pay', { amount: 1 }));
    expect(replies.map(({ status }) => status).filter((status) => status !== 200)).toEqual([429]);
  });

  it('does not let a hundred older payments that never fit delay such a payment', async () => {
    const full = newCaller();
    await fillWallet(full, Number.MAX_SAFE_INTEGER);
    await testBed.sql(
      `with o as (
         insert into "top_up_order" ("user_id", "trade_no", "provider", "method", "merchant", "status", "amount", "quota", "money", "currency", "created_at", "expires_at")
         select ?::int, 'full-' || n, 'epay', 'alipay', '1001', 'pending', 1, 500, '1', 'CNY', now(), now() + interval '1 day' from generate_series(1, 250) n
         returning "id", "trade_no")
       insert into "top_up_step" ("order_id", "trade_no", "happened_at", "kind", "verdict") select "id", "trade_no", now(), 'callback', 'not-credited' from o`,
      [full.id],
    );
    const as = newCaller();
    const form = await pay(as);
    await fillWallet(as, Number.MAX_SAFE_INTEGER - 1);
    expect(await notify(noticeOf(form))).toBe('fail');
    await fillWallet(as, 0);
    for (let turn = 0; turn < 3; turn += 1)
      await testBed.inContext(() => testBed.get(OrderStateService).creditHeldBack());
    expect(await quotaOf(as)).toBe(500_000);
    // Payments that were skipped are tried again later.
    await fillWallet(full, 0);
    for (let turn = 0; turn < 4; turn += 1)
      await testBed.inContext(() => testBed.get(OrderStateService).creditHeldBack());
    expect(await quotaOf(full)).toBe(250 * 500);
  });
});
