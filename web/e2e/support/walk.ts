import type { Locator, Page } from 'playwright-core';
import type { Keyboard } from './keyboard.js';

const MOST_STOPS = 150;

/** What has the focus: a number that stays the same for the same element; undefined where the focus is outside the box. */
const stopIn = (box: Locator): Promise<number | undefined> =>
  box.evaluate((element) => {
    const stops = ((window as unknown as { stops?: WeakMap<Element, number> }).stops ??= new WeakMap());
    const { activeElement: active } = document;
    if (!active || !element.contains(active)) return undefined;
    const known = stops.get(active) ?? Number(element.getAttribute('data-stops') ?? 0);
    if (!stops.has(active)) element.setAttribute('data-stops', String(known + 1));
    stops.set(active, known);
    return known;
  });

/** Whether what has the focus stands wholly above what had it before; both as they are seen now. */
const stepsBack = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    const memory = window as unknown as { before?: Element };
    const { before } = memory;
    const now = document.activeElement ?? document.body;
    memory.before = now;
    if (!before?.isConnected) return undefined;
    const name = (element: Element): string => element.getAttribute('aria-label') ?? element.outerHTML.slice(0, 90);
    const isAbove = now.getBoundingClientRect().bottom <= before.getBoundingClientRect().top;
    return isAbove ? `${name(before)} → ${name(now)}` : undefined;
  });

export interface Round {
  stops: number;
  /** Stops outside the box. */
  escaped: number;
  /** Steps upwards, but for the one from the end to the beginning. */
  back: string[];
}

/** Tab by tab once around an open box: until the focus is where it began. */
export async function walkAround(keys: Keyboard, page: Page, box: Locator): Promise<Round> {
  const round: Round = { stops: 0, escaped: 0, back: [] };
  const steps: string[] = [];
  const seen = new Set<number>();
  await page.evaluate(() => void ((window as unknown as { before?: Element }).before = undefined));
  let start: number | undefined;
  for (let press = 0; press < MOST_STOPS; press += 1) {
    await keys.press('Tab');
    const stop = await stopIn(box);
    const back = await stepsBack(page);
    if (stop === undefined) round.escaped += 1;
    else if (stop === start) break;
    else {
      start ??= stop;
      seen.add(stop);
      if (back && press > 0) steps.push(back);
    }
  }
  // One step leads from the end to the beginning.
  round.back = steps.slice(1);
  round.stops = seen.size;
  return round;
}
