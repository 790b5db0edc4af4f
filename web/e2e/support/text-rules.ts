import type { Page } from 'playwright-core';

const MOST_SHOWN = 8;

/** Texts that are clipped without another way to read them, or that overflow their box and cover what is beside it. */
export async function unreadableTexts(page: Page): Promise<string[]> {
  const found = await page.evaluate(() => {
    const NOT_READ = 'script, style, option, textarea, svg, [aria-hidden="true"]';
    const faults = new Set<string>();
    const isHinted = (element: Element): boolean => Boolean(element.closest('[title], [data-hint]'));
    const isHidden = (element: Element, style: CSSStyleDeclaration): boolean => {
      const { width, height } = element.getBoundingClientRect();
      // Texts for screen readers are one pixel large.
      return width <= 1 || height <= 1 || style.visibility === 'hidden' || style.clipPath !== 'none';
    };
    const isScrolled = (style: CSSStyleDeclaration): boolean => /auto|scroll/.test(style.overflowX);
    /** The element that lays out the text. */
    const boxOf = (element: Element): Element => {
      let box = element;
      while (getComputedStyle(box).display === 'inline' && box.parentElement) box = box.parentElement;
      return box;
    };
    const range = document.createRange();
    const rightOf = (node: Node): number => {
      range.selectNodeContents(node);
      return range.getBoundingClientRect().right;
    };
    /** Goes from the text's box outwards; the first element that clips or scrolls decides. */
    const problemOf = (node: Node, box: Element): 'runs out of its box' | 'is cut' | undefined => {
      const right = rightOf(node);
      for (let at: Element | null = box; at && at !== document.body; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (isScrolled(style)) return undefined;
        const fits = right <= at.getBoundingClientRect().right + 1;
        if (style.overflowX !== 'visible') return fits || isHinted(node.parentElement ?? box) ? undefined : 'is cut';
        if (!fits && at === box) return 'runs out of its box';
      }
      return undefined;
    };
    const isLooked = (text: string, parent: Element | null): parent is Element =>
      text !== '' && parent !== null && !parent.closest(NOT_READ);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      const parent = node.parentElement;
      const box = isLooked(text, parent) ? boxOf(parent) : undefined;
      if (!box || isHidden(box, getComputedStyle(box))) continue;
      const problem = problemOf(node, box);
      if (problem) faults.add(`${problem}: ${text.slice(0, 60)}`);
    }
    return [...faults];
  });
  return found.slice(0, MOST_SHOWN);
}

/** Pixels of a clipped text that still say something. */
const LEAST_TEXT = 32;

/** Column heads, states, roles and amounts that are not wholly visible in their cell, and texts of which hardly a letter is visible. */
export const cutBadges = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const isCut = (element: Element): boolean => element.scrollWidth > element.clientWidth;
    const roomOf = (cell: Element): number =>
      cell.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(cell).paddingRight);
    const runsOut = (badge: Element, cell: Element): boolean => badge.getBoundingClientRect().right > roomOf(cell) + 1;
    const isSliver = (part: Element): boolean => {
      const cell = part.closest('td');
      const { left, right, width } = part.getBoundingClientRect();
      const shown = cell ? Math.min(right, roomOf(cell)) - left : width;
      return width > 0 && shown < least && (shown < width - 1 || isCut(part));
    };
    const heads = [...document.querySelectorAll('main thead th')].filter(isCut);
    const amounts = [...document.querySelectorAll('main [data-row] td.right')].filter(isCut);
    const badges = [...document.querySelectorAll('main td [data-badge]')].filter((badge) => {
      const cell = badge.closest('td');
      return isCut(badge) || [...badge.children].some(isCut) || (cell !== null && runsOut(badge, cell));
    });
    const slivers = [...document.querySelectorAll('main [data-row] td :is(a, button)')].filter(isSliver);
    const cut = [...heads, ...amounts, ...badges, ...slivers];
    return [...new Set(cut.map(({ textContent: text }) => `a cell cuts: ${text}`))];
  }, LEAST_TEXT);

export const countElements = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll('*').length);
