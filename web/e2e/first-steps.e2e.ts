import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProduct } from './support/product.js';
import { runProduct } from './support/product.js';
import type { Tab } from './support/tab.js';

const PASSWORD = 'correct horse battery';
const FIVE_MINUTES_MS = 5 * 60_000;

/** A new operator has no key of a provider: the demonstration channel serves the request, and the stand-in for a provider gets no call. */
describe('from an empty installation to the first charged request', () => {
  let running: RunningProduct;
  let tab: Tab;
  let startedAt: number;

  beforeAll(async () => {
    running = await runProduct();
    tab = await running.desk.tab();
    startedAt = Date.now();
  });
  afterAll(() => running?.close());

  const step = (name: string) => tab.page.getByRole('listitem').filter({ hasText: name });
  const home = () => tab.visit('/', 'h1');

  it('creates the administrator', async () => {
    await tab.visit('/', 'input');
    await tab.field('用户名').fill('root');
    await tab.field('密码').fill(PASSWORD);
    await tab.field('确认密码').fill(PASSWORD);
    await tab.button('初始化系统').click();
    await tab.page.waitForURL((url) => url.pathname === '/');
  });

  it('creates the demonstration channel with one click, marked as such', async () => {
    await tab.button('使用演示渠道').click();
    await tab.page.getByText('演示渠道已创建').waitFor();
    await step('添加渠道').getByText('已完成').waitFor();
    expect(await tab.button('使用演示渠道').count()).toBe(0);
    await tab.visit('/channel', '[data-row]');
    const row = tab.row('演示渠道');
    await row.getByText('演示', { exact: true }).waitFor();
    await row.getByRole('button', { name: '测试' }).first().click();
    await row.getByText(/\d+\.\d\d 秒/).waitFor();
  });

  it('makes a token', async () => {
    await home();
    await step('创建令牌').getByRole('link', { name: '创建令牌' }).click();
    await tab.field('名称').fill('app');
    await tab.button('提交').click();
    await tab.row('app').waitFor();
  });

  it('sends the first request, which is marked as a demonstration, and is charged', async () => {
    const { page } = tab;
    await home();
    await step('发出第一个请求').getByRole('link').click();
    await page.waitForURL(/\/playground/);
    await tab.field('消息').fill('hello demonstration');
    await page.keyboard.press('Enter');
    const answer = page.locator('[data-status="complete"]').last();
    await answer.getByText(/demonstration provider/).waitFor();
    await answer.getByText(/^花费 \$/).waitFor();
    await home();
    await page.getByText('发出第一个请求').waitFor({ state: 'hidden' });
    expect(Date.now() - startedAt).toBeLessThan(FIVE_MINUTES_MS);
    expect(running.upstream.served()).toBe(0);
    expect(tab.faults).toEqual([]);
  });
});
