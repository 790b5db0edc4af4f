import { errorReplySchema } from '@tollgate/contracts/envelope';
import path from 'node:path';
import type { Route } from 'playwright-core';
import type { Look } from './desk.js';
import { nameOf } from './desk.js';
import type { Filling } from './reply-makers.js';
import { makerOf } from './state-replies.js';
import type { Tab } from './tab.js';

/**
 * How the product replies to the calls of a page: `product` unchanged; `empty`, `long` and `many` with other data; `failing` with a server
 * error; `offline` not at all; `slow` only after another state is set. In `empty`, `long` and `many` only GET calls that have a maker get
 * other data. The last three states affect all calls except those of the frame and of `keeps`.
 */
export type State = 'product' | Filling | 'failing' | 'offline' | 'slow';

export interface Place {
  address: string;
  /** Selector of a control to press after loading. */
  press?: string;
  /** Calls that get a reply in every state. */
  keeps?: RegExp;
}

/** Folder for pictures; without it no pictures are taken. */
const SHOTS = process.env.TOLLGATE_SHOTS;
export const FAILED_REQUEST = '0199a9b0-1111-7000-8000-0123456789ab';

const refusal = errorReplySchema.parse({
  success: false,
  message: '错误：服务器内部错误，请联系管理员！',
  code: 'internal',
  kind: 'internal',
});
/** Calls of the frame, without which no page could show its failure. */
export const isFrame = (url: URL): boolean => /^\/api\/(status|user\/self|live)\/?$/.test(url.pathname);
/** The browser reports every refused or failed call as an error. */
const isExpected = (fault: string): boolean => /Failed to load resource/.test(fault);

/** A tab whose calls for data get the replies of the chosen state. */
export class Stage {
  private state: State = 'product';
  private keeps: RegExp | undefined;
  private loaded = false;
  /** Calls held back until `slow` ends. */
  private readonly waiting: (() => void)[] = [];

  private constructor(readonly tab: Tab) {}

  static async on(tab: Tab): Promise<Stage> {
    const stage = new Stage(tab);
    await tab.page.route('**/api/**', (route) => stage.answer(route));
    return stage;
  }

  /**
   * Shows a page in a state. If the state stays the same, it navigates within the console; for another one it loads everything anew.
   */
  async show({ address, press, keeps }: Place, state: State, shows = 'h1'): Promise<void> {
    const same = this.loaded && state === this.state;
    this.become(state);
    this.keeps = keeps;
    if (state === 'slow') await this.open(address);
    else if (same) await this.tab.goTo(address, press ?? shows);
    else await this.tab.visit(address, press ?? shows);
    if (press) await this.tab.press(press, shows, state !== 'slow');
    this.loaded = true;
  }

  /** Waits for the frame and the heading only, because the rest may take arbitrarily long. */
  private async open(address: string): Promise<void> {
    await this.tab.open(address);
    await this.tab.page.locator('h1').first().waitFor();
  }

  /** Makes the next `show` load the page anew, for the case that a test has navigated. */
  forget(): void {
    this.loaded = false;
  }

  /** Sets the state for future calls, and releases the calls held back. Data that the page already has stays. */
  become(state: State): void {
    this.state = state;
    if (state !== 'slow') for (const go of this.waiting.splice(0)) go();
  }

  /** Errors collected since the last call, without those that the state causes. */
  takeFaults(): string[] {
    const provoked = this.state === 'failing' || this.state === 'offline';
    return this.tab.faults.splice(0).filter((fault) => !provoked || !isExpected(fault));
  }

  /** Takes a picture if `TOLLGATE_SHOTS` is set. */
  async shoot(page: string, look: Look, state: string = this.state): Promise<void> {
    if (!SHOTS) return;
    await this.tab.page.screenshot({ path: path.join(SHOTS, `${page}.${state}.${nameOf(look)}.png`) });
  }

  private async answer(route: Route): Promise<void> {
    const url = new URL(route.request().url());
    const isData = !isFrame(url) && !this.keeps?.test(url.pathname);
    if (this.state === 'slow' && isData) await new Promise<void>((resolve) => this.waiting.push(resolve));
    const { state } = this;
    if (state === 'product' || state === 'slow') return route.continue();
    if (state === 'failing' || state === 'offline') {
      if (!isData) return route.continue();
      if (state === 'offline') return route.abort('connectionrefused');
      return route.fulfill({ status: 500, json: refusal, headers: { 'X-Oneapi-Request-Id': FAILED_REQUEST } });
    }
    return this.fill(route, url, state);
  }

  private async fill(route: Route, url: URL, filling: Filling): Promise<void> {
    const make = route.request().method() === 'GET' ? makerOf(url.pathname) : undefined;
    if (!make) return route.continue();
    const live = async (): Promise<unknown> => (await route.fetch()).json();
    const { body, headers } = await make({ filling, url, live });
    return route.fulfill({ json: body, headers });
  }
}
