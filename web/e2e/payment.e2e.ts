import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  EPAY_ID,
  EPAY_KEY,
  type EpayTestGateway,
  type Person,
  startEpayGateway,
  startMailServer,
} from '@tollgate/testing';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { eventuallyInProduct } from './support/seeded.js';
import type { Tab } from './support/tab.js';

interface Order {
  id: number;
  trade_no: string;
  status: string;
}

describe('payments', () => {
  let running: RunningSite;
  let gateway: EpayTestGateway;
  let user: Person;
  let buyer: Tab;
  let operator: Tab;

  beforeAll(async () => {
    gateway = await startEpayGateway();
    running = await runSite();
    const { product, desk } = running;
    const options = { ServerAddress: product.url, PayAddress: gateway.url, EpayId: EPAY_ID, EpayKey: EPAY_KEY };
    for (const [key, value] of Object.entries(options)) await product.root.data('PUT', '/api/option/', { key, value });
    user = await product.user('bob', 0);
    buyer = await desk.tab({ person: user });
    operator = await desk.tab({ person: product.root });
  });
  afterAll(async () => {
    await running?.close();
    await gateway?.close();
  });

  const balance = async () => (await user.data<{ quota: number }>('GET', '/api/user/self')).quota;
  const lastOrder = async (): Promise<Order> => {
    const { items } = await user.data<{ items: Order[] }>('GET', '/api/user/topup/self?p=1&page_size=1');
    if (!items[0]) throw new Error('no order');
    return items[0];
  };
  /** Goes from the wallet's form to the checkout page of the payment gateway. */
  const begin = async (amount: string): Promise<Order> => {
    await buyer.visit('/topup');
    await buyer.field('充值数量').fill(amount);
    await buyer.button('支付宝').click();
    await buyer.page.getByText(`充值数量：${amount}`).waitFor();
    const [cashier] = await Promise.all([buyer.page.context().waitForEvent('page'), buyer.button('确认充值').click()]);
    await cashier.getByRole('heading', { name: 'Cashier' }).waitFor();
    await cashier.close();
    const order = await lastOrder();
    await buyer.page.getByText(`订单 ${order.trade_no} 等待支付`).waitFor();
    return order;
  };

  it('include a code that an administrator creates and a user redeems', async () => {
    const { page } = operator;
    await operator.visit('/redemption');
    await operator.button('添加兑换码').first().click();
    await operator.field('名称').fill('welcome');
    await operator.field('额度').fill('500000');
    await operator.field('生成数量').fill('2');
    await page.getByText('2 × $1.00 = $2.00').waitFor();
    await operator.button('提交').click();
    await page.getByText('已生成 2 个兑换码').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), operator.button('下载').click()]);
    expect(file.suggestedFilename()).toMatch(/^welcome_\d{14}\.txt$/);
    await operator.button('复制全部').click();
    const keys = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(keys).toHaveLength(2);
    await buyer.visit('/topup');
    await buyer.field('兑换码').fill(keys[0] ?? '');
    await buyer.button('兑换').click();
    await buyer.page.getByText('成功兑换额度：$1.00').waitFor();
    await buyer.button('关闭').last().click();
    expect(await balance()).toBe(500_000);
    await buyer.field('兑换码').fill(keys[0] ?? '');
    await buyer.button('兑换').click();
    await buyer.page.getByText('兑换失败，该兑换码已被使用').first().waitFor();
  });

  it('are credited once for repeated callbacks, and shown live', async () => {
    const { trade_no: tradeNo } = await begin('2');
    await buyer.page.getByText('实付金额：14.60 元').first().waitFor();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => gateway.notify(tradeNo)));
    expect(new Set(answers)).toEqual(new Set(['success']));
    await buyer.page.getByText('已到账：$2.00').waitFor();
    expect(await balance()).toBe(1_500_000);
  });

  it('are refused for a wrong amount, with the reason in the order', async () => {
    const { trade_no: tradeNo } = await begin('3');
    expect(await gateway.notify(tradeNo, { money: '0.01' })).toBe('fail');
    await buyer.page.getByText(`订单 ${tradeNo} 未通过核对`).waitFor();
    expect(await balance()).toBe(1_500_000);
    await operator.visit(`/topup?orders=all&keyword=${tradeNo}`);
    await operator.row(tradeNo).getByRole('button', { name: '查看时间线' }).click();
    await operator.page.getByText('金额或货币与订单不符').waitFor();
    await operator.page.getByText('原始通知').first().click();
    await operator.page.getByText('money=0.01').waitFor();
  });

  it('are credited for an expired order too', async () => {
    const { id, trade_no: tradeNo } = await begin('1');
    await running.product.sql('billing', `update "top_up_order" set "status" = 'expired' where "id" = ${id}`);
    await buyer.button('查询支付状态').click();
    await buyer.page.getByText(`订单 ${tradeNo} 已过期`).waitFor();
    expect(await gateway.notify(tradeNo)).toBe('success');
    await buyer.page.getByText('已到账：$1.00').waitFor();
    expect(await balance()).toBe(2_000_000);
  });

  it('are refunded with a reason', async () => {
    const { trade_no: tradeNo } = await lastOrder();
    await operator.visit(`/topup?orders=all&keyword=${tradeNo}`);
    await operator.row(tradeNo).getByRole('button', { name: '退款' }).click();
    await operator.field('退款原因').fill('paid twice');
    await operator.button('确认退款').click();
    await operator.row(tradeNo).getByText('已退款').waitFor();
    expect(await balance()).toBe(1_500_000);
  });

  it('cause one mail when the balance runs low', async () => {
    const { product, desk, upstream } = running;
    const mail = await startMailServer();
    const options = { SMTPPort: String(mail.port), SMTPFrom: 'us@acme.example', SMTPServer: '127.0.0.1' };
    for (const [key, value] of Object.entries(options)) await product.root.data('PUT', '/api/option/', { key, value });
    const watcher = await product.user('watcher', 10_000);
    await product.channel({ name: 'model', base_url: upstream.url, models: 'gpt-4o' });
    const key = await product.token(watcher);
    const tab = await desk.tab({ person: watcher });
    try {
      await tab.visit('/personal', 'main button');
      const card = tab.page.getByRole('region', { name: '通知设置' });
      await card.getByLabel('通知邮箱').fill('watcher@acme.example');
      await card.getByLabel('额度预警阈值').fill('9999');
      await card.getByRole('button', { name: '保存设置' }).click();
      await tab.page.getByText('通知设置已更新').waitFor();
      // With `max_tokens`: without a limit, one relay would lease the whole wallet for a call and the other would have to wait.
      const messages = [{ role: 'user', content: 'hello' }];
      const body = JSON.stringify({ model: 'gpt-4o', messages, max_tokens: 20 });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const call = () => fetch(`${product.url}/v1/chat/completions`, { method: 'POST', headers, body });
      for (let turn = 0; turn < 3; turn += 1) expect((await call()).status).toBe(200);
      const { text } = await mail.mailTo('watcher@acme.example');
      expect(text).toContain('您的额度即将用尽');
      expect(text).toContain(`${product.url}/topup`);
      for (let turn = 0; turn < 3; turn += 1) expect((await call()).status).toBe(200);
      await eventuallyInProduct('six calls are booked', async () => {
        const { request_count: count } = await watcher.data<{ request_count: number }>('GET', '/api/user/self');
        return count === 6;
      });
      await tab.visit('/personal', 'main button');
      await tab.page.getByRole('region', { name: '发送给您的通知' }).getByText('watcher@acme.example').waitFor();
      expect(mail.mails.filter(({ to }) => to.includes('watcher@acme.example'))).toHaveLength(1);
    } finally {
      await tab.close();
      await mail.close();
    }
  });
});
