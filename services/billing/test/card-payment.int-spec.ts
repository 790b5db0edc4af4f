import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import Stripe from 'stripe';
import { epayOptions, paymentsAt } from './payments.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const WEBHOOK_SECRET = 'whsec_test';

suite('orders by card', () => {
  let testBed: BillingTestBed;
  let cards: Server;
  const asked: { path: string; body: URLSearchParams; headers: object }[] = [];
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
      ...epayOptions,
      StripeApiSecret: 'sk_test_1',
      StripeWebhookSecret: WEBHOOK_SECRET,
      StripeApiAddress: `http://127.0.0.1:${(cards.address() as AddressInfo).port}`,
    };
    testBed = await startBilling(options, { TOLLGATE_OUTBOUND_ALLOW: '127.0.0.1' });
  });
  afterAll(async () => {
    await testBed.close();
    cards.closeAllConnections();
    cards.close();
  });

  const { newCaller, post, pay, orderOf, detail, quotaOf } = paymentsAt(() => testBed);
  const event = (session: object, change: object = {}) =>
    JSON.stringify({
      ...{ id: 'evt_1', object: 'event', type: 'checkout.session.completed', livemode: false, ...change },
      data: { object: { object: 'checkout.session', payment_status: 'paid', ...session } },
    });
  const send = (payload: string, secret = WEBHOOK_SECRET, timestamp = Math.floor(Date.now() / 1000)) =>
    testBed.harness.request('POST', '/api/user/stripe/notify', {
      body: payload,
      headers: { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) },
    });
  const begin = async (as: TestCaller): Promise<string> => {
    const { body } = await post(as, '/api/user/pay', { amount: 12, payment_method: 'stripe' });
    expect(body).toMatchObject({ message: 'success', url: 'https://pay.example/c/1', data: {} });
    return body['trade_no'] as string;
  };

  it('creates a checkout of the amount in cents, once per order', async () => {
    const tradeNo = await begin(newCaller('vip'));
    const { path, body, headers } = asked.at(-1)!;
    expect(path).toBe('/v1/checkout/sessions');
    expect(headers).toMatchObject({ authorization: 'Bearer sk_test_1', 'idempotency-key': tradeNo });
    expect(body.get('client_reference_id')).toBe(tradeNo);
    expect(body.get('line_items[0][price_data][unit_amount]')).toBe('1020'); // 12 × 1 × 0.85 USD
    expect(body.get('line_items[0][price_data][currency]')).toBe('usd');
    expect(body.get('success_url')).toBe(`https://tollgate.example/topup?order=${tradeNo}`);
  });

  it('refuses an order without a checkout, and credits it if it is paid even so', async () => {
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
      testBed.sql<{ id: string; verdict: string }>(
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

  it('acknowledges the checkouts of others on the same account, and no order of ours that it does not know', async () => {
    const session = { amount_total: 1200, currency: 'usd' };
    for (const reference of ['cart-17', 'USR-7'])
      expect((await send(event({ ...session, client_reference_id: reference }))).body).toEqual({ received: true });
    const malformed = { client_reference_id: 'cart-17', amount_total: 'x' };
    expect((await send(event(malformed))).body).toEqual({ received: true });
    expect((await send(event({ ...session, client_reference_id: 'USR7NOabcdef1790000000' }))).status).toBe(400);
  });

  it('is no notice for an order of another provider', async () => {
    const as = newCaller();
    const form = await pay(as);
    const session = { client_reference_id: form['out_trade_no'], amount_total: 730, currency: 'cny' };
    expect((await send(event(session))).status).toBe(400);
    expect(await quotaOf(as)).toBe(0);
  });
});
