import type { Locator, Page } from 'playwright-core';

/** Rows of the list that are whole in the window and above its paging line, and where the first one begins. */
export const rowsInView = (page: Page): Promise<{ whole: number; first: number }> =>
  page.evaluate(() => {
    const foot = document.querySelector('[data-fill] nav')?.getBoundingClientRect().top ?? window.innerHeight;
    const boxes = [...document.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect());
    const end = Math.min(foot, window.innerHeight) + 1;
    return { whole: boxes.filter(({ bottom }) => bottom <= end).length, first: boxes[0]?.top ?? Number.NaN };
  });

const HEAD_PX = 40;

/** Heads of columns that stand on two lines or are cut off. */
export const badHeads = (page: Page): Promise<(string | null)[]> =>
  page.evaluate((most) => {
    const heads = [...document.querySelectorAll('thead th')];
    if (heads.length === 0) return ['no heads'];
    return heads
      .filter((head) => head.getBoundingClientRect().height > most || head.scrollWidth > head.clientWidth + 1)
      .map(({ textContent }) => textContent);
  }, HEAD_PX);

/** The height of the highest row; of none at all it is not a number. */
export const highestRow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll('[data-row]')];
    return rows.length === 0 ? Number.NaN : Math.max(...rows.map((row) => row.getBoundingClientRect().height));
  });

/** Texts in the named columns (by their heads) that are on more than one line, cut off, or beyond the right edge of the table. */
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

/** How far a table can be scrolled sideways within its frame: the one that can most. */
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

/** Where it is; what is not drawn at all is an error. */
export async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (!box) throw new Error('not drawn');
  return box;
}

/** Waits, since what was asked for may still be on its way into view. */
export async function isInView(locator: Locator, page: Page): Promise<boolean> {
  await locator.waitFor();
  const { y, height } = await boxOf(locator);
  return y >= 0 && y + height <= (page.viewportSize()?.height ?? 0);
}
