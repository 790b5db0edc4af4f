import type { Locator, Page, Request } from 'playwright-core';

/** The event stream of live updates never ends, so nobody waits for it. */
const isStream = (request: Request): boolean =>
  request.resourceType() === 'eventsource' || new URL(request.url()).pathname.startsWith('/api/live');

const CALM = 2;
const PAUSE_MS = 20;
/** A browser with nothing to draw may never tell that it is idle. */
const IDLE_MS = 1000;

/** One tab of a browser. Faults of the program and refused resources are collected while it is open. */
export class Tab {
  readonly faults: string[] = [];
  private readonly running = new Set<Request>();
  private isLive = false;

  constructor(
    readonly page: Page,
    private readonly url: string,
    readonly close: () => Promise<void>,
  ) {
    page.on('pageerror', (error) => this.faults.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!isStream(request)) this.running.add(request);
    });
    page.on('response', (response) => {
      if (isStream(response.request())) this.isLive = response.ok();
    });
    page.on('requestfinished', (request) => this.running.delete(request));
    page.on('requestfailed', (request) => this.running.delete(request));
  }

  /** Opens an address directly; what comes of it is awaited elsewhere. */
  async open(address: string): Promise<void> {
    this.running.clear();
    this.isLive = false;
    await this.page.goto(`${this.url}${address}`);
  }

  /** Opens an address directly, and waits until what it should show is there and nothing moves any more. */
  async visit(address: string, shows = 'h1'): Promise<void> {
    await this.open(address);
    await this.page.locator(shows).first().waitFor();
    await this.settled();
  }

  /** Opens what a page shows only when it is asked, by a selector of what is pressed. */
  async press(selector: string, shows: string, settles = true): Promise<void> {
    await this.page.locator(selector).click();
    await this.page.locator(shows).first().waitFor();
    if (settles) await this.settled();
  }

  /** No call under way, and the browser has nothing left to draw. */
  async settled(): Promise<void> {
    for (let calm = 0; calm < CALM;) {
      await this.page.evaluate(
        (timeout) => new Promise((resolve) => requestIdleCallback(resolve, { timeout })),
        IDLE_MS,
      );
      calm = this.running.size === 0 ? calm + 1 : 0;
      if (calm === 0) await this.page.waitForTimeout(PAUSE_MS);
    }
  }

  /** Waits until the page is told of changes; from then on it does not poll. */
  async untilLive(): Promise<void> {
    while (!this.isLive) await this.page.waitForTimeout(PAUSE_MS);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
  }

  field(label: string | RegExp): Locator {
    return this.page.getByLabel(label, { exact: true });
  }

  /** The row of a table, or the card in its place, that shows the text. */
  row(text: string | RegExp): Locator {
    return this.page.locator('[data-row]').filter({ hasText: text });
  }

  /** Opens the menu behind ⋯ of a row and presses one of its entries. */
  async act(row: Locator, entry: string): Promise<void> {
    await row.locator('[aria-haspopup="menu"]').click();
    await this.page.getByRole('menuitem', { name: entry, exact: true }).click();
  }
}
