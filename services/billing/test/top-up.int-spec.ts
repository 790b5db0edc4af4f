import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getBalances, type Page } from '@tollgate/contracts';
import type { TopUpDetail, TopUpOrder } from '@tollgate/contracts/api/top-up';
import { hasPostgres, type TestCaller, type TestReply } from '@tollgate/testing';
import Stripe from 'stripe';
import { signedEpayFields } from '../src/payment/epay.js';
import { SettlementService, UNMATCHED_OF_A_DAY } from '../src/top-up/settlement.service.js';
import { type BillingStand, startBilling } from './stand.js';

const suite = hasPostgres() ? describe : describe.skip;
const KEY = 'merchant-key';
const admin: TestCaller = { id: 2, role: 10 };
const WEBHOOK_SECRET = 'whsec_test';

type Fields = Record<string, string>;

suite('top-up orders', () => {
  let stand: BillingStand;
  let cards: Server;
  const asked: { path: string; body: URLSearchParams; headers: object }[] = [];
  let nextUser = 300;
  let cardsRefuse = false;

  beforeAll(async () => {
    cards = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = new URLSearchParams(Buffer.concat(chunks).toString());
        asked.push({ path: request.url ?? '', body, headers: request.headers });
        response.setHeader('content-type', 'application/json');
        if (cardsRefuse)
          return response.writeHead(400).end('{"error":{"type":"invalid_request_error","message":"no"}}');
        response.end(JSON.stringify({ id: 'cs_test_1', object: 'checkout.session', url: 'https://pay.example/c/1' }));
      });
    }).listen(0, '127.0.0.1');
    await once(cards, 'listening');
    const options = {
      PayAddress: 'https://pay.example',
      EpayId: '1001',
      EpayKey: KEY,
      ServerAddress: 'https://tollgate.example',
      TopupGroupRatio: '{"default":1,"vip":0.85}',
      StripeApiSecret: 'sk_test_1',
      StripeWebhookSecret: WEBHOOK_SECRET,
      StripeApiAddress: `http://127.0.0.1:${(cards.address() as AddressInfo).port}`,
    };
    stand = await startBilling(options, { TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1' });
  });
  afterAll(async () => {
    await stand.close();
    cards.closeAllConnections();
    cards.close();
  });

  const newCaller = (group = 'default'): TestCaller => ({ id: (nextUser += 1), group });
  const post = (as: TestCaller, path: string, body: unknown) => stand.harness.request('POST', path, { as, body });
  const pay = async (as: TestCaller, amount = 1): Promise<Fields> => {
    const { body } = await post(as, '/api/user/pay', { amount, payment_method: 'zfb', top_up_code: '' });
    return body['data'] as Fields;
  };
  const noticeOf = (form: Fields, change: Fields = {}, key = KEY): Fields => {
    const { pid = '', type = '', out_trade_no = '', money = '', name = '' } = form;
    return signedEpayFields(
      { pid, type, out_trade_no, money, name, trade_no: '2026', trade_status: 'TRADE_SUCCESS', ...change },
      key,
    );
  };
  const notify = async (fields: Fields): Promise<string> =>
    (await stand.harness.request('GET', '/api/user/epay/notify', { query: fields })).text;
  const orders = async (as: TestCaller, path = '/api/user/topup/self', query = {}): Promise<Page<TopUpOrder>> => {
    const { body } = await stand.harness.request<Page<TopUpOrder>>('GET', path, { as, query });
    if (!body.success || !body.data) throw new Error(body.message);
    return body.data;
  };
  const orderOf = async (as: TestCaller): Promise<TopUpOrder> => {
    const [order] = (await orders(as)).items;
    if (!order) throw new Error('no order');
    return order;
  };
  const detail = async (id: number, as = admin): Promise<TopUpDetail> => {
    const { body } = await stand.harness.request<TopUpDetail>('GET', `/api/user/topup/${id}`, { as });
    if (!body.success || !body.data) throw new Error(body.message);
    return body.data;
  };
  const quotaOf = async ({ id }: TestCaller) => (await stand.call(getBalances, { userIds: [id] })).balances[0]?.quota;
  const fillWallet = ({ id }: TestCaller, credit: number) =>
    stand.sql(
      `insert into "account" ("user_id", "credit") values (?, ?) on conflict ("user_id") do update set "credit" = excluded."credit"`,
      [id, credit],
    );
  const bare = ({ body }: TestReply) => ({ success: body.success, message: body.message, data: body['data'] });

  it('says what an amount costs, by the ratio of the group, exactly', async () => {
    const cost = (group: string, amount: unknown) => post(newCaller(group), '/api/user/amount', { amount });
    expect((await cost('default', 1)).body).toEqual({ success: true, message: 'success', data: '7.30' });
    expect((await cost('vip', 3)).body).toMatchObject({ data: '18.62' }); // 3 × 7.3 × 0.85 = 18.615
    expect((await cost('other', 2)).body).toMatchObject({ data: '14.60' });
    expect(bare(await cost('default', 0))).toEqual({ success: false, message: 'error', data: '充值数量不能小于 1' });
    for (const path of ['/api/user/amount', '/api/user/pay'])
      expect(bare(await post(newCaller(), path, '{"amount":'))).toEqual({
        success: false,
        message: 'error',
        data: '参数错误',
      });
    for (const amount of ['x', 1.5, null, undefined])
      expect(bare(await cost('default', amount))).toEqual({ success: false, message: 'error', data: '参数错误' });
    stand.setOptions({ Price: '0.001' });
    expect(bare(await cost('default', 1))).toMatchObject({ message: 'error', data: '充值金额过低' });
    stand.setOptions({ Price: '0.01' });
    expect(bare(await cost('default', 1))).toMatchObject({ message: 'error', data: '充值金额过低' });
    expect((await pay(newCaller()))['money']).toBe('0.01');
    stand.setOptions({ Price: '7.3', DisplayInCurrencyEnabled: 'false', MinTopUp: '2' });
    expect(bare(await cost('default', 750_000))).toMatchObject({ data: '充值数量不能小于 1000000' });
    expect((await cost('default', 1_500_000)).body).toMatchObject({ data: '21.90' });
    stand.setOptions({ DisplayInCurrencyEnabled: 'true', MinTopUp: '1' });
  });

  it('answers a form that the gateway can check', async () => {
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
    expect(signedEpayFields(rest, KEY)['sign']).toBe(sign);
    expect(await orderOf(as)).toMatchObject({ trade_no: tradeNo, status: 'pending', quota: 1_000_000, money: '14.60' });
    stand.setOptions({ CustomCallbackAddress: 'https://callback.example' });
    expect((await pay(as))['notify_url']).toBe('https://callback.example/api/user/epay/notify');
    stand.setOptions({ CustomCallbackAddress: '' });
  });

  it('credits once when the gateway tells ten times at once, by GET and by POST', async () => {
    const as = newCaller();
    const fields = noticeOf(await pay(as));
    const byPost = async () =>
      (
        await stand.harness.request('POST', '/api/user/epay/notify', {
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
      await stand.sql(`select "debit", "credit", "amount" from "posting" where "code" = 'top-up' and "reference" = ?`, [
        order.trade_no,
      ]),
    ).toEqual([{ debit: 'payments', credit: `wallet:${as.id}`, amount: '500000' }]);
    const events = (await stand.outbox<{ tradeNo: string }>('top-up-completed')).filter(
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
  ])('credits nothing for $what, and says why', async ({ change, key, verdict, status }) => {
    const as = newCaller();
    const form = await pay(as);
    expect(await notify(noticeOf(form, change, key))).toBe('fail');
    expect(await quotaOf(as)).toBe(0);
    const order = await orderOf(as);
    expect(order.status).toBe(status);
    expect((await detail(order.id)).steps[1]).toMatchObject({ kind: 'callback', verdict, to: status });
    // The truth may still come.
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

  it('credits such a payment once there is room, though the provider tells no more', async () => {
    const as = newCaller();
    const form = await pay(as);
    await fillWallet(as, Number.MAX_SAFE_INTEGER - 1);
    expect(await notify(noticeOf(form))).toBe('fail');
    const look = () => stand.inContext(() => stand.get(SettlementService).creditHeldBack());
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

  it('lets no such payment wait for another one that fails for another reason', async () => {
    const [broken, sound] = [newCaller(), newCaller()];
    for (const as of [broken, sound]) {
      const form = await pay(as);
      await fillWallet(as, Number.MAX_SAFE_INTEGER - 1);
      expect(await notify(noticeOf(form))).toBe('fail');
    }
    const beyond = `update "account" set "credit" = 9223372036854775807 where "user_id" = ?`;
    await stand.sql(beyond, [broken.id]);
    await fillWallet(sound, 0);
    await stand.inContext(() => stand.get(SettlementService).creditHeldBack());
    expect([await quotaOf(sound), (await orderOf(broken)).status]).toEqual([500_000, 'pending']);
  });

  it('begins no order that the wallet could not hold, and none beyond the largest', async () => {
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

  it('believes nobody while the key is empty, and answers a call that says nothing', async () => {
    const as = newCaller();
    const form = await pay(as);
    stand.setOptions({ EpayKey: '' });
    expect(await notify(noticeOf(form, {}, ''))).toBe('fail');
    expect(bare(await post(as, '/api/user/pay', { amount: 1, payment_method: 'zfb' }))).toMatchObject({
      message: 'error',
      data: '当前管理员未配置支付信息',
    });
    stand.setOptions({ EpayKey: KEY });
    expect(await notify({})).toBe('fail');
    expect(await notify(noticeOf({ ...form, out_trade_no: 'USR1NOnobody1' }))).toBe('fail');
    expect(
      await stand.sql(`select "verdict" from "top_up_step" where "order_id" is null and "trade_no" = 'USR1NOnobody1'`),
    ).toEqual([{ verdict: 'unknown-order' }]);
    expect(await quotaOf(as)).toBe(0);
  });

  it('lets orders expire, and credits a payment that comes late', async () => {
    const as = newCaller();
    const form = await pay(as);
    await stand.sql(`update "top_up_order" set "expires_at" = now() - interval '1 second' where "trade_no" = ?`, [
      form['out_trade_no'],
    ]);
    await stand.inContext(() => stand.get(SettlementService).expire());
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

  it('keeps the money that came for somebody who is deleted, says so, and lets an administrator refund it', async () => {
    const as = newCaller();
    const form = await pay(as);
    stand.neighbours.gone.add(as.id);
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

  it('keeps few of the callbacks that anybody may send about an order', async () => {
    const as = newCaller();
    const form = await pay(as);
    for (let turn = 0; turn < 60; turn += 1) await notify(noticeOf(form, { trade_no: String(turn) }, 'guess'));
    const { id } = await orderOf(as);
    expect((await detail(id)).steps).toHaveLength(50);
    expect(await notify(noticeOf(form))).toBe('success');
    expect((await detail(id)).steps.at(-1)).toMatchObject({ verdict: 'credited', to: 'paid' });
  });

  it('keeps little of the callbacks that name no order, forged ones least of all', async () => {
    const stray = (tradeNo: string, key = KEY) =>
      notify(noticeOf({ pid: '1001', out_trade_no: tradeNo, name: 'n'.repeat(2_000) }, {}, key));
    const kept = () =>
      stand.sql<{ trade_no: string; size: number }>(
        `select "trade_no", length("raw") as "size" from "top_up_step" where "trade_no" like 'stray%' order by "id"`,
      );
    await stray('stray-1', 'guess');
    expect(await kept()).toEqual([{ trade_no: 'stray-1', size: 500 }]);
    const { keyValue } = stand.harness.host;
    const { limit, windowMs } = UNMATCHED_OF_A_DAY;
    for (let turn = 0; turn < limit; turn += 1) await keyValue.admit('unmatched-callbacks:forged:day', limit, windowMs);
    await stray('stray-2', 'guess');
    await stray('stray-3');
    expect((await kept()).map(({ trade_no: tradeNo }) => tradeNo)).toEqual(['stray-1', 'stray-3']);
  });

  it('shows owners their orders without what the gateway sent, and administrators all of them', async () => {
    const as = newCaller();
    await notify(noticeOf(await pay(as)));
    const order = await orderOf(as);
    const own = await stand.harness.request<TopUpDetail>('GET', `/api/user/topup/self/${order.id}`, { as });
    expect(own.text).not.toContain('TRADE_SUCCESS');
    const foreign = await stand.harness.request('GET', `/api/user/topup/self/${order.id}`, { as: newCaller() });
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

  it('find nothing by the id of nobody, and refuse a word that no order has', async () => {
    for (const user_id of ['99999999999', '9'.repeat(30), '-1'])
      expect((await orders(admin, '/api/user/topup', { user_id })).total).toBe(0);
    const none: Record<string, string>[] = [{ status: 'Paid' }, { provider: 'paypal' }];
    for (const query of none)
      expect((await stand.harness.request('GET', '/api/user/topup', { as: admin, query })).body).toMatchObject({
        ...{ success: false, message: '参数错误' },
      });
  });

  it.each([Number.MAX_SAFE_INTEGER, 8_640_000_000_001, 253_402_300_800, 1e300])(
    'refuses %p as the time of an order',
    async (time) => {
      for (const [path, as] of [['/api/user/topup', admin] as const, ['/api/user/topup/self', newCaller()] as const])
        for (const name of ['start_timestamp', 'end_timestamp']) {
          const { status, body } = await stand.harness.request('GET', path, { as, query: { [name]: String(time) } });
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
      stand.neighbours.users.set(as.id, { role });
      expect(await rawFor(10)).toEqual([null, null]);
      expect(await rawFor(100)).toEqual(whole);
    }
    stand.neighbours.users.delete(as.id);
  });

  it('takes a refunded order back once, and below zero only if told so', async () => {
    const as = newCaller();
    const form = await pay(as);
    await notify(noticeOf(form));
    const { id, trade_no: tradeNo } = await orderOf(as);
    const refund = (body: object, by = admin) => post(by, `/api/user/topup/${id}/refund`, body);
    stand.neighbours.users.set(as.id, { role: 10 });
    expect((await refund({ reason: 'asked' })).body).toMatchObject({ code: 'user-of-equal-or-higher-rank' });
    stand.neighbours.users.delete(as.id);
    expect((await refund({ reason: ' ' })).body).toMatchObject({ message: '请填写退款原因' });
    await stand.sql(`update "account" set "spent" = 1 where "user_id" = ?`, [as.id]);
    expect((await refund({ reason: 'asked' })).body).toMatchObject({ code: 'wallet-short' });
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
    const events = await stand.outbox<{ tradeNo: string }>('top-up-refunded');
    expect(events.filter((event) => event.tradeNo === tradeNo)).toMatchObject([{ actorId: 2, quota: 500_000 }]);
  });

  it('begins no orders without end', async () => {
    const as = newCaller();
    const replies = [];
    for (let turn = 0; turn < 61; turn += 1) replies.push(await post(as, '/api/user/pay', { amount: 1 }));
    expect(replies.map(({ status }) => status).filter((status) => status !== 200)).toEqual([429]);
  });

  describe('by card', () => {
    const event = (session: object, change: object = {}) =>
      JSON.stringify({
        ...{ id: 'evt_1', object: 'event', type: 'checkout.session.completed', livemode: false, ...change },
        data: { object: { object: 'checkout.session', payment_status: 'paid', ...session } },
      });
    const send = (payload: string, secret = WEBHOOK_SECRET, timestamp = Math.floor(Date.now() / 1000)) =>
      stand.harness.request('POST', '/api/user/stripe/notify', {
        body: payload,
        headers: { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) },
      });
    const begin = async (as: TestCaller): Promise<string> => {
      const { body } = await post(as, '/api/user/pay', { amount: 12, payment_method: 'stripe' });
      expect(body).toMatchObject({ message: 'success', url: 'https://pay.example/c/1', data: {} });
      return body['trade_no'] as string;
    };

    it('makes a checkout of the amount in cents, once per order', async () => {
      const tradeNo = await begin(newCaller('vip'));
      const { path, body, headers } = asked.at(-1)!;
      expect(path).toBe('/v1/checkout/sessions');
      expect(headers).toMatchObject({ authorization: 'Bearer sk_test_1', 'idempotency-key': tradeNo });
      expect(body.get('client_reference_id')).toBe(tradeNo);
      expect(body.get('line_items[0][price_data][unit_amount]')).toBe('1020'); // 12 × 1 × 0.85 USD
      expect(body.get('line_items[0][price_data][currency]')).toBe('usd');
      expect(body.get('success_url')).toBe(`https://tollgate.example/topup?order=${tradeNo}`);
    });

    it('marks an order refused for which no checkout was made, and credits it should it be paid all the same', async () => {
      const as = newCaller();
      cardsRefuse = true;
      const { body } = await post(as, '/api/user/pay', { amount: 12, payment_method: 'stripe' });
      cardsRefuse = false;
      expect(body).toMatchObject({ message: 'error', data: '拉起支付失败' });
      const order = await orderOf(as);
      expect(order.status).toBe('refused');
      expect((await detail(order.id)).steps.at(-1)).toMatchObject({
        ...{ kind: 'checkout-failed', from: 'pending', to: 'refused', reason: '拉起支付失败' },
      });
      expect(
        (await send(event({ client_reference_id: order.trade_no, amount_total: 1200, currency: 'usd' }))).status,
      ).toBe(200);
      expect(await quotaOf(as)).toBe(6_000_000);
    });

    it('credits once for a signed event, and nothing for one that is forged, old, unpaid or of another amount', async () => {
      const as = newCaller();
      const tradeNo = await begin(as);
      const session = { client_reference_id: tradeNo, amount_total: 1200, currency: 'usd' };
      expect((await send(event(session), 'whsec_other')).status).toBe(400);
      expect((await send(event(session), WEBHOOK_SECRET, Math.floor(Date.now() / 1000) - 3600)).status).toBe(400);
      expect((await send(event({ ...session, amount_total: 1 }))).status).toBe(400);
      expect((await send(event({ ...session, currency: 'eur' }))).status).toBe(400);
      expect((await send(event(session, { livemode: true }))).status).toBe(400);
      expect((await send(event({ ...session, payment_status: 'unpaid' }))).status).toBe(200);
      expect((await send(event(session, { type: 'customer.created' }))).status).toBe(200);
      expect(await quotaOf(as)).toBe(0);
      const replies = await Promise.all([1, 2, 3, 4, 5].map(() => send(event(session))));
      expect(replies.map(({ body }) => body)).toEqual(Array(5).fill({ received: true }));
      expect(await quotaOf(as)).toBe(6_000_000);
      expect(await orderOf(as)).toMatchObject({
        status: 'paid',
        provider: 'stripe',
        payment_method: 'card',
        currency: 'USD',
      });
    });

    it.each<[string, (session: object) => object]>([
      ['no object', () => ({ data: { object: null } })],
      ['no data', () => ({})],
      ['a text for an amount', (session) => ({ data: { object: { ...session, amount_total: 'x' } } })],
      ['a fraction for an amount', (session) => ({ data: { object: { ...session, amount_total: 1.5 } } })],
      ['no amount', (session) => ({ data: { object: { ...session, amount_total: undefined } } })],
      ['an object for a reference', (session) => ({ data: { object: { ...session, client_reference_id: {} } } })],
      ['a number for a currency', (session) => ({ data: { object: { ...session, currency: 1 } } })],
    ])('stores a signed event with %s as malformed', async (_, change) => {
      const as = newCaller();
      const session = {
        client_reference_id: await begin(as),
        amount_total: 1200,
        currency: 'usd',
        payment_status: 'paid',
      };
      const latest = () =>
        stand.sql<{ id: string; verdict: string }>(
          `select "id", "verdict", "raw" from "top_up_step" where "kind" = 'callback' order by "id" desc limit 1`,
        );
      const [before] = await latest();
      const payload = { id: 'evt_1', object: 'event', type: 'checkout.session.completed', livemode: false };
      expect((await send(JSON.stringify({ ...payload, ...change(session) }))).status).toBe(400);
      const [after] = await latest();
      expect(after).toMatchObject({ verdict: 'malformed', raw: expect.stringContaining('evt_1') });
      expect(after?.id).not.toBe(before?.id);
      expect(await quotaOf(as)).toBe(0);
    });

    it('is no notice for an order of another provider', async () => {
      const as = newCaller();
      const form = await pay(as);
      const session = { client_reference_id: form['out_trade_no'], amount_total: 730, currency: 'cny' };
      expect((await send(event(session))).status).toBe(400);
      expect(await quotaOf(as)).toBe(0);
    });
  });
});
