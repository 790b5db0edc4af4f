import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { twoFrames } from './frames.js';
import { tableScroll } from './measures.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  violations: { id: string; impact: string | null; nodes: { target: string[] }[] }[];
}
interface AxeWindow {
  axe: {
    run(context: Document, options: object): Promise<AxeResult>;
    _audit: { rules: { id: string; impact?: string }[] };
  };
}

const GRAVE = ['critical', 'serious'];
const MOST_SHOWN = 3;

/** Critical and serious violations found by axe; `rules`: runs only these. */
export async function axeFaults(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    async ([only, grave]) => {
      const { axe } = window as unknown as AxeWindow;
      // Rules of lower impact are switched off, because their findings would be dropped anyway.
      const slight = axe._audit.rules.filter(({ impact }) => impact !== undefined && !grave.includes(impact));
      const off = Object.fromEntries(slight.map(({ id }) => [id, { enabled: false }]));
      // Controls of at least 24 by 24 pixels: axe disables this rule by default.
      const options = only
        ? { runOnly: { type: 'rule', values: only } }
        : { rules: { ...off, 'target-size': { enabled: true } } };
      return axe.run(document, { resultTypes: ['violations'], ...options });
    },
    [rules, GRAVE] as const,
  );
  return violations
    .filter(({ impact }) => GRAVE.includes(impact ?? ''))
    .map(({ id, nodes }) => {
      const places = nodes.map(({ target }) => target.join(' '));
      return `${id}: ${places.slice(0, MOST_SHOWN).join(' | ')}`;
    });
}

/**
 * Chinese in an English console, names of controls included. Texts of operators and users are exempt, because they are marked as another
 * language.
 */
const hanIn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const han = /[\u3400-\u9fff]/;
    const isForeign = (element: Element | null): boolean =>
      Boolean(element?.closest('[lang^="zh"], [lang=""], script'));
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      if (han.test(text) && !isForeign(node.parentElement)) found.push(text);
    }
    for (const element of document.body.querySelectorAll('[title], [aria-label], [placeholder], [alt]')) {
      for (const name of ['title', 'aria-label', 'placeholder', 'alt']) {
        const text = element.getAttribute(name) ?? '';
        if (han.test(text) && !isForeign(element)) found.push(`${name}="${text}"`);
      }
    }
    return found;
  });

/** How far the page scrolls sideways, in pixels. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

export async function sidewaysFaults(page: Page): Promise<string[]> {
  const pixels = await sidewaysScroll(page);
  return pixels > 0 ? [`scrolls sideways by ${pixels} px`] : [];
}

/** Widths of the desktop layout below the widest; 960 is where it begins. */
const DESK_WIDTHS = [960, 1280];
/** Widths between phone and desktop: lists are cards at first, then tables whose less important columns are in the details of a row. */
export const TABLET_WIDTHS = [640, 768, 840, 900];

interface Windows {
  /** Further, narrower widths that must show everything, too. */
  also?: number[];
  /** Waits until the page has rendered everything for the new width. */
  settle: () => Promise<void>;
  /** Called at every width. */
  each: (width: number) => Promise<void>;
}

/** Pages and tables that narrower windows show only in part. The window gets its size back afterwards. */
export async function narrowDeskFaults(page: Page, { also = [], settle, each }: Windows): Promise<string[]> {
  const size = page.viewportSize();
  const faults: string[] = [];
  for (const width of [...also, ...DESK_WIDTHS]) {
    await page.setViewportSize({ width, height: size?.height ?? 900 });
    await twoFrames(page);
    await settle();
    const found = await sidewaysFaults(page);
    const pixels = await tableScroll(page);
    if (pixels > 0) found.push(`a table scrolls sideways by ${pixels} px`);
    await each(width);
    faults.push(...found.map((fault) => `at ${width} px: ${fault}`));
  }
  if (size) await page.setViewportSize(size);
  return faults;
}

/** Violations of the rules for every page; empty if there are none. */
export const brokenRules = async (page: Page, language: 'zh' | 'en'): Promise<string[]> => [
  ...(await axeFaults(page)),
  ...(await brokenFrame(page, language)),
];

/** The same without axe, which is slow with large pages. */
export async function brokenFrame(page: Page, language: 'zh' | 'en'): Promise<string[]> {
  const faults: string[] = [];
  const headings = await page.locator('h1').count();
  if (headings !== 1) faults.push(`${headings} h1`);
  faults.push(...(await sidewaysFaults(page)));
  if (language === 'en') faults.push(...(await hanIn(page)).map((text) => `Chinese: ${text}`));
  if ((await page.locator('html').getAttribute('lang')) !== (language === 'zh' ? 'zh-CN' : 'en'))
    faults.push('the page says another language');
  return faults;
}

/** Changes the theme as its menu does, which renders nothing again. */
export const paint = (page: Page, mode: 'light' | 'dark'): Promise<void> =>
  page.evaluate((value) => document.documentElement.setAttribute('data-theme', value), mode);
