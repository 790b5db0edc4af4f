import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BAD_KEY } from '@tollgate/testing';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { ask, eventuallyInProduct, setOption } from './support/seeded.js';
import type { Tab } from './support/tab.js';

describe('a channel whose key is refused', () => {
  let running: RunningSite;
  let tab: Tab;
  let key: string;

  beforeAll(async () => {
    running = await runSite();
    const { product, upstream, desk } = running;
    await setOption(product, 'AutomaticDisableChannelEnabled', 'true');
    await product.channel({ name: 'flaky', base_url: upstream.url, models: 'gpt-4o', key: BAD_KEY });
    await product.channel({ name: 'steady', base_url: upstream.url, models: 'gpt-4o-mini' });
    key = await product.token(product.root, { name: 'app' });
    tab = await desk.tab({ person: product.root });
  });
  afterAll(() => running?.close());

  const send = (): Promise<number> => ask(running.product.url, key, 'gpt-4o');

  it('is disabled automatically, and named in the console', async () => {
    await tab.visit('/channel', '[data-row]');
    expect(await tab.row('flaky').innerText()).toContain('已启用');
    expect(await send()).toBe(401);
    await eventuallyInProduct('the channel switched off', async () => {
      await tab.button('刷新').click();
      await tab.settled();
      return (await tab.page.getByRole('button', { name: '自动禁用 1' }).count()) > 0;
    });
    await tab.page.getByRole('button', { name: '自动禁用 1' }).click();
    await tab.row('steady').waitFor({ state: 'hidden' });
    expect(await tab.page.locator('[data-row]').count()).toBe(1);
    // No channel is left for the request, so the provider gets no call once the relay has heard of it.
    await eventuallyInProduct('the requests refused', async () => (await send()) === 503);
    const served = running.upstream.served();
    expect(await send()).toBe(503);
    expect(running.upstream.served()).toBe(served);
  });

  it('is reported on the dashboard with a link to the channel', async () => {
    await tab.visit('/detail');
    await tab.page.getByRole('link', { name: /1 个渠道/ }).click();
    await tab.row('flaky').waitFor();
  });

  it('shows the message of the provider, without key and address', async () => {
    await tab.row('flaky').getByRole('button', { name: '自动禁用' }).click();
    const why = tab.page.getByRole('dialog', { name: '渠道「flaky」为什么被禁用' });
    const text = await why.innerText();
    expect(text).toContain('Incorrect API key provided');
    expect(text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    expect(text).not.toMatch(/sk-fake-upstream|platform\.fake-upstream/);
    // Escape closes the dialog and returns the focus to the button that opened it.
    await tab.page.keyboard.press('Escape');
    await why.waitFor({ state: 'hidden' });
    await tab.row('flaky').locator('button:focus', { hasText: '自动禁用' }).waitFor();
  });

  it('shows the evidence, and why it gets no requests', async () => {
    const { page } = tab;
    await tab.act(tab.row('flaky'), '健康与时间线');
    const health = page.getByRole('dialog', { name: '渠道健康：flaky' });
    await health.getByText('真实请求失败，探测证实，自动禁用').waitFor();
    await health
      .getByText(/Incorrect API key provided/)
      .first()
      .waitFor();
    await health.getByRole('button', { name: '为什么没有选中' }).click();
    const choice = page.getByRole('dialog', { name: '请求会选中哪个渠道' });
    await choice.getByText('没有可用的渠道：请求会得到 503').waitFor();
    const asked = choice.getByRole('listitem').filter({ hasText: 'flaky' });
    await asked.getByText('不可用', { exact: true }).waitFor();
    await asked.getByText(/^已被自动禁用：/).waitFor();
    await choice.getByLabel('模型名称').fill('gpt-4o-mini');
    await choice.getByRole('button', { name: '查看', exact: true }).click();
    const steady = choice.getByRole('listitem').filter({ hasText: 'steady' });
    await steady.getByText('首先尝试').waitFor();
    await asked.getByText('模型列表中没有此模型').waitFor();
    for (const dialog of [choice, health]) {
      // The focus returns shortly after the dialog above has closed.
      await dialog.and(page.locator(':focus-within, :focus')).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
  });

  it('shows the failed request in the log, unbilled', async () => {
    await tab.visit('/log?type=5', '[data-row]');
    const row = tab.row('gpt-4o').first();
    expect(await row.innerText()).toContain('401');
    await row.getByRole('button', { name: '展开' }).click();
    await tab.page.locator('td.detail').first().waitFor();
    const { used_quota: used } = await running.product.root.data<{ used_quota: number }>('GET', '/api/user/self');
    expect(used).toBe(0);
  });

  it('serves again after a new key and enabling it', async () => {
    const { page } = tab;
    await tab.visit('/channel?status=3', '[data-row]');
    await page.getByRole('link', { name: 'flaky' }).click();
    const drawer = page.getByRole('dialog', { name: /flaky/ });
    await drawer.getByText(/已设置；留空则不更改/).waitFor();
    expect(await drawer.getByLabel('密钥', { exact: true }).inputValue()).toBe('');
    await drawer.getByLabel('密钥', { exact: true }).fill('sk-new');
    await drawer.getByRole('button', { name: '提交' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByText('渠道更新成功！').waitFor();
    await tab.row('flaky').getByRole('button', { name: '自动禁用' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '启用', exact: true }).click();
    await page.getByText('没有符合条件的记录').waitFor();
    await page.getByRole('button', { name: /^全部 2/ }).click();
    await tab.row('flaky').getByText('已启用').waitFor();
    await eventuallyInProduct('the channel serves again', async () => (await send()) === 200);
    expect(running.upstream.journal().at(-1)?.status).toBe(200);
    await tab.row('flaky').getByRole('button', { name: '测试', exact: true }).click();
    await tab
      .row('flaky')
      .getByText(/\d+\.\d\d 秒/)
      .waitFor();
  });

  it('causes no error in the console of the browser', () => {
    expect(tab.faults).toEqual([]);
  });
});
