import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { Desk } from './support/desk.js';
import type { Filled } from './support/filled.js';
import { fill } from './support/filled.js';
import { Keyboard } from './support/keyboard.js';
import type { Seeded } from './support/seeded.js';
import { startSeeded } from './support/seeded.js';
import type { Tab } from './support/tab.js';

/** Every focused element must be visible; a dialog keeps the focus while it is open, then returns it to the control that opened it. */
describe('the books and the evidence without a mouse', () => {
  let seeded: Seeded;
  let filled: Filled;
  let desk: Desk;
  let tab: Tab;
  let keys: Keyboard;

  beforeAll(async () => {
    seeded = await startSeeded();
    filled = await fill(seeded);
    desk = await Desk.open(seeded.site.url);
    tab = await desk.tab({ person: seeded.site.root });
    keys = new Keyboard(tab.page);
  });
  afterAll(async () => {
    await desk?.close();
    await filled?.close();
    await seeded?.close();
  });
  afterEach(() => expect(keys.faults.size === 0 ? [] : [...keys.faults]).toEqual([]));

  const dialog = (name: string | RegExp): Locator => tab.page.getByRole('dialog', { name });
  const inside = (box: Locator): Promise<boolean> =>
    box.evaluate((element) => element.contains(document.activeElement));

  /** Opens the dialog by keyboard, tabs once through it, closes it by Escape and expects the focus on the opener. */
  async function visitDialog(opener: Locator, box: Locator, first?: Locator): Promise<void> {
    await keys.enter(opener);
    await box.waitFor();
    if (first) await keys.arrives(first);
    await tab.settled();
    for (let stop = 0; stop < 12; stop += 1) {
      await keys.press('Tab');
      expect(await inside(box)).toBe(true);
    }
    await keys.press('Escape');
    await box.waitFor({ state: 'hidden' });
    await keys.arrives(opener);
  }

  it('imports an invoice, and opens the explanation of a difference', async () => {
    await tab.visit('/invoice', '[data-row]');
    await visitDialog(tab.button('导入发票').first(), dialog('导入发票'), tab.field('名称'));
    await keys.enter(tab.page.getByRole('link', { name: 'OpenAI, November 2026' }));
    await keys.arrives(tab.page.getByRole('heading', { level: 1 }));
    await tab.page.getByRole('heading', { level: 1, name: 'OpenAI, November 2026' }).waitFor();
    await visitDialog(tab.button('查看相关请求').first(), dialog(/可能解释差异的请求/));
  });

  it('decides on an approval', async () => {
    await tab.visit('/approval', '[data-row]');
    const row = tab.row(`#${filled.approval}`);
    await visitDialog(
      row.getByRole('button', { name: '批准' }),
      tab.page.getByRole('alertdialog', { name: '确定要批准此申请吗？' }),
      tab.page.getByRole('alertdialog').getByRole('button', { name: '取消' }),
    );
    const refuse = row.getByRole('button', { name: '拒绝' });
    await visitDialog(refuse, dialog(`拒绝申请 #${filled.approval}`), tab.field('拒绝原因'));
    await keys.enter(refuse);
    await keys.arrives(tab.field('拒绝原因'));
    await keys.type('twice the same');
    // Escape does not discard typed text; after cancelling the question the focus is in the field again.
    await keys.press('Escape');
    const question = tab.page.getByRole('alertdialog', { name: '放弃修改？' });
    await question.waitFor();
    await keys.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await keys.arrives(tab.field('拒绝原因'));
    await keys.press('Enter');
    await row.getByText('已拒绝').waitFor();
  });

  it('closes a period, and follows a posting to its proof', async () => {
    await tab.visit('/statement', '[data-row]');
    await visitDialog(tab.button('结账'), dialog('结账'), tab.field('结账至（含当日，UTC）'));
    await tab.visit('/journal', '[data-row]');
    await keys.enter(tab.page.locator('[data-row]').first().getByRole('button', { name: '查看证明链' }));
    await keys.arrives(tab.page.getByRole('heading', { level: 1, name: '证明链' }));
    await tab.page.locator('[data-link]').first().waitFor();
  });

  it('opens the proof of a request', async () => {
    await tab.visit('/proof', 'main form');
    await keys.goTo(tab.field('请求 ID'));
    await keys.type(filled.request);
    await keys.press('Enter');
    await tab.page.locator('[data-link="rating"]').waitFor();
    // The field has the focus for the next id.
    await keys.arrives(tab.field('请求 ID'));
  });

  it('reads the health of a channel, the explanation of its choice, and the details of a change', async () => {
    await tab.visit('/channel', '[data-row]');
    const more = tab.page.locator('[data-row]').first().locator('[aria-haspopup="menu"]');
    await keys.enter(more);
    await keys.arrives(tab.page.getByRole('menuitem').first());
    for (let step = 0; step < 12; step += 1) {
      if (await keys.isAt(tab.page.getByRole('menuitem', { name: '健康与时间线' }))) break;
      await keys.press('ArrowDown');
    }
    await keys.press('Enter');
    await dialog(/渠道健康/).waitFor();
    await tab.settled();
    await keys.press('Escape');
    await dialog(/渠道健康/).waitFor({ state: 'hidden' });
    await keys.arrives(more);
    await tab.visit('/audit', '[data-row]');
    const details = tab.page.locator('[data-row]').first().getByRole('button', { name: '详情' });
    await visitDialog(details, tab.page.getByRole('dialog'));
  });

  it('reads the deliveries, and reaches the confirmation of a chat', async () => {
    await tab.visit('/setting?tab=system', '[data-option]');
    const failed = tab.page.getByRole('group', { name: '筛选' }).getByRole('button', { name: '发送失败' });
    await failed.waitFor();
    await failed.focus();
    await keys.press('Enter');
    await tab.page.getByText('nobody@example.com').first().waitFor();
    await tab.visit('/chat/0', 'main button');
    await keys.goTo(tab.button('同意并打开'));
    await keys.goTo(tab.page.getByRole('link', { name: /令牌/ }).last());
  });

  it('causes no error in the console of the browser', () => {
    expect(tab.faults).toEqual([]);
  });
});
