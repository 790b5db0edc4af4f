import type { Page } from 'playwright-core';
import { twoFrames } from './frames.js';
import { axeFaults, sidewaysFaults } from './rules.js';

/** Faults of the page in print: controls, and content that would need scrolling. `listed`: the page must have rows. */
export async function brokenPrint(page: Page, listed: boolean): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  try {
    const found = await page.evaluate(() => {
      const isShown = (element: Element): boolean => element.getClientRects().length > 0;
      const pressed = [...document.querySelectorAll('button, [role="button"], input, select')].filter(
        (element) => isShown(element) && !element.closest('[data-row]'),
      );
      const scrolled = [...document.querySelectorAll('main, main *')].filter((element) => {
        const { overflowY, overflowX } = getComputedStyle(element);
        return (
          [overflowX, overflowY].some((way) => way !== 'visible') && element.scrollHeight > element.clientHeight + 1
        );
      });
      const name = (element: Element): string => element.outerHTML.slice(0, 100);
      return [
        ...pressed.map((element) => `to press, on paper: ${name(element)}`),
        ...scrolled.map((element) => `cut on paper: ${name(element)}`),
        ...[
          ...document.querySelectorAll(
            'body > #root header:not(main header), footer, a[href="#main"], [role="search"] input',
          ),
        ]
          .filter(isShown)
          .map((element) => `the frame, on paper: ${name(element)}`),
        ...(isShown(document.querySelector('[data-print-head]') ?? document.head) ? [] : ['says not who printed it']),
      ];
    });
    // Read at the same moment, because further rows may still be rendered.
    const [shown, rows] = await page.evaluate(() => {
      const drawn = [...document.querySelectorAll('[data-row]')];
      return [drawn.filter((row) => row.getClientRects().length > 0).length, drawn.length];
    });
    if (shown !== rows || (listed && rows === 0)) found.push(`${shown} of ${rows} rows on paper`);
    return found.slice(0, 8);
  } finally {
    await page.emulateMedia({ media: null });
  }
}

/** Width of an A4 sheet between its margins, in pixels. */
const SHEET_PX = 680;

/** Columns that are visible on screen but missing in print, where no row can be opened. */
export async function lostOnPaper(page: Page): Promise<string[]> {
  const heads = (): Promise<string[]> =>
    page
      .locator('main thead th:not(.check, .chevron, .actions)')
      .evaluateAll((all) =>
        all.filter((head) => head.getClientRects().length > 0).map(({ textContent }) => textContent ?? ''),
      );
  const size = page.viewportSize();
  const before = await heads();
  await page.emulateMedia({ media: 'print' });
  try {
    await page.setViewportSize({ width: SHEET_PX, height: size?.height ?? 900 });
    await twoFrames(page);
    const after = await heads();
    return before.filter((head) => !after.includes(head)).map((head) => `no column on paper: ${head}`);
  } finally {
    await page.emulateMedia({ media: null });
    if (size) await page.setViewportSize(size);
  }
}

/** Faults at 200 % zoom, which gives the page half the width and height. */
export async function brokenZoom(page: Page): Promise<string[]> {
  const before = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: Math.round(before.width / 2), height: Math.round(before.height / 2) });
  await twoFrames(page);
  const faults = await sidewaysFaults(page);
  await page.setViewportSize(before);
  return faults.map((fault) => `at 200 %: ${fault}`);
}

/** Marks small elements with text whose background differs from the one behind them. */
const markStandingOut = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const groundOf = (element: Element | null): string => {
      for (let at = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (!/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor;
      }
      return '';
    };
    // The frame stays when the tab goes to another page.
    for (const element of document.querySelectorAll('[data-stands-out]')) element.removeAttribute('data-stands-out');
    for (const element of document.querySelectorAll('body *:not(th, td, tr)')) {
      const { height, width } = element.getBoundingClientRect();
      const isChip = height > 0 && height <= 36 && width < 320 && element.textContent?.trim() !== '';
      if (isChip && groundOf(element) !== groundOf(element.parentElement)) element.setAttribute('data-stands-out', '');
    }
  });

/** Marked elements without a border in forced colours; and pressed or current elements that look like those beside them. */
const findUnseen = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const STATES = ['aria-pressed', 'aria-checked', 'aria-current', 'aria-selected'];
    const name = (element: Element): string => element.outerHTML.replace(/ class="[^"]*"/g, '').slice(0, 120);
    const isFramed = (style: CSSStyleDeclaration): boolean =>
      ['border-top', 'border-bottom', 'border-left', 'outline'].some(
        (line) =>
          style.getPropertyValue(`${line}-style`) !== 'none' && parseFloat(style.getPropertyValue(`${line}-width`)) > 0,
      );
    const stylesOf = (element: Element): CSSStyleDeclaration[] =>
      [undefined, '::before', '::after']
        .map((part) => getComputedStyle(element, part))
        .filter(({ content }, index) => index === 0 || content !== 'none');
    const isLost = (element: Element): boolean =>
      getComputedStyle(element).forcedColorAdjust !== 'none' && !stylesOf(element).some(isFramed);
    /** The look of an element apart from its background. */
    const lookOf = (element: Element): string => {
      const lines = stylesOf(element).map((style) =>
        [style.color, style.fontWeight, style.textDecorationLine, isFramed(style), style.borderTopColor].join(),
      );
      return [...lines, element.querySelectorAll('svg').length].join(';');
    };
    const isAlike = (element: Element): boolean => {
      const state = STATES.find((one) => element.hasAttribute(one)) ?? '';
      const others = [...(element.parentElement?.children ?? [])].filter(
        (one) => one.tagName === element.tagName && one.getAttribute(state) !== element.getAttribute(state),
      );
      return others.some((one) => lookOf(one) === lookOf(element));
    };
    const on = STATES.map((state) => `[${state}="true"], [${state}="page"]`).join(', ');
    const marked = [...document.querySelectorAll('[data-stands-out]')];
    return [
      ...(marked.length === 0 ? ['nothing stands out'] : []),
      ...marked.filter(isLost).map((one) => `frameless: ${name(one)}`),
      ...[...document.querySelectorAll(on)]
        // The line below the selected tab is a separate element.
        .filter((one) => !one.matches('tr, [role="tab"]') && isAlike(one))
        .map((one) => `its state is not seen: ${name(one)}`),
    ];
  });

/**
 * Faults in forced colours: all backgrounds are equal there, so a chip needs a border, and a state shown by its background needs another
 * mark.
 */
export async function brokenForced(page: Page): Promise<string[]> {
  await markStandingOut(page);
  await page.emulateMedia({ forcedColors: 'active' });
  try {
    const found = [...(await findUnseen(page)), ...(await axeFaults(page, ['color-contrast']))];
    return found.slice(0, 8).map((fault) => `in forced colours: ${fault}`);
  } finally {
    await page.emulateMedia({ forcedColors: null });
  }
}

/** Column heads and amounts of a printed table that are broken within a word. */
export async function brokenWords(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: SHEET_PX, height: 900 });
  await twoFrames(page);
  return page.evaluate(() => {
    const range = document.createRange();
    const faults: string[] = [];
    const check = (node: Node): void => {
      for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s-]+/g)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) faults.push(`broken on paper: ${word}`);
      }
    };
    for (const cell of document.querySelectorAll('main table :is(thead th, td:not(.text))')) {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) check(node);
    }
    return faults;
  });
}
