import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, Person, startFakeUpstream, startProduct } from '@tollgate/testing';
import OpenAI from 'openai';
import { type Browser, chromium, type Page } from 'playwright-core';

const PASSWORD = 'correct horse battery';
const LAUNCH = {
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

describe('the first run', () => {
  let product: Awaited<ReturnType<typeof startProduct>>;
  let upstream: FakeUpstream;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    product = await startProduct(allServices);
    browser = await chromium.launch(LAUNCH);
    page = await (await browser.newContext({ locale: 'zh-CN', viewport: { width: 1280, height: 800 } })).newPage();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await product?.close();
    await upstream?.close();
  });

  it('leads every address to the wizard, which makes the administrator and signs in', async () => {
    await page.goto(`${product.url}/channel`);
    await page.waitForURL('**/setup');
    await page.getByLabel('用户名').fill('root');
    await page.getByLabel('密码', { exact: true }).fill(PASSWORD);
    await page.getByLabel('确认密码').fill(PASSWORD);
    await page.getByRole('button', { name: '初始化系统' }).click();
    await page.waitForURL(`${product.url}/`);
    // 100 000 000 units at 500 000 a dollar.
    await page.getByText('$200.00').first().waitFor();
  }, 60_000);

  it('charges the first request of an application and shows it', async () => {
    const root = new Person(product.url);
    await root.signIn('root', PASSWORD);
    await root.data('POST', '/api/channel/', {
      name: 'first',
      type: 1,
      key: 'sk-upstream',
      base_url: upstream.url,
      models: 'gpt-4o',
      group: 'default',
    });
    await root.data('POST', '/api/token/', { name: 'first', remain_quota: 0, expired_time: -1, unlimited_quota: true });
    const [token] = await root.data<{ key: string }[]>('GET', '/api/token/?p=0&size=10');
    const openai = new OpenAI({ apiKey: `sk-${token?.key}`, baseURL: `${product.url}/v1`, maxRetries: 0 });
    const reply = await openai.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: '[[tokens=400]] hello' }],
    });
    expect(reply.usage?.completion_tokens).toBe(400);
    // (prompt + 400 × 4) × 1.25 units: the wallet and the count of requests on the first page tell of it.
    await page.getByText('历史消耗').waitFor();
    for (let turn = 0; turn < 50 && (await requestCount(root)) === 0; turn += 1) await page.waitForTimeout(100);
    await page.reload();
    const self = await root.data<{ quota: number; used_quota: number }>('GET', '/api/user/self');
    expect(self.quota + self.used_quota).toBe(100_000_000);
    expect(self.used_quota).toBeGreaterThanOrEqual(2000);
    await page
      .getByText(`$${(self.quota / 500_000).toFixed(2)}`)
      .first()
      .waitFor();
  }, 60_000);

  it('signs out, refuses a wrong password at the form, and signs in by the form', async () => {
    await page.getByRole('button', { name: '账户菜单' }).click();
    await page.getByRole('menuitem', { name: '退出' }).click();
    await page.goto(`${product.url}/login`);
    await page.getByLabel(/用户名/).fill('root');
    await page.getByLabel('密码', { exact: true }).fill('wrong password');
    await page.getByRole('button', { name: '登录', exact: true }).last().click();
    await page.getByText('用户名或密码错误，或用户已被封禁').first().waitFor();
    await page.getByLabel('密码', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: '登录', exact: true }).last().click();
    await page.waitForURL(/\/token$/);
  }, 60_000);
});

async function requestCount(person: Person): Promise<number> {
  return (await person.data<{ request_count: number }>('GET', '/api/user/self')).request_count;
}
