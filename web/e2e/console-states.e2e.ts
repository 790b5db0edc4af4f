import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Look } from './support/desk.js';
import { phoneZh, wideZh } from './support/desk.js';
import { boxOf } from './support/measures.js';
import type { RunningStand } from './support/product.js';
import { runStand } from './support/product.js';
import { brokenFrame, brokenRules } from './support/rules.js';
import type { State } from './support/states.js';
import { FAILED_REQUEST, Stage } from './support/states.js';
import { countElements, unreadableTexts } from './support/text-rules.js';

interface Shown {
  /** In the names of pictures. */
  page: string;
  address: string;
  /** There once the page has what it was asked for; in `product`, `long` and `many`. */
  rows?: string;
  /** States that the page does not have, or that are looked at elsewhere. */
  never?: State[];
}

const ROWS = '[data-row]';
const pages: Shown[] = [
  { page: 'channel', address: '/channel', rows: ROWS },
  { page: 'channel-tags', address: '/channel?tags=1', rows: ROWS },
  { page: 'log', address: '/log', rows: ROWS },
  { page: 'user', address: '/user', rows: ROWS },
  { page: 'token', address: '/token', rows: ROWS },
  { page: 'drawings', address: '/midjourney', rows: ROWS },
  { page: 'songs', address: '/task', rows: ROWS },
  { page: 'redemption', address: '/redemption', rows: ROWS },
  // Whoever finds nothing there has nothing to do next.
  { page: 'audit', address: '/audit', rows: ROWS, never: ['empty'] },
  { page: 'refused', address: '/audit?tab=refused', rows: ROWS, never: ['empty'] },
  { page: 'pricing', address: '/pricing', rows: 'main td, main li', never: ['empty'] },
  { page: 'detail', address: '/detail', rows: '.MuiChartsSurface-root', never: ['empty'] },
  { page: 'personal', address: '/personal', rows: 'main h2', never: ['empty', 'failing', 'offline', 'many'] },
  { page: 'setting', address: '/setting', rows: '[data-option]', never: ['empty'] },
  { page: 'setting-ratio', address: '/setting?tab=models', rows: '[data-option]', never: ['empty'] },
];
const MOST_ELEMENTS = 5000;
const ALL_ROWS = /共 10,000 条/;

describe('a page', () => {
  let running: RunningStand;
  const stages = new Map<Look, Promise<Stage>>();

  beforeAll(async () => {
    running = await runStand();
  });
  afterAll(() => running?.close());

  /** One tab per look for the whole suite. */
  function stageOf(look: Look): Promise<Stage> {
    const stored = { 'page-size': '100' };
    const { desk, product } = running;
    const stage =
      stages.get(look) ?? desk.tabBeside({ look, person: product.root, stored }).then((tab) => Stage.on(tab));
    stages.set(look, stage);
    return stage;
  }

  /** Every page that has the state, one after the other in one tab; `check` finds more faults than every page may have. */
  async function faultsOf(state: State, look: Look, check: (stage: Stage, one: Shown) => Promise<string[]>) {
    const stage = await stageOf(look);
    const faults: string[] = [];
    for (const one of pages.filter(({ never }) => !never?.includes(state))) {
      const isFilled = state === 'long' || state === 'many';
      const shows = isFilled ? one.rows : state === 'empty' ? '[data-state]' : '[role="alert"]';
      await stage.show(one.address, state, shows);
      // axe takes its time with many rows, and has seen them elsewhere.
      const rules = state === 'many' || look.width < wideZh.width ? brokenFrame : brokenRules;
      const found = [
        ...(await rules(stage.tab.page, look.language)),
        ...(await check(stage, one)),
        ...stage.takeFaults(),
      ];
      await stage.shoot(one.page, look);
      faults.push(...found.map((fault) => `${one.page} at ${look.width}: ${fault}`));
    }
    return faults;
  }

  /** On a desk and on a phone, side by side, as there are two cores. */
  async function everywhere(state: State, check: (stage: Stage, one: Shown) => Promise<string[]>): Promise<string[]> {
    const found = await Promise.all([wideZh, phoneZh].map((look) => faultsOf(state, look, check)));
    return found.flat();
  }

  it('says what belongs there and what to do next while it is empty', async () => {
    const faults = await everywhere('empty', async ({ tab }) => {
      const empty = tab.page.locator('[data-state]').first();
      return (await empty.locator('p').count()) > 0 && (await empty.locator('a, button').count()) > 0
        ? []
        : ['names no next step'];
    });
    expect(faults).toEqual([]);
  });

  it.each(['failing', 'offline'] as const)('says what happened and offers to try again (%s)', async (state) => {
    const faults = await everywhere(state, async ({ tab }) => {
      const alert = tab.page
        .getByRole('alert')
        .filter({ has: tab.button('重试') })
        .first();
      // A toast may be announced before the list has given up.
      const isThere = await alert.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
      if (!isThere) return ['offers no retry'];
      const said = await alert.innerText();
      const wanted = state === 'failing' ? ['服务器内部错误', FAILED_REQUEST] : ['网络'];
      return wanted.filter((part) => !said.includes(part)).map((part) => `does not say ${part}: ${said}`);
    });
    expect(faults).toEqual([]);
  });

  it.each(pages.filter(({ rows }) => rows === ROWS))('keeps what it has when a refresh fails: $page', async (one) => {
    const stage = await stageOf(wideZh);
    const { page } = stage.tab;
    await stage.show(one.address, 'long', ROWS);
    const before = await page.locator(ROWS).allInnerTexts();
    stage.become('failing');
    await stage.tab.button('刷新').click();
    await page.getByRole('alert').filter({ hasText: FAILED_REQUEST }).first().waitFor();
    expect(await page.locator(ROWS).allInnerTexts()).toEqual(before);
    stage.takeFaults();
  });

  it.each([wideZh, phoneZh])('leaves the error of a drawer in view under toasts: $width', async (look) => {
    const stage = await stageOf(look);
    const { page } = stage.tab;
    await stage.show('/channel/edit/1', 'failing', '[role="dialog"] [role="alert"]');
    const toast = page.locator('section[aria-label="通知"] [role="alert"]').first();
    await toast.waitFor();
    const [said, error] = [await boxOf(toast), await boxOf(page.locator('[role="dialog"] [role="alert"]'))];
    const isBeside = said.x + said.width <= error.x || said.y >= error.y + error.height;
    expect(isBeside).toBe(true);
    stage.takeFaults();
  });

  it('lets every long text be read', async () => {
    const faults = await everywhere('long', ({ tab }) => unreadableTexts(tab.page));
    expect(faults).toEqual([]);
  });

  it('stays small however many rows there are', async () => {
    const faults = await everywhere('many', async ({ tab }, one) => {
      const count = await countElements(tab.page);
      const faults = count < MOST_ELEMENTS ? [] : [`${count} elements`];
      if (one.rows === ROWS && (await tab.page.getByText(ALL_ROWS).count()) === 0) faults.push('does not say how many');
      return faults;
    });
    expect(faults).toEqual([]);
  });
});
