import type { Locator, Page } from 'playwright-core';

/** Number of rows that are wholly visible above the paging line, and the position of the first row. */
export const rowsInView = (page: Page): Promise<{ whole: number; first: number }> =>
  page.evaluate(() => {
    const foot = document.querySelector('[data-fill] nav')?.getBoundingClientRect().top ?? window.innerHeight;
    const boxes = [...document.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect());
    const end = Math.min(foot, window.innerHeight) + 1;
    return { whole: boxes.filter(({ bottom }) => bottom <= end).length, first: boxes[0]?.top ?? Number.NaN };
  });

const HEAD_PX = 40;

/** Column heads that take two lines or are clipped. */
export const badHeads = (page: Page): Promise<(string | null)[]> =>
  page.evaluate((most) => {
    const heads = [...document.querySelectorAll('thead th')];
    if (heads.length === 0) return ['no heads'];
    return heads
      .filter((head) => head.getBoundingClientRect().height > most || head.scrollWidth > head.clientWidth + 1)
      .map(({ textContent }) => textContent);
  }, HEAD_PX);

/** Height of the highest row in pixels; `NaN` without rows, which fails every comparison. */
export const highestRow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll('[data-row]')];
    return rows.length === 0 ? Number.NaN : Math.max(...rows.map((row) => row.getBoundingClientRect().height));
  });

/** Texts in the named columns (by their heads) that take several lines, are clipped, or extend beyond the right edge of the table. */
export const badCells = (page: Page, heads: string[]): Promise<string[]> =>
  page.evaluate((wanted) => {
    const names = [...document.querySelectorAll('thead th')].map((head) => head.textContent ?? '');
    const edge = document.querySelector('.scroll')?.getBoundingClientRect().right ?? 0;
    const lines = (cell: Element): number => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const middles = [...range.getClientRects()]
        .filter(({ width }) => width > 0)
        .map(({ top, height }) => top + height / 2);
      return Math.round(Math.max(...middles, 0) - Math.min(...middles, Number.MAX_SAFE_INTEGER)) > 10 ? 2 : 1;
    };
    const missing = wanted.filter((name) => !names.includes(name)).map((name) => `no column ${name}`);
    const rows = [...document.querySelectorAll('tbody [data-row]')];
    if (rows.length === 0) return ['no rows'];
    const bad = rows.flatMap((row) =>
      wanted.flatMap((name) => {
        const cell = row.children[names.indexOf(name)];
        if (!cell || cell.textContent === '') return [];
        const isCut = cell.scrollWidth > cell.clientWidth + 1;
        const isOut = cell.getBoundingClientRect().right > edge + 1;
        return lines(cell) > 1 || isCut || isOut ? [`${name}: ${cell.textContent}`] : [];
      }),
    );
    return [...missing, ...bad];
  }, heads);

/** The largest distance in pixels by which a table scrolls sideways within its frame. */
export const tableScroll = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Math.max(0, ...[...document.querySelectorAll('.scroll')].map((frame) => frame.scrollWidth - frame.clientWidth)),
  );

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Bounding box of an element; throws if the element is not rendered. */
export async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (!box) throw new Error('not drawn');
  return box;
}

/** Whether the element is wholly inside the window; waits until it is rendered. */
export async function isInView(locator: Locator, page: Page): Promise<boolean> {
  await locator.waitFor();
  const { y, height } = await boxOf(locator);
  return y >= 0 && y + height <= (page.viewportSize()?.height ?? 0);
}
