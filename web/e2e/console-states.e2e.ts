import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pages as routes } from '../src/app/page-list.js';
import type { Look } from './support/desk.js';
import { phoneZh, wideZh } from './support/desk.js';
import { boxOf } from './support/measures.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { brokenFrame, brokenRules } from './support/rules.js';
import type { Shown } from './support/shown-pages.js';
import { pagesOfOneCall, pagesWithoutData, shownPages } from './support/shown-pages.js';
import type { State } from './support/states.js';
import { FAILED_REQUEST, Stage, isFrame } from './support/states.js';
import { countElements, unreadableTexts } from './support/text-rules.js';

const MOST_ELEMENTS = 5000;
const EMPTY = '[data-state="empty"]';
const ALERT = '[role="alert"]';
/** Everything that shows that something is loading. */
const WAITING = '[aria-busy="true"], [role="status"][aria-label="加载中"], [data-waiting]';
/** Indicators of loading appear only after a short delay. */
const PATIENCE_MS = 400;

const inside = ({ id }: Shown, selector: string): string => `main[data-page="${id}"] >> ${selector}`;
const showsOf = (one: Shown, state: State): string =>
  inside(one, { empty: EMPTY, failing: ALERT, offline: ALERT, slow: 'h1' }[state as string] ?? one.rows);
/** Other views of the same page, whose rows must not be visible in this one. */
const others = (one: Shown): Shown[] =>
  shownPages.filter(
    (other) => other !== one && other.id === one.id && other.rows !== one.rows && (!one.press || other.press),
  );

/** Reasons to believe that the page shown is not the intended one. */
async function strangeOf({ tab: { page } }: Stage, one: Shown, hasRows: boolean): Promise<string[]> {
  const faults: string[] = [];
  const { pathname, search } = new URL(page.url());
  if (pathname + search !== one.address) faults.push(`is at ${pathname}${search}`);
  const main = page.locator(`main[data-page="${one.id}"][data-path="${pathname}"]`);
  if ((await main.count()) !== 1) faults.push('is another page');
  const heading = (await page.locator('h1').allInnerTexts()).join();
  if (heading === '' || (one.heading ?? heading) !== heading) faults.push(`is called “${heading}”`);
  if (one.view && (await page.locator(inside(one, one.view)).count()) !== 1) faults.push('is another view');
  if (!hasRows) return faults;
  if ((await page.locator(inside(one, one.rows)).filter({ visible: true }).count()) === 0) faults.push('has no rows');
  for (const other of others(one)) {
    const count = await page.locator(inside(other, other.rows)).filter({ visible: true }).count();
    if (count > 0) faults.push(`shows ${other.page}`);
  }
  return faults;
}

type Check = (stage: Stage, one: Shown) => Promise<string[]>;

describe('a page', () => {
  let running: RunningSite;
  const stages = new Map<Look, Promise<Stage>>();

  beforeAll(async () => {
    running = await runSite();
    // The chat page asks for consent only if the user has a token.
    await running.product.token(running.product.root);
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

  /** Faults of a page in a state and a look; `check` adds the checks of the test. */
  async function faultsAt(state: State, one: Shown, look: Look, check: Check): Promise<string[]> {
    const stage = await stageOf(look);
    const { page } = stage.tab;
    stage.takeFaults();
    try {
      await stage.show(one, state, showsOf(one, state));
    } catch (error) {
      stage.forget();
      await stage.shoot(one.page, look);
      return [`never came: ${String(error)} at ${page.url()}`];
    }
    if (state === 'slow') await page.waitForTimeout(PATIENCE_MS);
    // axe is slow with many rows, and checks them in the other states.
    const rules = state === 'many' || look.width < wideZh.width ? brokenFrame : brokenRules;
    const strange = await strangeOf(stage, one, state === 'long' || state === 'many');
    const found = [...strange, ...(await rules(page, look.language))];
    await stage.shoot(one.page, look);
    return [...found, ...(await check(stage, one)), ...stage.takeFaults()];
  }

  /**
   * Runs for every page that has the state, on a desktop and on a phone in parallel, because the machines that run the checks have two
   * cores.
   */
  const itEach = (state: State, behaviour: string, check: Check): void =>
    it.each(shownPages.filter(({ never }) => !never?.includes(state)))(`${behaviour}: $page`, async (one) => {
      const found = await Promise.all([wideZh, phoneZh].map((look) => faultsAt(state, one, look, check)));
      expect({ desk: found[0], phone: found[1] }).toEqual({ desk: [], phone: [] });
    });

  it('is included in the tests of states', async () => {
    const looked = [...shownPages.map(({ id }) => id), ...Object.keys(pagesWithoutData), ...pagesOfOneCall];
    const known = routes.map(({ id }) => id);
    expect(known.length).toBeGreaterThan(20);
    expect(known.filter((id) => !looked.includes(id))).toEqual([]);
    expect(looked.filter((id) => !known.includes(id))).toEqual([]);
    const places = shownPages.map(({ address, press = '' }) => `${address} ${press}`);
    expect(new Set(places).size).toBe(places.length);
  });

  it.each(Object.entries(pagesWithoutData))('needs no data that could fail to load: %s', async (id, address) => {
    const tab = await running.desk.tab();
    const { page } = tab;
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname.startsWith('/api/') && !isFrame(url)) asked.push(url.pathname);
    });
    await page.goto(`${running.product.url}${address}`);
    await page.locator(`main[data-page="${id}"] h1`).waitFor();
    await page.waitForLoadState('networkidle');
    expect(asked).toEqual([]);
    await tab.close();
  });

  itEach('empty', 'says what belongs there and what to do next while it is empty', async ({ tab }, one) => {
    const found: string[] = [];
    for (const empty of await tab.page.locator(inside(one, EMPTY)).all()) {
      const texts = await empty.locator('p').count();
      const ways = await empty.locator('a, button').count();
      if (texts < 2 && ways === 0) found.push('says no more than that nothing is there');
      if (!one.idle && ways === 0) found.push('names no next step');
    }
    return found;
  });

  itEach('slow', 'says that it waits for late answers, and shows them when they come', async (stage, one) => {
    const { page } = stage.tab;
    const found: string[] = [];
    const count = (selector: string): Promise<number> =>
      page.locator(inside(one, selector)).filter({ visible: true }).count();
    if ((await count(WAITING)) === 0) found.push('does not say that it waits');
    if ((await count(`[data-state], ${ALERT}`)) > 0) found.push('says how it ended before it did');
    stage.become('long');
    await page.locator(inside(one, one.rows)).first().waitFor();
    await stage.tab.settled();
    return found;
  });

  describe.each(['failing', 'offline'] as const)('with replies that are %s', (state) => {
    itEach(state, 'says what happened and offers to try again', async ({ tab }, one) => {
      const alert = tab.page
        .locator(inside(one, ALERT))
        .filter({ has: tab.button('重试') })
        .first();
      // A toast may show the error before the list stops retrying.
      const isThere = await alert.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
      if (!isThere) return ['offers no retry'];
      const said = await alert.innerText();
      const wanted = state === 'failing' ? ['服务器内部错误', FAILED_REQUEST] : ['网络'];
      return wanted.filter((part) => !said.includes(part)).map((part) => `does not say ${part}: ${said}`);
    });
  });

  it.each(shownPages.filter(({ list, still }) => list && !still))(
    'keeps its data when a refresh fails: $page',
    async (one) => {
      const stage = await stageOf(wideZh);
      const { page } = stage.tab;
      const rows = page.locator(inside(one, one.rows));
      await stage.show(one, 'long', inside(one, one.rows));
      expect(await strangeOf(stage, one, true)).toEqual([]);
      const before = await rows.allInnerTexts();
      stage.become('failing');
      await stage.tab.button('刷新').click();
      await page.getByRole('alert').filter({ hasText: FAILED_REQUEST }).first().waitFor();
      expect(await rows.allInnerTexts()).toEqual(before);
      stage.takeFaults();
    },
  );

  it.each([wideZh, phoneZh])('keeps the error of a drawer visible below toasts: $width', async (look) => {
    const stage = await stageOf(look);
    const { page } = stage.tab;
    await stage.show({ address: '/channel/edit/1' }, 'failing', '[role="dialog"] [role="alert"]');
    const toast = page.locator('section[aria-label="通知"] [role="alert"]').first();
    await toast.waitFor();
    const [said, error] = [await boxOf(toast), await boxOf(page.locator('[role="dialog"] [role="alert"]'))];
    const isBeside = said.x + said.width <= error.x || said.y >= error.y + error.height;
    expect(isBeside).toBe(true);
    stage.takeFaults();
  });

  itEach('long', 'lets every long text be read', ({ tab }) => unreadableTexts(tab.page));

  itEach('many', 'stays small however many rows there are', async ({ tab }, one) => {
    const count = await countElements(tab.page);
    const faults = count < MOST_ELEMENTS ? [] : [`${count} elements`];
    if (one.total && (await tab.page.locator(inside(one, `text=共 ${one.total} 条`)).count()) === 0)
      faults.push('does not say how many');
    return faults;
  });
});
