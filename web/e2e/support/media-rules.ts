import type { Page } from 'playwright-core';
import { sidewaysFaults } from './rules.js';

/** What is wrong with the page on paper: things to press, and content that a screen would scroll to. */
export async function brokenPrint(page: Page): Promise<string[]> {
  const rows = await page.locator('[data-row]').count();
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
        ...[...document.querySelectorAll('body > #root header:not(main header), footer, [role="search"] input')]
          .filter(isShown)
          .map((element) => `the frame, on paper: ${name(element)}`),
        ...(isShown(document.querySelector('[data-print-head]') ?? document.head) ? [] : ['says not who printed it']),
      ];
    });
    const shown = await page.locator('[data-row]:visible').count();
    if (shown !== rows) found.push(`${shown} of ${rows} rows on paper`);
    return found.slice(0, 8);
  } finally {
    await page.emulateMedia({ media: null });
  }
}

/** The same window at 200 %: half as wide and high for the page. */
export async function brokenZoom(page: Page): Promise<string[]> {
  const before = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: Math.round(before.width / 2), height: Math.round(before.height / 2) });
  const faults = await sidewaysFaults(page);
  await page.setViewportSize(before);
  return faults.map((fault) => `at 200 %: ${fault}`);
}
