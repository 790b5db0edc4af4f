import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
import type { Look } from './support/desk.js';
import { Desk, wideEn, wideZh } from './support/desk.js';
import type { Filled } from './support/filled.js';
import { fill } from './support/filled.js';
import { twoFrames } from './support/frames.js';
import { brokenWords } from './support/media-rules.js';
import type { Seeded } from './support/seeded.js';
import { startSeeded } from './support/seeded.js';
import type { Tab } from './support/tab.js';
import { cutBadges } from './support/text-rules.js';

/** From the first width at which lists are tables; columns are added between these widths. */
const WIDTHS = [840, 860, 900, 960, 1024, 1100, 1280, 1366, 1440, 1536, 1920];
const lists = [
  ...['/token', '/channel', '/channel?tags=1', '/user', '/log', '/redemption', '/task', '/midjourney'],
  ...['/topup', '/topup?orders=all', '/audit', '/audit?tab=refused', '/approval', '/invoice', '/journal'],
];
/** The spec's head of this column contains an instruction, which only wide windows have room for. */
const isLongHead = (fault: string): boolean => fault.includes('任务ID（点击查看详情）');

const LOGS = /\/api\/log\/\?/;
/** Lets the listed requests take minutes, as the seeded ones do not. */
async function takeMinutes(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = (await response.json()) as { data: { items: { other: string }[] } };
  const items = body.data.items.map((item) => {
    const other = { ...(JSON.parse(item.other || '{}') as object), frt: 99_900 };
    return { ...item, use_time: 999, is_stream: true, other: JSON.stringify(other) };
  });
  await route.fulfill({ response, json: { ...body, data: { ...body.data, items } } });
}

describe('tables and charts', () => {
  let seeded: Seeded;
  let filled: Filled;
  let desk: Desk;
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

  async function openTab(look: Look): Promise<Tab> {
    const tab = await desk.tab({ look, person: seeded.site.root, stored: { 'page-size': '50' } });
    await tab.page.route(LOGS, takeMinutes);
    return tab;
  }

  function tabOf(look: Look): Promise<Tab> {
    const tab = tabs.get(look) ?? openTab(look);
    tabs.set(look, tab);
    return tab;
  }

  async function faultsOf(address: string, look: Look, shows = '[data-row]'): Promise<string[]> {
    const tab = await tabOf(look);
    const { page } = tab;
    await tab.visit(address, shows);
    const faults: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await twoFrames(page);
      await tab.settled();
      const found = (await cutBadges(page)).filter((fault) => !isLongHead(fault));
      faults.push(...found.map((fault) => `${look.language} at ${width} px: ${fault}`));
    }
    return faults;
  }

  it.each(lists)('show heads, states and amounts whole at every width of a table: %s', async (address) => {
    const found = await Promise.all([wideZh, wideEn].map((look) => faultsOf(address, look)));
    expect(found.flat()).toEqual([]);
  });

  it('show heads and tags of the price list whole at every width of a table', async () => {
    const found = await Promise.all([wideZh, wideEn].map((look) => faultsOf('/pricing', look, 'main tbody th')));
    expect(found.flat()).toEqual([]);
  });

  it('break no head or amount of a printed invoice', async () => {
    const tab = await desk.tab({ look: wideEn, person: seeded.site.root });
    await tab.visit(`/invoice/${filled.invoice}`, 'main table tbody tr');
    expect(await brokenWords(tab.page)).toEqual([]);
    await tab.close();
  });

  it('print the chart of a statement on one sheet', async () => {
    const tab = await desk.tab({ look: wideEn, person: seeded.site.root });
    await tab.visit('/statement', 'main figure');
    await tab.page.emulateMedia({ media: 'print' });
    const figures = tab.page.locator('main section:has(> figure)');
    expect(await figures.evaluateAll((all) => all.map((one) => getComputedStyle(one).breakInside))).toEqual(['avoid']);
    await tab.close();
  });
});
