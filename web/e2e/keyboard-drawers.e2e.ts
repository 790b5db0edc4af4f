import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { Look } from './support/desk.js';
import { Desk, phoneZh, wideZh } from './support/desk.js';
import type { Filled } from './support/filled.js';
import { fill } from './support/filled.js';
import { Keyboard } from './support/keyboard.js';
import type { Seeded } from './support/seeded.js';
import { startSeeded } from './support/seeded.js';
import type { Tab } from './support/tab.js';
import { walkAround } from './support/walk.js';

interface Box {
  what: string;
  address: string;
  look?: Look;
  /** Selector of content that must be present before a key is pressed. */
  shows?: string;
  opener: (tab: Tab) => Locator;
  /** Entry to choose in the menu that the opener opens. */
  entry?: string;
  /** Accessible name of the drawer or dialog. */
  name: string | RegExp;
  /** Label of the element that has the focus after opening; without it any element inside. */
  first?: string | RegExp;
  /** Label of a field whose text Escape must not discard. */
  typed?: string | RegExp;
  /** Lowest number of tab stops with which everything inside can be reached. */
  least?: number;
}

const ROWS = '[data-row]';
const button = (name: string) => (tab: Tab) => tab.button(name).first();
const inRow = (role: 'link' | 'button', name: string | RegExp) => (tab: Tab) =>
  tab.page.locator(ROWS).first().getByRole(role, { name, exact: true });
const more = (tab: Tab): Locator => tab.page.locator(ROWS).first().locator('[aria-haspopup="menu"]');

/** All drawers, and the dialogs that show a whole row. */
const boxes: Box[] = [
  {
    what: 'a new token',
    address: '/token',
    opener: button('添加令牌'),
    name: '创建新的令牌',
    first: '名称',
    typed: '名称',
    least: 8,
  },
  {
    what: 'a token',
    address: '/token?keyword=limited',
    opener: inRow('link', 'limited'),
    name: /更新令牌信息/,
    typed: '名称',
    least: 8,
  },
  {
    what: 'a new channel',
    address: '/channel',
    opener: button('添加渠道'),
    name: '创建新的渠道',
    first: '名称',
    typed: '名称',
    least: 10,
  },
  {
    what: 'a channel',
    address: '/channel?keyword=switched-off',
    opener: inRow('link', 'switched-off'),
    name: /switched-off/,
    typed: '名称',
    least: 10,
  },
  {
    what: 'the health of a channel',
    address: '/channel',
    opener: more,
    entry: '健康与时间线',
    name: /渠道健康/,
    least: 2,
  },
  {
    what: 'a tag',
    address: '/channel?tags=1',
    opener: inRow('button', '编辑标签'),
    name: '编辑标签',
    typed: /标签/,
    least: 5,
  },
  {
    what: 'a new user',
    address: '/user',
    opener: button('添加用户'),
    name: '添加用户',
    first: /用户名/,
    typed: /用户名/,
    least: 4,
  },
  {
    what: 'a user',
    address: '/user?keyword=bob',
    opener: inRow('link', 'bob'),
    name: /bob/,
    typed: '显示名称',
    least: 8,
  },
  {
    what: 'new codes',
    address: '/redemption',
    opener: button('添加兑换码'),
    name: '创建新的兑换码',
    first: '名称',
    typed: '名称',
    least: 4,
  },
  {
    what: 'a code',
    address: '/redemption',
    opener: inRow('button', '编辑'),
    name: /更新兑换码信息/,
    typed: '名称',
    least: 3,
  },
  { what: 'the person of a request', address: '/log', opener: inRow('button', 'root'), name: /root|用户/, least: 1 },
  {
    what: 'the whole prompt of a drawing',
    address: '/midjourney',
    opener: inRow('button', /a quiet harbour/),
    name: /提示词|Prompt/i,
    least: 1,
  },
  { what: 'the record of a song', address: '/task', opener: inRow('button', /^suno-\d+$/), name: /./, least: 1 },
  { what: 'the palette', address: '/token', opener: (tab) => tab.button(/Ctrl K/), name: /./, least: 1 },
  { what: 'the filters of a phone', address: '/token', look: phoneZh, opener: button('筛选'), name: '筛选', least: 3 },
  {
    what: 'the menu of a phone',
    address: '/token',
    look: phoneZh,
    opener: (tab) => tab.page.locator('header button').first(),
    name: '主导航',
    least: 5,
  },
];

describe('every drawer without a mouse', () => {
  let seeded: Seeded;
  let filled: Filled;
  let desk: Desk;
  let keys: Keyboard;
  const tabs = new Map<Look, Promise<Tab>>();

  beforeAll(async () => {
    seeded = await startSeeded();
    filled = await fill(seeded);
    desk = await Desk.open(seeded.site.url);
  });
  afterAll(async () => {
    await desk?.close();
    await filled?.close();
    await seeded?.close();
  });
  afterEach(() => expect([...keys.faults]).toEqual([]));

  function tabOf(look: Look): Promise<Tab> {
    const tab = tabs.get(look) ?? desk.tab({ look, person: seeded.site.root });
    tabs.set(look, tab);
    return tab;
  }

  async function choose(tab: Tab, entry: string): Promise<void> {
    const item = tab.page.getByRole('menuitem', { name: entry, exact: true });
    await keys.arrives(tab.page.getByRole('menuitem').first());
    for (let step = 0; step < 20 && !(await keys.isAt(item)); step += 1) await keys.press('ArrowDown');
    await keys.press('Enter');
  }

  const hasFocus = (box: Locator): Promise<boolean> =>
    box.evaluate((element) => element.contains(document.activeElement));

  /** Typed text is kept until the user confirms that it may be discarded. */
  async function losesNothing(tab: Tab, box: Locator, field: Locator): Promise<void> {
    await keys.goTo(field);
    await keys.press('End');
    await keys.type('x');
    const typed = await field.inputValue();
    const question = tab.page.getByRole('alertdialog', { name: '放弃修改？' });
    await keys.press('Escape');
    await question.waitFor();
    await keys.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await keys.arrives(field);
    expect(await field.inputValue()).toBe(typed);
    await keys.press('Escape');
    await keys.enter(question.getByRole('button', { name: '放弃修改' }));
    await box.waitFor({ state: 'hidden' });
  }

  it.each(boxes)('takes, keeps and returns the focus: $what', async (one) => {
    const tab = await tabOf(one.look ?? wideZh);
    keys = new Keyboard(tab.page);
    tab.faults.length = 0;
    await tab.visit(one.address, one.shows ?? ROWS);
    const opener = one.opener(tab);
    const box = tab.page.getByRole('dialog', { name: one.name });
    const open = async (): Promise<void> => {
      await keys.enter(opener);
      if (one.entry) await choose(tab, one.entry);
      await box.waitFor();
      await tab.settled();
    };
    await open();
    if (one.first) await keys.arrives(box.getByLabel(one.first, { exact: true }));
    expect(await hasFocus(box)).toBe(true);
    const { stops, escaped, back } = await walkAround(keys, tab.page, box);
    expect({ escaped, back }).toEqual({ escaped: 0, back: [] });
    expect(stops).toBeGreaterThanOrEqual(one.least ?? 1);
    // Nothing was typed, so no question is asked.
    await keys.press('Escape');
    await box.waitFor({ state: 'hidden' });
    await keys.arrives(opener);
    if (one.typed) {
      await open();
      await losesNothing(tab, box, box.getByLabel(one.typed, { exact: true }));
      await keys.arrives(opener);
    }
    expect(tab.faults).toEqual([]);
  });
});
