import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Look } from './support/desk.js';
import { Desk, nameOf, narrowEn, narrowZh, phoneEn, phoneZh, wideEn, wideZh } from './support/desk.js';
import { untidyParts } from './support/look-rules.js';
import { brokenForced, brokenPrint, brokenZoom, lostOnPaper } from './support/media-rules.js';
import { DataWords, plainWords, speakPseudo } from './support/pseudo.js';
import { TABLET_WIDTHS, axeFaults, brokenFrame, brokenRules, narrowDeskFaults, paint } from './support/rules.js';
import type { Seeded } from './support/seeded.js';
import { startSeeded } from './support/seeded.js';
import type { Tab } from './support/tab.js';
import { cutBadges, unreadableTexts } from './support/text-rules.js';

/** Folder for pictures of every page; without it no pictures are taken. */
const SHOTS = process.env.TOLLGATE_SHOTS;

interface Visit {
  address: string;
  /** Selector of content that is present once the page has loaded. */
  shows?: string;
  /** Selector of a control to press after loading, for views without an address of their own. */
  press?: string;
  /** The page has a table that is also checked at tablet widths, as every list of rows is. */
  fitsTablet?: boolean;
}

const ROWS = '[data-row]';
const FORM = '[role="dialog"] input';
const EMPTY = '[data-state="empty"]';
const PRICES = '#card-ratio';
const open: Visit[] = [
  { address: '/' },
  { address: '/login', shows: 'input' },
  { address: '/register', shows: 'input' },
  { address: '/pricing', shows: 'main td, main li', fitsTablet: true },
  { address: '/udocs/popular-models', shows: 'main h2, main li' },
  { address: '/about' },
  { address: '/chat' },
  { address: '/oauth/github' },
  { address: '/reset', shows: 'input' },
  { address: '/user/reset', shows: 'input' },
  { address: '/nowhere' },
];
const signedIn: Visit[] = [
  { address: '/' },
  { address: '/detail', shows: '.MuiChartsSurface-root' },
  { address: '/token', shows: ROWS },
  { address: '/token/add', shows: FORM },
  { address: '/log', shows: ROWS },
  { address: '/channel', shows: ROWS },
  { address: '/channel?tags=1', shows: ROWS },
  { address: '/channel/add', shows: FORM },
  { address: '/user', shows: ROWS },
  { address: '/user/edit/2', shows: FORM },
  { address: '/approval', shows: EMPTY },
  { address: '/proof', shows: 'main form' },
  { address: '/statement', shows: ROWS },
  { address: '/journal', shows: ROWS },
  { address: '/audit', shows: ROWS },
  { address: '/audit?tab=refused', shows: ROWS },
  { address: '/setting', shows: '[data-option]' },
  {
    address: '/setting?tab=operation',
    press: `${PRICES} [role="tab"]:nth-of-type(2)`,
    shows: `${PRICES} [data-row]`,
    fitsTablet: true,
  },
  { address: '/setting?tab=ratelimit', shows: '[data-option]' },
  { address: '/setting?tab=models', shows: '[data-option]' },
  { address: '/setting?tab=system', shows: '[data-option]' },
  { address: '/setting?tab=other', shows: '[data-option]' },
  { address: '/personal', shows: 'main button' },
  { address: '/playground', shows: 'textarea' },
  { address: '/pricing', shows: 'main td, main li', fitsTablet: true },
  { address: '/redemption', shows: EMPTY },
  { address: '/topup', shows: EMPTY },
  { address: '/midjourney', shows: EMPTY },
  { address: '/task', shows: EMPTY },
  { address: '/invoice', shows: EMPTY },
  { address: '/chat/0', shows: 'main button' },
  { address: '/chat2link', shows: 'main button' },
];
/** Pages that look different to users who are not administrators. */
const ofUsers: Visit[] = [
  { address: '/' },
  { address: '/detail', shows: '[data-figure]' },
  { address: '/token', shows: EMPTY },
  { address: '/log', shows: ROWS },
  { address: '/channel' },
  { address: '/proof', shows: 'main form' },
  { address: '/statement', shows: ROWS },
  { address: '/personal', shows: 'main button' },
  { address: '/topup', shows: EMPTY },
  { address: '/midjourney', shows: EMPTY },
  { address: '/task', shows: EMPTY },
];
/** Pages that people print. */
const printed = ['/statement', '/journal', '/topup', '/log'];
/** Pages checked at the last width of the narrow layout, where they have the least room. */
const narrow = ['/token', '/log', '/channel', '/detail', '/setting', '/pricing'];
/** Pages of each kind for forced colours: figures, lists, forms, sums, conversations. */
const forced = ['/detail', '/log', '/channel', '/setting', '/statement', '/playground'];
const wideXa: Look = { ...wideEn, mode: 'light' };

const names = { visitor: 'of a visitor', root: 'signed in', user: 'of a user' };
type Who = keyof typeof names;
interface Case extends Visit {
  who: Who;
  name: string;
}
const cases = (visits: Visit[], who: Who): Case[] =>
  visits.map((visit) => ({ ...visit, who, name: `${visit.address} ${names[who]}` }));
const all = [...cases(open, 'visitor'), ...cases(signedIn, 'root')];

describe('every page of the console', () => {
  let seeded: Seeded;
  let desk: Desk;
  /** One tab per look and user, so that the browser's cache serves all pages. */
  const tabs = new Map<string, Promise<Tab>>();

  beforeAll(async () => {
    seeded = await startSeeded();
    desk = await Desk.open(seeded.site.url);
  });
  afterAll(async () => {
    await desk?.close();
    await seeded?.close();
  });

  const personOf = (who: Who): Person | undefined =>
    ({ visitor: undefined, root: seeded.site.root, user: seeded.user })[who];
  function tabOf(look: Look, who: Who): Promise<Tab> {
    const key = `${nameOf(look)} ${who}`;
    const tab = tabs.get(key) ?? desk.tabBeside({ look, person: personOf(who), stored: { 'page-size': '20' } });
    tabs.set(key, tab);
    return tab;
  }

  /** `anew`: loads the page; otherwise the tab may come to it from another one, as people do. */
  async function arrive(tab: Tab, { address, press, shows }: Visit, anew = false): Promise<void> {
    await (anew ? tab.visit(address, press ?? shows) : tab.goTo(address, press ?? shows));
    // The page must not have redirected to another one.
    const { pathname } = new URL(address, 'http://console');
    await tab.page.locator(`main[data-path="${pathname}"]`).waitFor();
    if (press) await tab.press(press, shows ?? 'h1');
  }

  async function keep({ page }: Tab, { address, who, press }: Case, look: Look, state = ''): Promise<void> {
    if (!SHOTS) return;
    if (press) await page.locator(press).evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const name = address.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'home';
    const file = [`${who === 'root' ? '' : `${who}-`}${name}`, ...(state ? [state] : []), nameOf(look)].join('.');
    await page.screenshot({ path: path.join(SHOTS, `${file}.png`) });
  }

  /** Faults of the page in this look; `repaint`: also checks the contrast of the other theme. */
  async function look(one: Case, look: Look, repaint = false): Promise<string[]> {
    const tab = await tabOf(look, one.who);
    tab.faults.length = 0;
    await arrive(tab, one, look === wideZh);
    const faults = [...(await brokenRules(tab.page, look.language)), ...(await untidyParts(tab.page))];
    // English texts are longer than Chinese ones.
    if (look === wideEn && one.shows === ROWS) faults.push(...(await cutBadges(tab.page)));
    await keep(tab, one, look);
    if (look === wideEn) {
      const also = one.fitsTablet || one.shows === ROWS ? TABLET_WIDTHS : [];
      const settle = async () => {
        await tab.page
          .locator(one.shows ?? 'h1')
          .first()
          .waitFor();
        await tab.settled();
      };
      const each = (width: number) => keep(tab, one, { ...look, width });
      faults.push(...(await narrowDeskFaults(tab.page, { also, settle, each })));
    }
    if (repaint) {
      const mode = look.mode === 'light' ? 'dark' : 'light';
      await paint(tab.page, mode);
      faults.push(...(await axeFaults(tab.page, ['color-contrast'])).map((fault) => `${mode}: ${fault}`));
      await keep(tab, one, { ...look, mode });
      await paint(tab.page, look.mode);
    }
    // The browser reports each refused call as an error; a callback without its code is meant to be refused.
    const refused = one.address.startsWith('/oauth/') ? /Failed to load resource.* 403/ : undefined;
    const said = tab.faults.filter((fault) => !refused?.test(fault));
    return [...faults, ...said].map((fault) => `${nameOf(look)}: ${fault}`);
  }

  it.each(all)(
    'follows the layout and accessibility rules on a desktop and a phone, in both languages and themes: $name',
    async (one) => {
      // Two tabs in parallel, because the machines that run the checks have two cores.
      const [zh, en] = await Promise.all([look(one, wideZh, true), look(one, wideEn, true)]);
      const [phone, dark] = await Promise.all([look(one, phoneZh), look(one, phoneEn)]);
      expect([...zh, ...en, ...phone, ...dark]).toEqual([]);
    },
  );

  it.each(all.filter(({ address }) => narrow.includes(address)))(
    'follows the rules at the widest narrow layout: $name',
    async (one) => {
      expect(await look(one, narrowEn)).toEqual([]);
    },
  );

  it.each(cases(ofUsers, 'user'))('follows the rules for a user: $name', async (one) => {
    const [desk, phone] = await Promise.all([look(one, wideEn), look(one, phoneZh)]);
    expect([...desk, ...phone]).toEqual([]);
  });

  it.each(all.filter(({ who }) => who === 'root'))('fits the narrow layout in Chinese: $name', async (one) => {
    const tab = await tabOf(narrowZh, one.who);
    await arrive(tab, one);
    await keep(tab, one, narrowZh);
    expect(await brokenFrame(tab.page, 'zh')).toEqual([]);
  });

  /** One tab per kind of visitor in the pseudo-language, which has the longest texts. */
  const longTabs = new Map<Who, Promise<{ tab: Tab; words: DataWords }>>();
  async function openLong(who: Who): Promise<{ tab: Tab; words: DataWords }> {
    const tab = await desk.tab({ look: wideXa, person: personOf(who) });
    await speakPseudo(tab.page);
    return { tab, words: new DataWords(tab.page) };
  }
  function longTab(who: Who): Promise<{ tab: Tab; words: DataWords }> {
    const tab = longTabs.get(who) ?? openLong(who);
    longTabs.set(who, tab);
    return tab;
  }

  it.each(all)('fits longer texts and 200 % zoom, with all texts from the dictionaries: $name', async (one) => {
    const { tab, words } = await longTab(one.who);
    const { page } = tab;
    await arrive(tab, one);
    const plain = await plainWords(page, await words.known());
    await keep(tab, one, wideXa, 'xa');
    expect([...plain, ...(await unreadableTexts(page)), ...(await brokenZoom(page))]).toEqual([]);
  });

  it.each(all.filter(({ address }) => printed.includes(address)))('can be printed: $name', async (one) => {
    const tab = await tabOf(wideEn, one.who);
    await arrive(tab, one);
    expect([...(await brokenPrint(tab.page, one.shows === ROWS)), ...(await lostOnPaper(tab.page))]).toEqual([]);
  });

  it.each(all.filter(({ address }) => forced.includes(address)))('is visible in forced colours: $name', async (one) => {
    const tab = await tabOf(wideZh, one.who);
    await arrive(tab, one);
    expect(await brokenForced(tab.page)).toEqual([]);
  });

  it('is included in these tests', () => {
    const table = readFileSync(path.join(import.meta.dirname, '../src/app/page-list.ts'), 'utf8');
    const routes = [...table.matchAll(/\bpath: '([^']+)'/g)].map(([, route = '']) => route);
    const visited = all.map(({ address }) => address.replace(/\?.*/, ''));
    const isVisited = (route: string): boolean => {
      const base = route.replace(/\/:\w+\??/g, '');
      if (route === '*') return visited.includes('/nowhere');
      return visited.some((address) => address === base || (route.includes(':') && address.startsWith(`${base}/`)));
    };
    expect(routes.length).toBeGreaterThan(20);
    // The lists above must not name a page that does not exist.
    expect([...printed, ...forced, ...narrow].filter((address) => !all.some((one) => one.address === address))).toEqual(
      [],
    );
    // The wizard is unavailable after the set-up; `first-run.e2e.ts` covers it.
    expect(routes.filter((route) => !isVisited(route))).toEqual(['/setup']);
  });
});
