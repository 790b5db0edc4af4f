import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import { passwordOf } from '@tollgate/testing';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { ask, eventuallyInProduct } from './support/seeded.js';
import type { Tab } from './support/tab.js';

/** The default of installations; the test bed switches the rate limits off elsewhere. */
const LIMITS_ON = { TOLLGATE_RATE_LIMITS: 'on' };
const CHANNELS = 50;

describe('people who use one product at the same time', () => {
  let running: RunningSite;
  beforeAll(async () => {
    running = await runSite(LIMITS_ON);
  });
  afterAll(() => running?.close());

  describe('an administrator under the rate limits', () => {
    let tab: Tab;
    const refused: string[] = [];

    beforeAll(async () => {
      const { product, upstream, desk } = running;
      const keys = Array.from({ length: CHANNELS }, (_, index) => `sk-${index}`).join('\n');
      await product.channel({ name: 'many', base_url: upstream.url, models: 'gpt-4o-mini', key: keys });
      await product.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: '{"gpt-4o-mini":0.001}' });
      tab = await desk.tab({ person: product.root, stored: { 'page-size': JSON.stringify({ channel: 100 }) } });
      tab.page.on('response', (response) => {
        if (response.status() === 429) refused.push(response.url());
      });
    });

    it('tests fifty channels, and every one is tested', async () => {
      await tab.visit('/channel', '[data-row]');
      await tab.page.getByLabel('选择本页').first().click();
      await tab.page.getByRole('toolbar').getByRole('button', { name: '测试', exact: true }).click();
      await tab.page.getByText(`成功 ${CHANNELS} · 失败 0 · 跳过 0`).waitFor({ timeout: 100_000 });
      expect(refused).toEqual([]);
    });

    it('changes fifty more one after the other while a second job runs', async () => {
      const bar = tab.page.getByRole('toolbar');
      await bar.getByRole('button', { name: '禁用', exact: true }).click();
      await bar.getByRole('button', { name: '测试', exact: true }).click();
      const summary = tab.page.getByText(`成功 ${CHANNELS} · 失败 0 · 跳过 0`);
      await expect(summary.nth(2).waitFor({ timeout: 100_000 })).resolves.toBeUndefined();
    });

    it('watches a dashboard under traffic without using up the rate limit', async () => {
      const { product, upstream } = running;
      // The fifty channels are disabled now, so requests need another one to appear in the dashboard.
      await product.channel({ name: 'steady', base_url: upstream.url, models: 'gpt-4o-mini' });
      const user = await product.user('bob', 5_000_000);
      const key = await product.token(user);
      await tab.visit('/detail', '[data-figure="calls"]');
      await tab.untilLive();
      const figure = async (): Promise<number> => {
        const text = await tab.page.locator('[data-figure="calls"]').innerText();
        return Number(/\d[\d,]*/.exec(text)?.[0].replaceAll(',', ''));
      };
      // Until the reply has come, there is no number.
      await eventuallyInProduct('the figure', async () => !Number.isNaN(await figure()));
      const before = await figure();
      let calls = 0;
      tab.page.on('request', (request) => {
        if (new URL(request.url()).pathname.startsWith('/api/')) calls += 1;
      });
      const until = Date.now() + 15_000;
      let served = 0;
      while (Date.now() < until) if ((await ask(product.url, key, 'gpt-4o-mini', 'hello')) === 200) served += 1;
      expect(served).toBeGreaterThan(10);
      // 180 calls in three minutes are 15 in fifteen seconds. Changes are fetched at once, then every five seconds.
      expect(calls).toBeLessThanOrEqual(12);
      expect(calls).toBeGreaterThanOrEqual(2);
      expect(await figure()).toBeGreaterThan(before);
      await eventuallyInProduct('every request in the dashboard', async () => (await figure()) === before + served);
      expect(refused).toEqual([]);
    });
  });

  describe('two people in two tabs of one browser', () => {
    let ann: Person;

    beforeAll(async () => {
      ann = await running.product.user('ann', 0);
      await running.product.user('eve', 0);
    });

    it('both show the user who signed in last, and nobody is signed out', async () => {
      const first = await running.desk.tabBeside({ person: ann });
      await first.visit('/token');
      const second = await running.desk.tabBeside({ person: ann });
      await second.visit('/login', 'input');
      await second.field('用户名/邮箱').fill('eve');
      await second.field('密码').fill(passwordOf('eve'));
      await second.button('登录').click();
      await second.page.waitForURL((url) => url.pathname === '/token');
      // Nothing was done in the first tab: it takes over the change from the second.
      for (const tab of [first, second]) {
        await tab.page.locator('header').getByText('eve').waitFor();
        expect(new URL(tab.page.url()).pathname).toBe('/token');
      }
    });
  });
});
