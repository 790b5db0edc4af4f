import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import { addressOf, pages } from '../src/app/page-list.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import type { Tab } from './support/tab.js';

/** Addresses of pages that show a message to users with a lower role; from others users are redirected. */
const forAdministrators = pages
  .filter((page) => page.minRole >= 10 && page.own !== addressOf(page))
  .map((page) => addressOf(page));
/** Calls of the frame around every page. */
const FRAME = /^\/api\/(status|user\/self|live)\/?$/;
const everybody = [
  'Playground',
  '数据看板',
  'API令牌',
  '使用日志',
  '对账单',
  '绘图日志',
  '任务日志',
  '钱包',
  '个人设置',
];
const administrators = ['渠道', '兑换码', '用户管理', '审批', '账本', '上游发票', '系统设置', '审计日志'];

describe('the console by role', () => {
  let running: RunningSite;
  let user: Tab;
  let admin: Tab;
  let root: Tab;
  let ann: Person;

  beforeAll(async () => {
    running = await runSite();
    const { product, upstream, desk } = running;
    await product.channel({ name: 'only', base_url: upstream.url });
    const bob = await product.user('bob', 1_000_000);
    ann = await product.user('ann', 1_000_000);
    const eve = await product.user('eve', 1_000_000);
    for (const { id } of [ann, eve]) await product.root.data('POST', '/api/user/manage', { id, action: 'promote' });
    await ann.signIn('ann', 'ann has a password');
    user = await desk.tab({ person: bob });
    admin = await desk.tab({ person: ann });
    root = await desk.tab({ person: product.root });
  });
  afterAll(() => running?.close());

  const menuOf = async (tab: Tab): Promise<string[]> => {
    await tab.visit('/token');
    const links = tab.page.getByRole('navigation', { name: '侧边导航' }).getByRole('link');
    return (await links.allInnerTexts()).map((text) => text.trim());
  };

  it('lists in the menu only pages that the role may open', async () => {
    expect((await menuOf(user)).sort()).toEqual([...everybody].sort());
    expect((await menuOf(admin)).sort()).toEqual([...everybody, ...administrators].sort());
    expect((await menuOf(root)).sort()).toEqual([...everybody, ...administrators].sort());
  });

  it.each([...forAdministrators, '/channel/add'])(
    'explains to a user that %s is for administrators, without requests to the server',
    async (address) => {
      const asked: string[] = [];
      const listen = (request: { url(): string }): void => void asked.push(new URL(request.url()).pathname);
      user.page.on('request', listen);
      await user.visit(address);
      user.page.off('request', listen);
      expect(await user.page.getByRole('heading', { level: 1 }).innerText()).toBe('无权查看此页面');
      await user.page.getByText('此页面仅管理员可用').waitFor();
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((path) => path.startsWith('/api/') && !FRAME.test(path))).toEqual([]);
    },
  );

  it('redirects a user from /setting, the return address of bindings, to the personal page', async () => {
    await user.visit('/setting');
    await user.page.waitForURL(/\/personal$/);
    expect(await user.page.getByRole('heading', { level: 1 }).innerText()).toBe('个人设置');
  });

  it.each([
    ['/channel', '渠道'],
    ['/channel/add', '渠道'],
    ['/user', '管理用户'],
    ['/setting', '系统设置'],
    ['/setting?tab=system', '系统设置'],
    ['/detail', '数据看板'],
    ['/log', '使用日志'],
    ['/personal', '个人设置'],
    ['/playground', 'Playground'],
  ])('shows an administrator %s', async (address, title) => {
    await admin.visit(address);
    expect(await admin.page.locator('main h1').innerText()).toBe(title);
  });

  it('lets an administrator manage users, and explains why not administrators', async () => {
    const { page } = admin;
    await admin.visit('/user', '[data-row]');
    const edit = (name: string) => admin.row(name).getByRole('button', { name: '编辑' });
    for (const name of ['root', 'eve', 'ann']) {
      expect(await edit(name).getAttribute('aria-disabled')).toBe('true');
      expect(await edit(name).getAttribute('title')).toBe('无权操作同级或更高等级的用户');
    }
    // Pressing it must have no effect.
    await edit('root').click({ force: true });
    expect(new URL(page.url()).pathname).toBe('/user');
    expect(await edit('bob').getAttribute('aria-disabled')).toBeNull();
    await admin.row('bob').locator('[aria-haspopup="menu"]').click();
    const promote = page.getByRole('menuitem', { name: /提升/ });
    expect(await promote.getAttribute('aria-disabled')).toBe('true');
    await promote.getByText('普通管理员用户无法提升其他用户为管理员').waitFor();
    expect(await page.getByRole('menuitem', { name: /禁用/ }).getAttribute('aria-disabled')).toBeNull();
    await page.keyboard.press('Escape');
  });

  it('refuses an administrator the drawer of a user of higher rank, without a form', async () => {
    await admin.visit('/user/edit/1', '[role="dialog"]');
    const drawer = admin.page.getByRole('dialog');
    await drawer.getByRole('alert').waitFor();
    expect(await drawer.getByRole('alert').innerText()).toContain('无权获取同级或更高等级用户的信息');
    expect(await drawer.locator('input').count()).toBe(0);
    expect(await drawer.getByRole('button', { name: '提交' }).isDisabled()).toBe(true);
  });

  it('disables the option that only the super administrator changes, with its reason', async () => {
    await admin.visit('/setting?tab=operation', '[data-option]');
    const locked = admin.page.locator('[data-option="TopUpLink"]');
    expect(await locked.locator('input').isDisabled()).toBe(true);
    await locked.getByText('只有超级管理员可以修改').waitFor();
    expect(await admin.page.locator('[data-option] input[aria-disabled="true"]').count()).toBeGreaterThan(0);
    await root.visit('/setting?tab=operation', '[data-option]');
    expect(await root.page.locator('[data-option="TopUpLink"] input').isDisabled()).toBe(false);
  });

  it('saves an option of an administrator', async () => {
    await admin.field('失败重试次数').fill('2');
    await admin.button('保存通用设置').click();
    await admin.page.getByText('保存成功').first().waitFor();
  });

  it('removes the pages at once with the role', async () => {
    await admin.visit('/channel', '[data-row]');
    await admin.untilLive();
    await running.product.root.data('POST', '/api/user/manage', { id: ann.id, action: 'demote' });
    await admin.page.getByRole('heading', { level: 1, name: '无权查看此页面' }).waitFor();
    const menu = admin.page.getByRole('navigation', { name: '侧边导航' });
    await menu.getByRole('link', { name: '渠道' }).waitFor({ state: 'hidden' });
    expect((await menuOf(admin)).sort()).toEqual([...everybody].sort());
  });

  it('causes no error in the console of the browser', () => {
    expect([...user.faults, ...admin.faults, ...root.faults]).toEqual([]);
  });
});
