import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Person } from '@tollgate/testing';
import { phoneEn, wideEn, wideZh } from './support/desk.js';
import type { RunningProduct } from './support/product.js';
import { runProduct } from './support/product.js';
import { brokenRules, paint } from './support/rules.js';
import { ask, eventuallyInProduct } from './support/seeded.js';
import type { Tab } from './support/tab.js';

const PASSWORD = 'correct horse battery';
/** Quota of the first administrator in units, at 500 000 to the dollar. */
const GIFT = 100_000_000;

describe('the first run', () => {
  let running: RunningProduct;
  let tab: Tab;
  let key: string;

  beforeAll(async () => {
    running = await runProduct();
    tab = await running.desk.tab();
  });
  afterAll(() => running?.close());

  it.each([wideZh, wideEn, phoneEn])('begins with a wizard that follows the layout rules (%j)', async (look) => {
    const wizard = await running.desk.tab({ look });
    await wizard.visit('/setup', 'input');
    const faults = await brokenRules(wizard.page, look.language);
    await paint(wizard.page, look.mode === 'light' ? 'dark' : 'light');
    faults.push(...(await brokenRules(wizard.page, look.language)), ...wizard.faults);
    expect(faults).toEqual([]);
    await wizard.close();
  });

  it('redirects every address to the wizard, which creates the administrator and signs in', async () => {
    const { page } = tab;
    await tab.visit('/channel', 'input');
    expect(new URL(page.url()).pathname).toBe('/setup');
    await tab.field('用户名').fill('root');
    await tab.field('密码').fill(PASSWORD);
    await tab.field('确认密码').fill('another one');
    await tab.button('初始化系统').click();
    // A refused form keeps the typed text and shows the reason at the field.
    await page.locator('[aria-invalid="true"][name="confirmPassword"]').waitFor();
    expect(await tab.field('用户名').inputValue()).toBe('root');
    await tab.field('确认密码').fill(PASSWORD);
    await tab.button('初始化系统').click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByText('$200.00').first().waitFor();
  });

  it('guides from the first page to a channel', async () => {
    const { page } = tab;
    await page.getByRole('listitem').getByRole('link', { name: '添加渠道' }).click();
    const drawer = page.getByRole('dialog', { name: '创建新的渠道' });
    await drawer.waitFor();
    await tab.field('名称').fill('first');
    await tab.field('API地址').fill(running.upstream.url);
    await tab.field('密钥').fill('sk-upstream');
    await tab.button('清除所有模型').click();
    await tab.field('自定义模型名称').fill('gpt-4o,gpt-4o-mini');
    await tab.button('填入').click();
    await tab.button('保存并测试').click();
    await drawer.waitFor({ state: 'hidden' });
    await tab.row('first').getByText('已启用').waitFor();
    // The channel test reports its duration.
    await tab
      .row('first')
      .getByText(/\d+\.\d\d 秒/)
      .waitFor();
  });

  it('creates a token and shows its key', async () => {
    const { page } = tab;
    await page.getByRole('navigation', { name: '侧边导航' }).getByRole('link', { name: 'API令牌' }).click();
    await tab.button('添加令牌').first().click();
    const drawer = page.getByRole('dialog', { name: '创建新的令牌' });
    await tab.field('名称').fill('app');
    await tab.button('提交').click();
    await drawer.waitFor({ state: 'hidden' });
    await tab.row('app').getByRole('button', { name: '复制' }).click();
    await page.getByText('已复制到剪贴板！').waitFor();
    key = await page.evaluate(() => navigator.clipboard.readText());
    expect(key).toMatch(/^sk-\w{40,}$/);
  });

  it('charges the first request of an application, and shows it in log and dashboard', async () => {
    const { page } = tab;
    expect(await ask(running.product.url, key, 'gpt-4o', '[[tokens=400]] hello')).toBe(200);
    await page.getByRole('link', { name: '使用日志' }).click();
    const root = new Person(running.product.url);
    await root.signIn('root', PASSWORD);
    const row = tab.row('gpt-4o').filter({ hasText: '消费' }).filter({ hasText: 'app' });
    // The list does not refresh itself; the reader refreshes it.
    await eventuallyInProduct('the request in the log', async () => {
      await tab.button('刷新').click();
      await tab.settled();
      return (await row.count()) > 0;
    });
    await row.getByRole('button', { name: '展开' }).click();
    // 400 completion tokens at four times the price of a prompt token: the formula shows these numbers.
    await page.locator('td.detail').getByText(/400/).first().waitFor();
    // The row comes from logging, the amount from billing, which may book the request later.
    let self = { quota: 0, used_quota: 0 };
    await eventuallyInProduct('the charge of the request', async () => {
      self = await root.data<typeof self>('GET', '/api/user/self');
      return self.used_quota >= 2000;
    });
    expect(self.quota + self.used_quota).toBe(GIFT);
    const spent = `$${(self.used_quota / 500_000).toFixed(2)}`;
    await page.getByRole('group', { name: '合计' }).getByText(spent).waitFor();
    await page.getByRole('link', { name: '数据看板' }).click();
    await page.locator('[data-figure="used"]').getByText(spent).waitFor();
    await page.locator('[data-figure="quota"]').getByText(spent).waitFor();
    await page
      .locator('[data-figure="balance"]')
      .getByText(`$${(self.quota / 500_000).toFixed(2)}`)
      .waitFor();
    // The channel test and the application's request.
    await page.locator('.MuiChartsLegend-root').getByText('gpt-4o', { exact: true }).waitFor();
  });

  it('charges a reply of the playground too, with the same amount everywhere', async () => {
    const { page } = tab;
    await page.getByRole('link', { name: 'Playground' }).click();
    await tab.field('消息').fill('[[tokens=800]] hello');
    await page.keyboard.press('Enter');
    const answer = page.locator('[data-status="complete"]').last();
    await answer.getByText('w800').waitFor();
    const cost = (await answer.getByText(/^花费 \$/).innerText()).replace('花费 ', '');
    const requestId = (await answer.getByText(/^请求 ID /).innerText()).replace('请求 ID ', '');
    await tab.visit(`/log?request_id=${requestId}`, '[data-row]');
    expect(await page.locator('[data-row]').count()).toBe(1);
    expect(await page.locator('[data-row]').innerText()).toContain(cost);
  });

  it('causes no error in the console of the browser', () => {
    expect(tab.faults).toEqual([]);
  });

  it('signs out, refuses a wrong password at the form, and signs in by the form', async () => {
    const { page } = tab;
    await tab.button(/账户菜单/).click();
    await page.getByRole('menuitem', { name: '退出' }).click();
    await page.waitForURL(/\/login$/);
    await tab.visit('/login', 'input');
    await tab.field(/用户名/).fill('root');
    await tab.field('密码').fill('wrong password');
    const submit = page.locator('form').getByRole('button', { name: '登录', exact: true });
    await submit.click();
    await page.getByText('用户名或密码错误，或用户已被封禁').first().waitFor();
    expect(await tab.field(/用户名/).inputValue()).toBe('root');
    await tab.field('密码').fill(PASSWORD);
    await submit.click();
    await page.waitForURL(/\/token$/);
  });

  it('returns to a page that requires sign-in after the sign-in', async () => {
    const visitor = await running.desk.tab();
    await visitor.visit('/log?type=2', 'input');
    expect(new URL(visitor.page.url()).pathname).toBe('/login');
    await visitor.field(/用户名/).fill('root');
    await visitor.field('密码').fill(PASSWORD);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.waitForURL(/\/log\?type=2$/);
    await visitor.close();
  });
});
