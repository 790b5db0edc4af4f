import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { ask, eventuallyInProduct } from './support/seeded.js';
import type { Tab } from './support/tab.js';

/** Fixed price of a call in dollars. */
const PRICE = 0.004;
/** The price of one call in units: 0.004 × 500 000. */
const BUDGET = 2000;

describe('a token with a budget', () => {
  let running: RunningSite;
  let user: Person;
  let owner: Tab;
  let administrator: Tab;
  let key: string;

  beforeAll(async () => {
    running = await runSite();
    const { product, upstream, desk } = running;
    await product.channel({ name: 'only', base_url: upstream.url, models: 'gpt-4o-mini' });
    await product.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: `{"gpt-4o-mini":${PRICE}}` });
    // Enough for one call, but not for two.
    user = await product.user('bob', 3060);
    const admin = await product.user('ann', 0);
    await product.root.data('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
    await admin.signIn('ann', 'ann has a password');
    owner = await desk.tab({ person: user });
    administrator = await desk.tab({ person: admin });
  });
  afterAll(() => running?.close());

  const send = (): Promise<number> => ask(running.product.url, key, 'gpt-4o-mini', 'hello');

  it('is created in the console, with its value in money beside the units', async () => {
    const { page } = owner;
    await owner.visit('/token');
    await owner.button('添加令牌').first().click();
    await owner.field('名称').fill('limited');
    await owner.button('取消无限额度').click();
    await owner.field('额度').fill(String(BUDGET));
    await page.getByText('等价金额: $0.004000').waitFor();
    await owner.button('提交').click();
    await owner.row('limited').getByText('$0.004000').first().waitFor();
    await owner.row('limited').getByRole('button', { name: '复制' }).click();
    await page.getByText('已复制到剪贴板！').waitFor();
    key = await page.evaluate(() => navigator.clipboard.readText());
  });

  it('is exhausted when its budget is spent, and shown as such', async () => {
    expect(await send()).toBe(200);
    // Refused by the relay's own accounting, or by the token's state once the relay has received it.
    expect([401, 403]).toContain(await send());
    await eventuallyInProduct('the word in the row', async () => {
      await owner.button('刷新').click();
      await owner.settled();
      return (await owner.row('limited').getByText('已耗尽').count()) > 0;
    });
  });

  it('fails for lack of balance once its budget was raised', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'limited' }).click();
    const drawer = page.getByRole('dialog', { name: /limited/ });
    await drawer.getByLabel('额度', { exact: true }).fill('1000000');
    await drawer.getByRole('button', { name: '提交' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await owner.row('limited').getByText('$2.00').waitFor();
    await owner.row('limited').getByText('已启用').waitFor();
    await eventuallyInProduct('a refusal by the wallet', async () => (await send()) === 403);
  });

  it('works again after an administrator increased the balance, with a reason', async () => {
    const { page } = administrator;
    await administrator.visit('/user', '[data-row]');
    await administrator.row('bob').getByRole('button', { name: '编辑' }).click();
    const drawer = page.getByRole('dialog', { name: /bob/ });
    await drawer.getByLabel('需要添加的额度（支持负数）', { exact: true }).fill('5000000');
    // Old balance, change and new balance are shown before anything is booked.
    await drawer.getByText(/调整 \+\$10\.00/).waitFor();
    await drawer.getByRole('button', { name: '提交' }).click();
    await drawer.getByText('请填写调整原因').waitFor();
    await drawer.getByLabel('调整原因', { exact: true }).fill('bank transfer 4711');
    await drawer.getByRole('button', { name: '提交' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await administrator.row('bob').getByText('$10.00').waitFor();
    await eventuallyInProduct('the token serves again', async () => (await send()) === 200);
  });

  it('shows its owner where the money came from and what is left', async () => {
    await owner.visit('/', 'h1');
    await owner.page
      .getByText(/^\$9\.9\d|\$10\.00$/)
      .first()
      .waitFor();
    await administrator.visit('/log?type=3', '[data-row]');
    await administrator
      .row('bob')
      .filter({ hasText: /管理员将用户额度从.*修改为/ })
      .first()
      .waitFor();
  });

  it('causes no error in the console of the browser', () => {
    expect([...owner.faults, ...administrator.faults]).toEqual([]);
  });
});
