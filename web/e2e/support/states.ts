import { errorReplySchema } from '@tollgate/contracts/envelope';
import path from 'node:path';
import type { Route } from 'playwright-core';
import type { Look } from './desk.js';
import { nameOf } from './desk.js';
import type { Filling } from './reply-makers.js';
import { makerOf } from './state-replies.js';
import type { Tab } from './tab.js';

/**
 * How the product answers a page: `product` as it is; `empty`, `long` and `many` with other data; `failing` with an error of
 * the server; `offline` not at all; `slow` not before another state has come. Writes and what is not data of a page always reach the product,
 * but in the last three.
 */
export type State = 'product' | Filling | 'failing' | 'offline' | 'slow';

export interface Place {
  address: string;
  /** Pressed on arrival. */
  press?: string;
  /** Calls that are answered in every state. */
  keeps?: RegExp;
}

/** Pictures of pages go there when it is set. */
const SHOTS = process.env.TOLLGATE_SHOTS;
export const FAILED_REQUEST = '0199a9b0-1111-7000-8000-0123456789ab';

const refusal = errorReplySchema.parse({
  success: false,
  message: '错误：服务器内部错误，请联系管理员！',
  code: 'internal',
  kind: 'internal',
});
/** Without them there is no frame that could show a failed page. */
export const isFrame = (url: URL): boolean => /^\/api\/(status|user\/self|live)\/?$/.test(url.pathname);
/** The browser itself complains about every refused or broken call. */
const isExpected = (fault: string): boolean => /Failed to load resource/.test(fault);

const pathOf = (address: string): string => new URL(address, 'http://console').pathname;

/** A tab whose calls for data are answered by the state wanted. */
export class Stage {
  private state: State = 'product';
  private keeps: RegExp | undefined;
  private loaded = false;
  /** Calls that wait for the end of `slow`. */
  private readonly waiting: (() => void)[] = [];

  private constructor(readonly tab: Tab) {}

  static async on(tab: Tab): Promise<Stage> {
    const stage = new Stage(tab);
    await tab.page.route('**/api/**', (route) => stage.answer(route));
    return stage;
  }

  /**
   * Shows a page in a state. Within one state it goes there as a link would; in another one everything is loaded anew, and so
   * is another view of the same page, whose old content would be taken for the new one.
   */
  async show({ address, press, keeps }: Place, state: State, shows = 'h1'): Promise<void> {
    const isView = this.loaded && pathOf(address) === pathOf(this.tab.page.url());
    const same = this.loaded && state === this.state && !isView;
    this.become(state);
    this.keeps = keeps;
    if (state === 'slow') await this.open(address);
    else if (same) await this.go(address, press ?? shows);
    else await this.tab.visit(address, press ?? shows);
    if (press) await this.tab.press(press, shows, state !== 'slow');
    this.loaded = true;
  }

  /** The frame and the heading, however long the rest takes. */
  private async open(address: string): Promise<void> {
    await this.tab.open(address);
    await this.tab.page.locator('h1').first().waitFor();
  }

  /** The next page is loaded anew, wherever the one before it has led. */
  forget(): void {
    this.loaded = false;
  }

  /** From now on; what the page already has stays, and what waits is answered. */
  become(state: State): void {
    this.state = state;
    if (state !== 'slow') for (const go of this.waiting.splice(0)) go();
  }

  /** Faults of the program: what the state itself provokes is none. */
  takeFaults(): string[] {
    const provoked = this.state === 'failing' || this.state === 'offline';
    return this.tab.faults.splice(0).filter((fault) => !provoked || !isExpected(fault));
  }

  /** A picture, if pictures are asked for. */
  async shoot(page: string, look: Look, state: string = this.state): Promise<void> {
    if (!SHOTS) return;
    await this.tab.page.screenshot({ path: path.join(SHOTS, `${page}.${state}.${nameOf(look)}.png`) });
  }

  private async go(address: string, shows: string): Promise<void> {
    const { page } = this.tab;
    await page.evaluate((to) => {
      document.querySelector('h1')?.setAttribute('data-left', '');
      window.history.pushState(null, '', to);
      window.dispatchEvent(new PopStateEvent('popstate'));
    }, address);
    await page.locator('h1:not([data-left])').first().waitFor();
    await page.locator(shows).first().waitFor();
    await this.tab.settled();
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
