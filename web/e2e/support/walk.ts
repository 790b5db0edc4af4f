import type { Locator, Page } from 'playwright-core';
import type { Keyboard } from './keyboard.js';

const MOST_STOPS = 150;

/** A number that identifies the focused element; `undefined` if the focus is outside the box. */
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

/** A text if the focused element is wholly above the previously focused one, by their current positions. */
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
  /** Number of tab stops outside the box. */
  escaped: number;
  /** Steps upwards, except the one from the last element to the first. */
  back: string[];
}

/** Presses Tab until the focus is back at the first element of an open drawer or dialog. */
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
  // One step upwards is expected, from the last element to the first.
  round.back = steps.slice(1);
  round.stops = seen.size;
  return round;
}
