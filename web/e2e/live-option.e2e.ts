import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wideEn } from './support/desk.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import type { Tab } from './support/tab.js';

describe('an option that an administrator changes', () => {
  let running: RunningSite;
  let administrator: Tab;
  /** Another user's browser. It is connected to the live stream, so it does not poll. */
  let other: Tab;

  beforeAll(async () => {
    running = await runSite();
    const { product, desk } = running;
    const user = await product.user('bob', 1_000_000);
    administrator = await desk.tab({ person: product.root });
    other = await desk.tab({ person: user, look: wideEn });
    await other.visit('/', 'h1');
    await other.untilLive();
  });
  afterAll(() => running?.close());

  it('is shown in a second browser without a reload', async () => {
    await administrator.visit('/setting?tab=other', '[data-option="SystemName"]');
    await administrator.field('系统名称').fill('Toll Bridge');
    await administrator.button('设置系统名称').click();
    await administrator.page.getByText('系统名称已更新').waitFor();
    await administrator.page.locator('header').getByText('Toll Bridge').waitFor();
    await other.page.locator('header').getByText('Toll Bridge').waitFor();
    expect(await other.page.title()).toContain('Toll Bridge');
  });

  it('changes every amount of the console for the display unit', async () => {
    const { page } = other;
    await page.getByText('$2.00').first().waitFor();
    await administrator.visit('/setting?tab=operation', '[data-option]');
    await administrator.page.getByRole('switch', { name: '以货币形式显示额度' }).click();
    await administrator.button('保存通用设置').click();
    await administrator.page.getByText('保存成功').first().waitFor();
    await page.getByText('1.0M').or(page.getByText('1M')).first().waitFor();
    expect(await page.locator('main').innerText()).not.toContain('$2.00');
  });

  it('removes a disabled page from the menu of others', async () => {
    const menu = other.page.getByRole('navigation', { name: 'Side navigation' });
    await other.visit('/token');
    await other.untilLive();
    await menu.getByRole('link', { name: 'Dashboard' }).waitFor();
    await administrator.page.getByRole('switch', { name: '启用数据看板（实验性）' }).click();
    await administrator.button('保存数据看板设置').click();
    await administrator.page.getByText('保存成功').first().waitFor();
    await menu.getByRole('link', { name: 'Dashboard' }).waitFor({ state: 'hidden' });
  });

  it('is undone from the audit log, in every browser', async () => {
    const { page } = administrator;
    await administrator.visit('/audit?subject=option%3ASystemName', '[data-row]');
    const entry = administrator.row('option:SystemName').filter({ hasText: '→ Toll Bridge' });
    await entry.getByRole('button', { name: '撤销此改动' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText(/从「Toll Bridge」改回/).waitFor();
    await question.getByRole('button', { name: '撤销此改动' }).click();
    await question.waitFor({ state: 'hidden' });
    for (const tab of [administrator, other])
      await tab.page.locator('header').getByText('Toll Bridge').waitFor({ state: 'hidden' });
    // Reverting the option is an entry, too, and it cannot be reverted twice.
    await administrator.row('Toll Bridge →').waitFor();
    await entry.getByRole('button', { name: '撤销此改动' }).click();
    await question.getByRole('button', { name: '撤销此改动' }).click();
    await question.getByText('该配置已被他人修改，请刷新后重试').waitFor();
    await question.getByRole('button', { name: '取消' }).click();
  });

  it('is refused at its field when invalid, without a change', async () => {
    await administrator.visit('/setting?tab=operation', '[data-option]');
    await administrator.field('额度提醒阈值（Token）').fill('-5');
    await administrator.button('保存监控设置').click();
    await administrator.page.locator('[data-option="QuotaRemindThreshold"] [aria-invalid="true"]').waitFor();
  });

  it('is refused by the first click, although the field that the click leaves then shows an error', async () => {
    const { page } = administrator;
    await administrator.visit('/setting?tab=operation', '[data-option]');
    await administrator.field('充值链接').fill('nope');
    const save = administrator.button('保存通用设置');
    await save.scrollIntoViewIfNeeded();
    const box = await save.boundingBox();
    if (!box) throw new Error('the button has no place');
    // At the upper edge, which a line that appears above would move away from under the pointer.
    await page.mouse.move(box.x + box.width / 2, box.y + 3);
    await page.mouse.down();
    // As long as a finger takes, in which the field has been checked.
    await page.waitForTimeout(200);
    await page.mouse.up();
    await page.getByText('请检查输入').first().waitFor();
    await page.locator('[data-option="TopUpLink"] [aria-invalid="true"]').waitFor();
  });

  it('causes no error in the console of the browser', () => {
    expect([...administrator.faults, ...other.faults]).toEqual([]);
  });
});
