import type { Locator, Page } from 'playwright-core';
import { twoFrames } from './frames.js';

const MOST_STOPS = 120;

/** A fault if the focus is out of view or has no visible outline on the element or its field's frame. */
const hasRing = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    const element = document.activeElement;
    // After the last tab stop one key moves the focus to the browser itself.
    if (!element || element === document.body) return undefined;
    const thick = (style: CSSStyleDeclaration, part: 'outline' | 'border-top'): boolean =>
      style.getPropertyValue(`${part}-style`) !== 'none' && parseFloat(style.getPropertyValue(`${part}-width`)) >= 2;
    const field = element.closest('.control, .MuiInputBase-root');
    const frame = field?.querySelector('fieldset');
    const label = element.closest('label, .MuiFormControlLabel-root');
    const near = [element, element.parentElement, label, field].filter((part) => part !== null && part !== undefined);
    const isShown =
      near.some((part) => thick(getComputedStyle(part), 'outline')) ||
      (frame !== null && frame !== undefined && thick(getComputedStyle(frame), 'border-top'));
    const { top, bottom, width } = element.getBoundingClientRect();
    const isInView = width > 0 && bottom > 0 && top < window.innerHeight;
    const name = element.outerHTML.slice(0, 160);
    if (!isInView) return `out of view: ${name}`;
    return isShown ? undefined : `no ring: ${name}`;
  });

/**
 * A fault that is still there two frames later: a field that unfolds when it gets the focus scrolls into view in the
 * next frame.
 */
const lastingFault = async (page: Page): Promise<string | undefined> => {
  if (!(await hasRing(page))) return undefined;
  await twoFrames(page);
  return hasRing(page);
};

/** A user without a mouse. Focus that is not visible is recorded as a fault. */
export class Keyboard {
  readonly faults = new Set<string>();

  constructor(private readonly page: Page) {}

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Replaces the content of the focused field. */
  async replace(text: string): Promise<void> {
    await this.press('Control+a');
    await this.type(text);
  }

  /** Presses Tab until the element has the focus. */
  async goTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      if (await this.isAt(target)) return;
      await this.press('Tab');
      const fault = await lastingFault(this.page);
      if (fault) this.faults.add(fault);
    }
    throw new Error(`no way by Tab to ${String(target)}`);
  }

  async enter(target: Locator): Promise<void> {
    await this.goTo(target);
    await this.press('Enter');
  }

  isAt(target: Locator): Promise<boolean> {
    return target.evaluate((element) => element === document.activeElement);
  }

  /** Waits until the element has the focus, without pressing a key. */
  async arrives(target: Locator): Promise<void> {
    await target.and(this.page.locator(':focus')).waitFor();
  }
}
