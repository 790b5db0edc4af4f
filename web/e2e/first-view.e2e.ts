import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Request, Response } from 'playwright-core';
import { wideZh } from './support/desk.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { ask, eventuallyInProduct } from './support/seeded.js';
import type { Tab } from './support/tab.js';

const KB = 1000;
/** Limit for one file, in kilobytes. */
const LARGEST = 130;
/** Limit for the chart's files, in kilobytes; they are loaded after the figures are shown. */
const CHART = 110;
const CHART_FILES = /assets\/(charts|chart-parts|spend-chart|statement-chart|margin-chart|chart-scale)-/;

/** Kilobytes transferred. Waits until each file has been received whole, because the browser may report that late. */
async function received(requests: readonly Request[]): Promise<number> {
  const sizes = requests.map(async (request) => {
    await (await request.response())?.finished();
    return (await request.sizes()).responseBodySize;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / KB;
}

/** Limits in kilobytes of script that a browser receives until the page is idle. */
const budgets: [address: string, shows: string, limit: number][] = [
  ['/login', 'input', 250],
  ['/', 'h1', 300],
  ['/token', 'h1', 300],
  ['/log', 'h1', 300],
  ['/user', 'h1', 300],
  ['/channel', 'h1', 300],
  ['/personal', 'h1', 300],
  ['/pricing', 'h1', 300],
  ['/setting', '[data-option]', 300],
  ['/playground', 'h1', 290],
  ['/topup', 'h1', 300],
  ['/redemption', 'h1', 300],
  ['/journal', 'h1', 300],
  ['/approval', 'h1', 300],
  ['/audit', 'h1', 300],
  ['/proof', 'h1', 300],
  ['/midjourney', 'h1', 300],
  ['/task', 'h1', 300],
];

/** The largest file that is not loaded by the first views. */
function chartFile(): string {
  const folder = path.resolve(import.meta.dirname, '../../dist/web/assets');
  const file = readdirSync(folder).find((name) => /^charts-.*\.js$/.test(name));
  if (!file) throw new Error('the build has no file of charts');
  return `/assets/${file}`;
}

/** The script responses of a tab; the array grows while the tab loads. */
function scriptsOf({ page }: Tab): Response[] {
  const scripts: Response[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) scripts.push(response);
  });
  return scripts;
}

describe('what a browser receives for the first view', () => {
  let running: RunningSite;
  beforeAll(async () => {
    running = await runSite();
    const { product, upstream } = running;
    await product.channel({ name: 'only', base_url: upstream.url, models: 'gpt-4o-mini' });
    // A dashboard without any call shows no chart.
    expect(await ask(product.url, await product.token(product.root))).toBe(200);
    await eventuallyInProduct('a call in the dashboard', async () => {
      const end = Math.ceil(Date.now() / 1000) + 60;
      const address = `/api/data/self/?start_timestamp=${end - 7200}&end_timestamp=${end}&default_time=hour`;
      return (await product.root.data<unknown[] | null>('GET', address))?.length === 1;
    });
  });
  afterAll(() => running?.close());

  async function open(address: string, shows: string): Promise<{ tab: Tab; scripts: Response[] }> {
    const person = address === '/login' ? undefined : running.product.root;
    const tab = await running.desk.tab({ person, look: wideZh });
    const scripts = scriptsOf(tab);
    await tab.visit(address, shows);
    return { tab, scripts };
  }

  async function weigh(scripts: readonly Response[]): Promise<{ total: number; largest: number }> {
    const sizes = await Promise.all(scripts.map((response) => received([response.request()])));
    return { total: sizes.reduce((sum, size) => sum + size, 0), largest: Math.max(...sizes) };
  }

  it.each(budgets)('of %s stays within its budget', async (address, shows, limit) => {
    const { tab, scripts } = await open(address, shows);
    const { total, largest } = await weigh(scripts);
    expect(scripts.length).toBeGreaterThan(1);
    expect(total).toBeGreaterThan(50);
    expect(largest).toBeLessThanOrEqual(LARGEST);
    expect(total).toBeLessThanOrEqual(limit);
    await tab.close();
  });

  it('would exceed its budget if a page loaded code that it does not show', async () => {
    const before = await open('/login', 'input');
    const small = await weigh(before.scripts);
    await before.tab.close();
    // Simulates a page that needs the chart library from the start.
    const tab = await running.desk.tab({ look: wideZh });
    const scripts = scriptsOf(tab);
    await tab.page.addInitScript((file) => void import(file), chartFile());
    await tab.visit('/login', 'input');
    const heavy = await weigh(scripts);
    expect(scripts.length).toBeGreaterThan(before.scripts.length);
    expect(heavy.total - small.total).toBeGreaterThan(50);
    expect(heavy.total).toBeGreaterThan(250);
    await tab.close();
  });

  it.each([
    ['/detail', '[data-figure]'],
    ['/statement', '[data-row]'],
  ])('of %s stays within its budget, and its chart within its own', async (address, figures) => {
    const tab = await running.desk.tab({ person: running.product.root, look: wideZh });
    const { page } = tab;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const asked = { first: new Array<Request>(), chart: new Array<Request>() };
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) asked[CHART_FILES.test(pathname) ? 'chart' : 'first'].push(request);
    });
    // The page must show its figures and become idle while the chart is still loading.
    await page.route(CHART_FILES, async (route) => {
      await released;
      await route.continue();
    });
    const chartAsked = page.waitForRequest((request) => CHART_FILES.test(request.url()));
    await page.goto(`${running.product.url}${address}`);
    await page.locator(figures).first().waitFor();
    await chartAsked;
    // With a timeout, because the browser may never report that it is idle if there is nothing to paint.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1000 })));
    const first = await received(asked.first);
    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThanOrEqual(300);
    release();
    await page.locator('svg [class*="Bar"]').first().waitFor();
    await tab.settled();
    expect(await received(asked.first)).toBeLessThanOrEqual(300);
    const chart = await received(asked.chart);
    expect(chart).toBeGreaterThan(50);
    expect(chart).toBeLessThanOrEqual(CHART);
    await tab.close();
  });

  it('is compressed, and cached permanently under its hashed name', async () => {
    const { tab, scripts } = await open('/login', 'input');
    expect(scripts.length).toBeGreaterThan(1);
    for (const response of scripts) {
      const headers = await response.allHeaders();
      expect(headers['content-encoding']).toBe('br');
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers.vary).toMatch(/accept-encoding/i);
    }
    await tab.close();
  });
});

describe('a console whose files were deleted by a deployment', () => {
  let running: RunningSite;
  beforeAll(async () => {
    running = await runSite();
  });
  afterAll(() => running?.close());

  it('keeps its page, and explains how to get the new version', async () => {
    const tab = await running.desk.tab({ person: running.product.root });
    await tab.visit('/token');
    await tab.page.route(/assets\/token-drawer/, (route) => route.fulfill({ status: 404, body: '' }));
    await tab.page.route(
      ({ pathname }) => pathname === '/',
      (route) => route.fulfill({ body: '<script type="module" src="/assets/index-newer.js"></script>' }),
    );
    await tab.button('添加令牌').first().click();
    const message = tab.page.getByRole('alert').filter({ hasText: '这一部分没有加载出来' });
    await message.waitFor();
    await tab.page.getByText('控制台可能已更新').waitFor();
    expect(await tab.page.locator('h1').innerText()).toBe('API令牌');
    await message.getByRole('button', { name: '关闭' }).click();
    await tab.page.waitForURL(({ pathname }) => pathname === '/token');
    await tab.button('添加令牌').first().click();
    await message.waitFor();
    await tab.page.unrouteAll();
    await message.getByRole('button', { name: '重试' }).click();
    await tab.page.getByRole('dialog', { name: '创建新的令牌' }).waitFor();
    await tab.page.keyboard.press('Escape');
    await Promise.all([tab.page.waitForEvent('load'), tab.button('重新加载页面').click()]);
    await tab.page.getByRole('heading', { name: 'API令牌' }).waitFor();
    await tab.close();
  });

  it('distinguishes a page that fails to load from a broken one', async () => {
    const tab = await running.desk.tab({ person: running.product.root });
    await tab.visit('/token');
    await tab.page.route(/assets\/log-page/, (route) => route.fulfill({ status: 404, body: '' }));
    await tab.page.getByRole('link', { name: '使用日志' }).first().click();
    await tab.page.getByRole('heading', { name: '此页面没有加载出来' }).waitFor();
    await tab.close();
  });
});
