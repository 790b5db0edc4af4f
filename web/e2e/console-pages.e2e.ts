import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Look } from './support/desk.js';
import { Desk, nameOf, narrowEn, phoneEn, phoneZh, wideEn, wideZh } from './support/desk.js';
import { brokenForced, brokenPrint, brokenZoom } from './support/media-rules.js';
import { DataWords, plainWords, speakPseudo } from './support/pseudo.js';
import { axeFaults, brokenRules, paint } from './support/rules.js';
import type { Seeded } from './support/seeded.js';
import { startSeeded } from './support/seeded.js';
import type { Tab } from './support/tab.js';
import { unreadableTexts } from './support/text-rules.js';

/** Pictures of every page go there when it is set. */
const SHOTS = process.env.TOLLGATE_SHOTS;

interface Visit {
  address: string;
  /** There once the page has what it was asked for. */
  shows?: string;
}

const ROWS = '[data-row]';
const FORM = '[role="dialog"] input';
const open: Visit[] = [
  { address: '/' },
  { address: '/login', shows: 'input' },
  { address: '/register', shows: 'input' },
  { address: '/pricing', shows: 'main td, main li' },
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
  { address: '/approval', shows: 'main' },
  { address: '/proof', shows: 'main form' },
  { address: '/statement', shows: 'main' },
  { address: '/journal', shows: ROWS },
  { address: '/audit', shows: 'main' },
  { address: '/audit?tab=refused', shows: 'main' },
  { address: '/setting', shows: '[data-option]' },
  { address: '/setting?tab=ratelimit', shows: '[data-option]' },
  { address: '/setting?tab=models', shows: '[data-option]' },
  { address: '/setting?tab=system', shows: '[data-option]' },
  { address: '/setting?tab=other', shows: '[data-option]' },
  { address: '/personal', shows: 'main button' },
  { address: '/playground', shows: 'textarea' },
  { address: '/pricing', shows: 'main td, main li' },
  { address: '/redemption', shows: 'main' },
  { address: '/topup', shows: 'main form' },
  { address: '/midjourney' },
  { address: '/task' },
  { address: '/invoice', shows: 'main' },
  { address: '/chat/0', shows: 'main button' },
  { address: '/chat2link', shows: 'main button' },
];
/** What people keep on paper. */
const printed = ['/statement', '/journal', '/topup', '/log'];
/** One of each kind: figures, lists, forms, sums, conversations. */
const forced = ['/detail', '/log', '/channel', '/setting', '/statement', '/playground'];
const wideXa: Look = { ...wideEn, mode: 'light' };

interface Case extends Visit {
  visitor: boolean;
  name: string;
}
const cases = (visits: Visit[], visitor: boolean): Case[] =>
  visits.map((visit) => ({ ...visit, visitor, name: `${visit.address} ${visitor ? 'of a visitor' : 'signed in'}` }));
const all = [...cases(open, true), ...cases(signedIn, false)];

describe('every page of the console', () => {
  let seeded: Seeded;
  let desk: Desk;
  /** One tab per look and person: what the browser has cached once serves all pages. */
  const tabs = new Map<string, Promise<Tab>>();

  beforeAll(async () => {
    seeded = await startSeeded();
    desk = await Desk.open(seeded.stand.url);
  });
  afterAll(async () => {
    await desk?.close();
    await seeded?.close();
  });

  function tabOf(look: Look, visitor: boolean): Promise<Tab> {
    const key = `${nameOf(look)} ${visitor}`;
    const person = visitor ? undefined : seeded.stand.root;
    const tab = tabs.get(key) ?? desk.tabBeside({ look, person, stored: { 'page-size': '20' } });
    tabs.set(key, tab);
    return tab;
  }

  async function keep({ page }: Tab, { address, visitor }: Case, look: Look, state = ''): Promise<void> {
    if (!SHOTS) return;
    const name = address.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'home';
    const file = [`${visitor ? 'visitor-' : ''}${name}`, ...(state ? [state] : []), nameOf(look)].join('.');
    await page.screenshot({ path: path.join(SHOTS, `${file}.png`) });
  }

  /** What is wrong with the page in this look; `repaint`: in the colours of the other theme too. */
  async function look(one: Case, look: Look, repaint = false): Promise<string[]> {
    const tab = await tabOf(look, one.visitor);
    tab.faults.length = 0;
    await tab.visit(one.address, one.shows);
    const faults = await brokenRules(tab.page, look.language);
    await keep(tab, one, look);
    if (repaint) {
      const mode = look.mode === 'light' ? 'dark' : 'light';
      await paint(tab.page, mode);
      faults.push(...(await axeFaults(tab.page, ['color-contrast'])).map((fault) => `${mode}: ${fault}`));
      await keep(tab, one, { ...look, mode });
    }
    // The browser itself complains of a call that is refused, as that of a callback without its code is.
    const refused = one.address.startsWith('/oauth/') ? /Failed to load resource.* 403/ : undefined;
    const said = tab.faults.filter((fault) => !refused?.test(fault));
    return [...faults, ...said].map((fault) => `${nameOf(look)}: ${fault}`);
  }

  it.each(all)('keeps the rules on a desk and on a phone, in both languages and themes: $name', async (one) => {
    // Two tabs side by side, as there are two cores.
    const [zh, en] = await Promise.all([look(one, wideZh, true), look(one, wideEn, true)]);
    const [phone, dark] = await Promise.all([look(one, phoneZh), look(one, phoneEn)]);
    expect([...zh, ...en, ...phone, ...dark]).toEqual([]);
  });

  it.each(all.filter(({ address }) => ['/token', '/log', '/channel', '/detail', '/setting'].includes(address)))(
    'keeps the rules at the last width of the narrow layout: $name',
    async (one) => {
      expect(await look(one, narrowEn)).toEqual([]);
    },
  );

  /** One tab for each kind of visitor, in the longest of languages. */
  const longTabs = new Map<boolean, Promise<{ tab: Tab; words: DataWords }>>();
  async function openLong(visitor: boolean): Promise<{ tab: Tab; words: DataWords }> {
    const tab = await desk.tab({ look: wideXa, person: visitor ? undefined : seeded.stand.root });
    await speakPseudo(tab.page);
    return { tab, words: new DataWords(tab.page) };
  }
  function longTab(visitor: boolean): Promise<{ tab: Tab; words: DataWords }> {
    const tab = longTabs.get(visitor) ?? openLong(visitor);
    longTabs.set(visitor, tab);
    return tab;
  }

  it.each(all)('holds longer words, takes all of them from the dictionaries, and fits at 200 %: $name', async (one) => {
    const { tab, words } = await longTab(one.visitor);
    const { page } = tab;
    await tab.visit(one.address, one.shows);
    const plain = await plainWords(page, await words.known());
    await keep(tab, one, wideXa, 'xa');
    expect([...plain, ...(await unreadableTexts(page)), ...(await brokenZoom(page))]).toEqual([]);
  });

  it.each(all.filter(({ address }) => printed.includes(address)))('can be printed: $name', async (one) => {
    const tab = await tabOf(wideEn, one.visitor);
    await tab.visit(one.address, one.shows);
    expect(await brokenPrint(tab.page)).toEqual([]);
  });

  it.each(all.filter(({ address }) => forced.includes(address)))(
    'stands out in the reader’s own colours: $name',
    async (one) => {
      const tab = await tabOf(wideZh, one.visitor);
      await tab.visit(one.address, one.shows);
      expect(await brokenForced(tab.page)).toEqual([]);
    },
  );

  it('leaves no route out', () => {
    const table = readFileSync(path.join(import.meta.dirname, '../src/app/page-list.ts'), 'utf8');
    const routes = [...table.matchAll(/\bpath: '([^']+)'/g)].map(([, route = '']) => route);
    const visited = all.map(({ address }) => address.replace(/\?.*/, ''));
    const isVisited = (route: string): boolean => {
      const base = route.replace(/\/:\w+\??/g, '');
      if (route === '*') return visited.includes('/nowhere');
      return visited.some((address) => address === base || (route.includes(':') && address.startsWith(`${base}/`)));
    };
    expect(routes.length).toBeGreaterThan(20);
    // The wizard is gone once the product is set up; the first run looks at it.
    expect(routes.filter((route) => !isVisited(route))).toEqual(['/setup']);
  });
});
