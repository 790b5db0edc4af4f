import type { Page } from 'playwright-core';

/** Waits two frames, because elements that depend on the size of their container are rendered one frame later. */
export const twoFrames = async (page: Page): Promise<void> => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};
