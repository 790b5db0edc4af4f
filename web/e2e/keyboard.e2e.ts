import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '@tollgate/testing';
import type { Locator } from 'playwright-core';
import { Keyboard } from './support/keyboard.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import type { Tab } from './support/tab.js';

describe('the main journey without a mouse', () => {
  let running: RunningSite;
  let tab: Tab;
  let keys: Keyboard;

  beforeAll(async () => {
    running = await runSite();
    tab = await running.desk.tab();
    keys = new Keyboard(tab.page);
  });
  afterAll(() => running?.close());

  const link = (name: string): Locator =>
    tab.page.getByRole('navigation', { name: '侧边导航' }).getByRole('link', { name, exact: true });
  const dialog = (name: string | RegExp): Locator => tab.page.getByRole('dialog', { name });

  it('signs in', async () => {
    await tab.visit('/login', 'input');
    await keys.arrives(tab.field(/用户名/));
    await keys.type(ROOT.username);
    await keys.goTo(tab.field('密码'));
    await keys.type(ROOT.password);
    await keys.press('Enter');
    await tab.page.waitForURL(/\/token$/);
    await tab.settled();
  });

  it('skips the navigation to the content', async () => {
    await tab.visit('/token');
    await keys.press('Tab');
    await keys.arrives(tab.page.getByRole('link', { name: '跳到主要内容' }));
    await keys.press('Enter');
    await keys.arrives(tab.page.locator('main'));
  });

  it('creates a channel, and returns the focus', async () => {
    await keys.enter(link('渠道'));
    // The heading of a new page has the focus, so that a screen reader starts there.
    await keys.arrives(tab.page.getByRole('heading', { level: 1, name: '渠道' }));
    const add = tab.button('添加渠道').first();
    await keys.enter(add);
    await dialog('创建新的渠道').waitFor();
    await keys.arrives(tab.field('名称'));
    // Nothing was typed, so Escape closes the drawer without a question and the focus returns to the button.
    await keys.press('Escape');
    await dialog('创建新的渠道').waitFor({ state: 'hidden' });
    await keys.arrives(add);
    await keys.press('Enter');
    await keys.arrives(tab.field('名称'));
    await keys.type('by keys');
    await keys.goTo(tab.field('API地址'));
    await keys.type(running.upstream.url);
    await keys.goTo(tab.field('密钥'));
    await keys.type('sk-upstream');
    await keys.enter(tab.button('清除所有模型'));
    await keys.goTo(tab.field('自定义模型名称'));
    await keys.type('gpt-4o-mini');
    await keys.press('Enter');
    await keys.enter(tab.button('提交'));
    await dialog('创建新的渠道').waitFor({ state: 'hidden' });
    await tab.row('by keys').waitFor();
    await keys.arrives(add);
  });

  it('keeps the focus inside an open drawer, and confirms before typed text is lost', async () => {
    const drawer = dialog('创建新的渠道');
    await keys.press('Enter');
    await keys.arrives(tab.field('名称'));
    await keys.type('half');
    for (let stop = 0; stop < 60; stop += 1) {
      await keys.press('Tab');
      expect(await drawer.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    }
    await keys.press('Escape');
    const question = tab.page.getByRole('alertdialog', { name: '放弃修改？' });
    await question.waitFor();
    await keys.arrives(question.getByRole('button', { name: '取消' }));
    await keys.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await tab.field('名称').inputValue()).toBe('half');
    // The focus returns shortly after the question has closed.
    await drawer.and(tab.page.locator(':focus-within')).waitFor();
    await keys.press('Escape');
    await keys.enter(question.getByRole('button', { name: '放弃修改' }));
    await drawer.waitFor({ state: 'hidden' });
    await keys.arrives(tab.button('添加渠道').first());
  });

  it('opens a menu and a confirmation of a row, and returns to the row', async () => {
    const more = tab.row('by keys').locator('[aria-haspopup="menu"]');
    await keys.enter(more);
    await keys.arrives(tab.page.getByRole('menuitem').first());
    await keys.press('Escape');
    await keys.arrives(more);
    await keys.press('Enter');
    // Entries of a menu are reached by arrow keys.
    await keys.press('End');
    await keys.arrives(tab.page.getByRole('menuitem', { name: '删除' }));
    await keys.press('Enter');
    const question = tab.page.getByRole('alertdialog');
    await keys.arrives(question.getByRole('button', { name: '取消' }));
    await keys.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await keys.arrives(more);
    await keys.enter(tab.row('by keys').getByRole('link', { name: 'by keys' }));
    await dialog(/by keys/).waitFor();
    await tab.settled();
    await keys.press('Escape');
    await dialog(/by keys/).waitFor({ state: 'hidden' });
    await keys.arrives(tab.row('by keys').getByRole('link', { name: 'by keys' }));
  });

  it('makes a token', async () => {
    await keys.enter(link('API令牌'));
    await keys.arrives(tab.page.getByRole('heading', { level: 1 }));
    await keys.enter(tab.button('添加令牌').first());
    await keys.arrives(tab.field('名称'));
    await keys.replace('by keys');
    await keys.enter(tab.button('提交'));
    await dialog('创建新的令牌').waitFor({ state: 'hidden' });
    await keys.enter(tab.row('by keys').getByRole('button', { name: '复制' }));
    await tab.page.getByText('已复制到剪贴板！').waitFor();
    expect(await tab.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^sk-/);
  });

  it('sends a message to the model, and reads the reply with its cost', async () => {
    await keys.enter(link('Playground'));
    await keys.goTo(tab.field('消息'));
    await keys.type('[[tokens=30]] hello');
    await keys.press('Enter');
    const answer = tab.page.locator('[data-status="complete"]').last();
    await answer.getByText('w30').waitFor();
    await answer.getByText(/^花费 \$/).waitFor();
    // The field has the focus for the next message.
    await keys.arrives(tab.field('消息'));
  });

  it('finds the request in the log and opens its detail', async () => {
    await keys.enter(link('使用日志'));
    await tab.row('gpt-4o-mini').waitFor();
    const expand = tab.row('gpt-4o-mini').first().getByRole('button', { name: '展开' });
    await keys.enter(expand);
    await tab.page.locator('td.detail').waitFor();
    await keys.arrives(tab.row('gpt-4o-mini').first().getByRole('button', { name: '收起' }));
  });

  it('saves an option', async () => {
    await keys.enter(link('系统设置'));
    await keys.arrives(tab.page.getByRole('heading', { level: 1, name: '系统设置' }));
    await keys.goTo(tab.field('搜索设置项'));
    await keys.type('重试次数');
    await tab.page.getByRole('list', { name: '找到的设置项' }).getByRole('button').first().waitFor();
    await keys.press('Enter');
    await keys.arrives(tab.page.locator('[data-option="RetryTimes"] input'));
    await keys.replace('4');
    await keys.enter(tab.button('保存通用设置'));
    await tab.page.getByText('保存成功').first().waitFor();
    await keys.arrives(tab.button('保存通用设置'));
  });

  it('deletes a row, and goes on at the row in its place or at the table', async () => {
    await keys.enter(link('API令牌'));
    await keys.arrives(tab.page.getByRole('heading', { level: 1 }));
    const rows = tab.page.locator('tbody [data-row]');
    await tab.row('by keys').waitFor();
    for (let left = (await rows.count()) - 1; left >= 0; left -= 1) {
      await keys.enter(rows.first().locator('[aria-haspopup="menu"]'));
      await keys.press('End');
      await keys.arrives(tab.page.getByRole('menuitem', { name: '删除' }));
      await keys.press('Enter');
      await keys.enter(tab.page.getByRole('alertdialog').getByRole('button', { name: '删除' }));
      await keys.arrives(left > 0 ? rows.first() : tab.page.locator('[data-fill][role="group"]'));
      expect(await rows.count()).toBe(left);
    }
  });

  it('signs out', async () => {
    const account = tab.button(/账户菜单/);
    await keys.enter(account);
    await keys.arrives(tab.page.getByRole('menuitem').first());
    await keys.press('End');
    await keys.press('Enter');
    await tab.page.waitForURL(/\/login$/);
  });

  it('has a visible focus at every stop, and no error in the console of the browser', () => {
    expect([...keys.faults]).toEqual([]);
    expect(tab.faults).toEqual([]);
  });
});
