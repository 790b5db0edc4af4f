import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Look } from './support/desk.js';
import { Desk, phoneEn, phoneZh, wideEn, wideZh } from './support/desk.js';
import { badCells, badHeads, boxOf, highestRow, isInView, rowsInView, tableScroll } from './support/measures.js';
import { sidewaysScroll } from './support/rules.js';
import type { Seeded } from './support/seeded.js';
import { CHANNELS, TOKENS, ask, startSeeded } from './support/seeded.js';
import type { Tab } from './support/tab.js';

/** Points in which the console must be better than the reference, on a desktop of 1440 × 900 and a phone of 390 × 900. */
describe('the density of the console', () => {
  let seeded: Seeded;
  let desk: Desk;
  const tabs: Tab[] = [];
  /** Faults of all tabs of the suite. */
  const faults: string[] = [];

  beforeAll(async () => {
    seeded = await startSeeded();
    desk = await Desk.open(seeded.site.url);
  });
  afterAll(async () => {
    await desk?.close();
    await seeded?.close();
  });

  afterEach(async () => {
    for (const tab of tabs.splice(0)) {
      faults.push(...tab.faults);
      await tab.close();
    }
  });

  async function open(address: string, look: Look, shows = '[data-row]', size = '20'): Promise<Tab> {
    const tab = await desk.tabBeside({ look, person: seeded.site.root, stored: { 'page-size': size } });
    tabs.push(tab);
    await tab.visit(address, shows);
    return tab;
  }
  const desks = [wideZh, wideEn];

  describe('channels', () => {
    it.each(desks)('show twelve rows at least, each on one line with its actions ($language)', async (look) => {
      const { page } = await open('/channel', look);
      const { whole, first } = await rowsInView(page);
      expect(whole).toBeGreaterThanOrEqual(12);
      expect(first).toBeLessThan(290);
      expect(await badHeads(page)).toEqual([]);
      expect(await highestRow(page)).toBeLessThanOrEqual(46);
      const actions = page.locator('[data-row] .actions');
      expect(await actions.count()).toBe(20);
      // Two buttons and the menu behind ⋯.
      expect(await actions.first().locator('button').count()).toBeLessThanOrEqual(3);
      expect(await actions.first().locator('button').last().getAttribute('aria-haspopup')).toBe('menu');
    });

    it.each([phoneZh, phoneEn])('show three whole records on a phone ($language)', async (look) => {
      const { page } = await open('/channel', look);
      expect((await rowsInView(page)).whole).toBeGreaterThanOrEqual(3);
    });

    it.each([phoneZh, phoneEn])('use two lines for counts and filters on a phone ($language)', async (look) => {
      const { page } = await open('/channel', look);
      const counts = page.getByRole('group', { name: look.language === 'zh' ? '状态' : 'Status' });
      const first = await boxOf(page.locator('[data-row]').first());
      // Two lines of 44 pixels (touch targets) and the gaps between.
      expect(first.y - (await boxOf(counts)).y).toBeLessThanOrEqual(2 * 44 + 3 * 8);
      expect(await counts.getByRole('button').count()).toBe(4);
      expect(await counts.evaluate((line) => line.scrollWidth - line.clientWidth)).toBe(0);
      // The control for the presentation of the list is beside the other filters.
      await page.getByRole('button', { name: look.language === 'zh' ? '筛选' : 'Filters' }).click();
      await page.getByRole('switch', { name: look.language === 'zh' ? '标签聚合模式' : 'Grouped by tag' }).click();
      await page
        .locator(`[aria-label="${look.language === 'zh' ? '标签聚合模式' : 'Grouped by tag'}"] [data-row]`)
        .first()
        .waitFor();
    });

    it('open list and drawer from the address of a new channel on a phone', async () => {
      const tab = await open('/channel/add', phoneZh);
      await tab.page.getByRole('dialog', { name: '创建新的渠道' }).waitFor();
      await tab.page.getByText(`共 ${CHANNELS} 条`).waitFor({ state: 'attached' });
      expect(await tab.page.locator('[data-row]').count()).toBe(20);
      expect(tab.faults).toEqual([]);
    });
  });

  describe('the usage log', () => {
    const heads = {
      zh: ['时间', '模型', '提示', '补全', '花费'],
      en: ['Time', 'Model', 'Prompt', 'Compl.', 'Cost'],
    };

    it.each(desks)('shows fourteen one-line rows with their cost in view ($language)', async (look) => {
      const { page } = await open('/log', look);
      const { whole, first } = await rowsInView(page);
      expect(whole).toBeGreaterThanOrEqual(14);
      expect(first).toBeLessThan(320);
      expect(await highestRow(page)).toBeLessThanOrEqual(38);
      expect(await badHeads(page)).toEqual([]);
      expect(await badCells(page, heads[look.language])).toEqual([]);
      expect(await tableScroll(page)).toBe(0);
      expect(await page.locator('[data-row]').filter({ hasText: 'gpt-4o-mini' }).first().innerText()).toMatch(
        /\$0\.\d{6}/,
      );
    });

    it.each([
      [phoneZh, '今天', '近 60 秒'],
      [phoneEn, 'Today', 'last 60 s'],
    ] as const)(
      'shows four whole records on a phone, and totals that name their period (%j)',
      async (look, ...periods) => {
        const { page } = await open('/log', look);
        expect((await rowsInView(page)).whole).toBeGreaterThanOrEqual(4);
        expect(await sidewaysScroll(page)).toBe(0);
        const totals = await page.getByRole('group', { name: look.language === 'zh' ? '合计' : 'Totals' }).innerText();
        for (const period of periods) expect(totals).toContain(period);
      },
    );
  });

  describe('the dashboard', () => {
    const chart = '.MuiChartsSurface-root';
    /** Heights of the eight figures, which are in one row. */
    const heights: Record<string, number> = {};

    it.each(desks)('shows eight figures in one low row and the whole chart below ($language)', async (look) => {
      const { page } = await open('/detail', look, chart);
      const boxes = await Promise.all((await page.locator('[data-figure]').all()).map(boxOf));
      expect(boxes).toHaveLength(8);
      expect(new Set(boxes.map(({ y }) => y)).size).toBe(1);
      heights[look.language] = Math.max(...boxes.map(({ height }) => height));
      expect(heights[look.language]).toBeLessThanOrEqual(104);
      expect(await page.locator('main').innerText()).not.toMatch(/NaN|Infinity|undefined/);
      expect(await isInView(page.locator(chart).first(), page)).toBe(true);
      for (const model of ['gpt-4o', 'gpt-4o-mini'])
        expect(await isInView(page.locator('.MuiChartsLegend-root').getByText(model, { exact: true }), page)).toBe(
          true,
        );
      // Every tick of the axis shows the unit.
      const marks = await page.locator('.MuiChartsAxis-directionY .MuiChartsAxis-tickLabel').allTextContents();
      expect(marks.length).toBeGreaterThan(2);
      expect(marks.filter((mark) => !mark.startsWith('$'))).toEqual([]);
    });

    it.each(desks)('cuts no text of a figure in a small window ($language)', async (look) => {
      const { page } = await open('/detail', look, '[data-figure]');
      await page.setViewportSize({ width: 1280, height: 900 });
      const cut = await page
        .locator('[data-figure] > *')
        .evaluateAll((texts) =>
          texts.filter((text) => text.scrollWidth > text.clientWidth).map((text) => text.textContent),
        );
      expect(cut).toEqual([]);
      await page.setViewportSize({ width: look.width, height: 900 });
    });

    it('has the same height in both languages', () => {
      expect(heights.zh).toBeGreaterThan(0);
      expect(heights.en).toBe(heights.zh);
    });

    it('shows zeros or dashes without calls, never NaN', async () => {
      const tab = await desk.tab({ person: seeded.user });
      tabs.push(tab);
      await tab.visit('/detail', '[data-figure]');
      const figures = await tab.page.locator('[data-figure]').allInnerTexts();
      expect(figures).toHaveLength(8);
      expect(figures.join()).not.toMatch(/NaN|Infinity|undefined/);
    });

    it('shows a finished request in figures and chart without a reload', async () => {
      const { site, key } = seeded;
      const tab = await desk.tab({ person: site.root });
      tabs.push(tab);
      await tab.visit('/detail', chart);
      await tab.untilLive();
      const calls = tab.page.locator('[data-figure="calls"]');
      const requests = tab.page.locator('[data-figure="requests"]');
      const before = Number((await calls.innerText()).match(/\d+/)?.[0]);
      const total = Number((await requests.innerText()).match(/\d+/)?.[0]);
      expect(before).toBeGreaterThan(0);
      expect(await ask(site.url, key, 'gpt-4', '[[tokens=2000]] hello')).toBe(200);
      await calls.getByText(String(before + 1), { exact: true }).waitFor();
      await requests.getByText(String(total + 1), { exact: true }).waitFor();
      await tab.page.locator('.MuiChartsLegend-root').getByText('gpt-4', { exact: true }).waitFor();
    });
  });

  describe('tokens', () => {
    it.each(desks)(
      'show a default page with its paging line, two buttons and a menu per row ($language)',
      async (look) => {
        const { page } = await open('/token', look, '[data-row]', '10');
        const { whole } = await rowsInView(page);
        expect(whole).toBe(10);
        expect(await isInView(page.locator('[data-fill] nav'), page)).toBe(true);
        expect(await page.locator('[data-fill] nav').innerText()).toContain(String(TOKENS));
        const buttons = await Promise.all(
          (await page.locator('[data-row]').all()).map((row) => row.locator('.actions button').count()),
        );
        expect(Math.max(...buttons)).toBeLessThanOrEqual(3);
        const heads = { zh: ['名称', '状态', '创建时间', '过期时间'], en: ['Name', 'Status', 'Created', 'Expires'] };
        expect(await badCells(page, heads[look.language])).toEqual([]);
        expect(await highestRow(page)).toBeLessThanOrEqual(46);
      },
    );

    it.each([phoneZh, phoneEn])(
      'show four whole records on a phone, with all actions inside their card ($language)',
      async (look) => {
        const { page } = await open('/token', look);
        expect((await rowsInView(page)).whole).toBeGreaterThanOrEqual(4);
        const card = page.locator('[data-row]').first();
        const { x, width } = await boxOf(card);
        for (const button of await card.getByRole('button').all()) {
          const box = await boxOf(button);
          expect(box.x).toBeGreaterThanOrEqual(x);
          expect(box.x + box.width).toBeLessThanOrEqual(x + width);
        }
        await card.locator('[aria-haspopup="menu"]').click();
        const menu = page.getByRole('menu');
        await menu.waitFor();
        const entries = await menu.getByRole('menuitem').all();
        // Copy is visible; edit, view, usage, switch, delete and the chats are behind ⋯.
        expect(entries.length).toBeGreaterThanOrEqual(5);
        for (const entry of entries) {
          const box = await boxOf(entry);
          expect(box.x).toBeGreaterThanOrEqual(0);
          expect(box.x + box.width).toBeLessThanOrEqual(390);
        }
      },
    );
  });

  it('keep the buttons of a dialog in view, however many fields it has', async () => {
    const { page } = await open('/invoice', phoneZh, '[data-state="empty"]');
    await page.getByRole('button', { name: '导入发票' }).first().click();
    const dialog = page.getByRole('dialog', { name: '导入发票' });
    await dialog.getByLabel('格式').selectOption('columns');
    await page.setViewportSize({ width: 390, height: 560 });
    expect(await isInView(dialog.getByRole('button', { name: '取消' }), page)).toBe(true);
    expect(await isInView(dialog.getByLabel('名称', { exact: true }), page)).toBe(true);
  });

  describe('settings', () => {
    it.each([phoneZh, phoneEn])('keep their heading visible below a notice on a phone ($language)', async (look) => {
      const { page } = await open('/setting', look, '[data-option]');
      // Saves nothing, which a toast says.
      await page.locator('main form button.MuiButton-outlined').first().dispatchEvent('click');
      const said = page.locator('section[aria-live] .message').first();
      await said.waitFor();
      const [toast, heading] = [await boxOf(said), await boxOf(page.locator('main h1'))];
      expect(toast.y >= heading.y + heading.height || toast.y + toast.height <= heading.y).toBe(true);
      expect(toast.y + toast.height).toBeLessThanOrEqual(900);
    });

    // The search finds texts of both languages in either console, and parts of a key.
    it.each([
      ['重试次数', 'RetryTimes', wideEn],
      ['retries', 'RetryTimes', wideZh],
      ['turnstilesec', 'TurnstileSecretKey', wideEn],
      ['模型倍率', 'ModelRatio', wideZh],
    ] as const)('scroll to an option for "%s" and Enter', async (typed, option, look) => {
      const { page } = await open('/setting', look, '[data-option]');
      const search = page.getByLabel(look.language === 'zh' ? '搜索设置项' : 'Search settings');
      await search.fill(typed);
      const found = page.getByRole('list', { name: look.language === 'zh' ? '找到的设置项' : 'Settings found' });
      await found.getByRole('button').first().waitFor();
      await search.press('Enter');
      const field = page.locator(`[id="option-${option}"]`);
      await field.locator('input:focus, textarea:focus, select:focus').waitFor();
      expect(await isInView(field.locator('input, textarea, select').first(), page)).toBe(true);
    });

    it('list the cards of a tab on the left', async () => {
      const { page } = await open('/setting', { ...wideEn, width: 1280 }, '[data-option]');
      const anchors = await boxOf(page.getByRole('navigation', { name: 'Cards of this page' }));
      const card = await boxOf(page.locator('#card-general'));
      expect(anchors.x + anchors.width).toBeLessThanOrEqual(card.x);
      expect(anchors.x).toBe((await boxOf(page.locator('h1'))).x);
    });

    it('state for every secret whether it is set', async () => {
      await seeded.site.root.data('PUT', '/api/option/', { key: 'SMTPToken', value: 'a secret' });
      const { page } = await open('/setting?tab=system', wideEn, '[data-option]');
      expect(await page.locator('[data-option="SMTPToken"]').getByText('Set', { exact: true }).count()).toBe(1);
      expect(
        await page.locator('[data-option="TurnstileSecretKey"]').getByText('Not set', { exact: true }).count(),
      ).toBe(1);
      const secrets = page.locator('[data-option] input[type="password"]');
      expect(await secrets.count()).toBeGreaterThan(5);
      expect(await page.getByText(/^(Set|Not set)$/).count()).toBe(await secrets.count());
    });

    it.each([phoneZh, phoneEn])(
      'have tabs on one line and the first field high up on a phone ($language)',
      async (look) => {
        const { page } = await open('/setting', look, '[data-option]');
        expect((await boxOf(page.getByRole('tablist').first())).height).toBeLessThanOrEqual(48);
        const tops = await Promise.all((await page.getByRole('tablist').first().getByRole('tab').all()).map(boxOf));
        expect(new Set(tops.map(({ y }) => y)).size).toBe(1);
        expect((await boxOf(page.locator('[data-option]').first())).y).toBeLessThan(300);
      },
    );
  });

  describe('the playground', () => {
    it.each([
      [wideZh, '发送', '停止', [/^提示 \d+ · 补全 60$/, /^花费 \$0/, /^首字 /, /^用时 /, /^请求 ID/]],
      [wideEn, 'Send', 'Stop', [/^Prompt \d+ · completion 60$/, /^Cost \$0/, /^First token /, /^Time /, /^Request id/]],
    ] as const)('shows the figures of a reply, and can stop one (%j)', async (look, send, stop, facts) => {
      const tab = await open('/playground', look, 'textarea');
      const { page } = tab;
      const compose = page.locator('form textarea');
      await compose.fill('[[tokens=60 tps=20]] hello');
      await tab.button(send).click();
      await tab.button(stop).waitFor();
      const answer = page.locator('[data-status]').last();
      await page.locator('[data-status="complete"]').last().getByText(/w60/).waitFor();
      for (const fact of facts) await answer.getByText(fact).first().waitFor();
      await compose.fill('[[tokens=400 tps=10]] again');
      await tab.button(send).click();
      await page.locator('[data-status="incomplete"]').getByText(/w3/).waitFor();
      await tab.button(stop).click();
      await tab.button(send).waitFor();
      expect(await answer.innerText()).not.toContain('w399');
      // The stop button, which had the focus, is gone.
      await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    });

    it.each(desks)('gives the conversation the width, and shows the number of the slider ($language)', async (look) => {
      const { page } = await open('/playground', look, 'textarea');
      const conversation = page.getByRole('region', { name: look.language === 'zh' ? '对话' : 'Conversation' });
      // The element around the messages and the composer.
      expect((await boxOf(conversation.locator('xpath=../..'))).width).toBeGreaterThanOrEqual(900);
      const model = page.getByRole('combobox', { name: look.language === 'zh' ? '模型' : 'Model' });
      const system = page.getByLabel('System');
      const frame = (field: typeof model) => boxOf(field.locator('xpath=ancestor::*[.//fieldset][1]'));
      expect(Math.abs((await frame(model)).width - (await frame(system)).width)).toBeLessThanOrEqual(2);
      const slider = page.getByRole('slider');
      await slider.focus();
      await slider.press('End');
      await page.getByText('1.0', { exact: true }).waitFor();
      const [sent] = await Promise.all([
        page.waitForRequest('**/pg/chat/completions'),
        page
          .locator('form textarea')
          .fill('hello')
          .then(() => page.keyboard.press('Enter')),
      ]);
      expect(sent.postDataJSON()).toMatchObject({ temperature: 1 });
    });

    it.each([phoneZh, phoneEn])('has room for the conversation on a phone ($language)', async (look) => {
      const { page } = await open('/playground', look, 'textarea');
      const conversation = page.getByRole('region', { name: look.language === 'zh' ? '对话' : 'Conversation' });
      expect((await boxOf(conversation.locator('xpath=../..'))).width).toBeGreaterThanOrEqual(340);
      // The buttons to attach and send are on the line of the text field, which keeps its width.
      const words = await boxOf(page.locator('form textarea'));
      const frame = await boxOf(page.locator('form .control'));
      expect(frame.width).toBeGreaterThanOrEqual(280);
      for (const name of look.language === 'zh' ? ['添加图片或音频', '发送'] : ['Add pictures or sound', 'Send']) {
        const { y, height } = await boxOf(page.getByRole('button', { name }));
        expect([name, y + height / 2 > words.y && y + height / 2 < words.y + words.height]).toEqual([name, true]);
      }
      await page.locator('form textarea').fill('[[tokens=600]] hello');
      await page.keyboard.press('Enter');
      await page.locator('[data-status="complete"]').last().getByText(/w600/).waitFor();
      const retry = page.getByRole('button', { name: look.language === 'zh' ? '重试' : 'Retry' });
      expect(await isInView(retry, page)).toBe(true);
      expect(await page.getByRole('slider').count()).toBe(0);
      await page.getByRole('button', { name: look.language === 'zh' ? '参数' : 'Parameters' }).click();
      await page.getByRole('slider').waitFor();
    });
  });

  it('shows the whole menu on a phone, with nothing above the first entry', async () => {
    const { page } = await open('/channel', phoneZh);
    await page.getByRole('button', { name: '打开菜单' }).click();
    const menu = page.getByRole('navigation', { name: '主导航' });
    // A trial click presses nothing; it waits until the element would receive the click.
    await menu.getByRole('link', { name: 'Playground' }).click({ trial: true });
  });

  it('causes no error in the console of the browser', () => {
    expect(faults).toEqual([]);
  });
});
