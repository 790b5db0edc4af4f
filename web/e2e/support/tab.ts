import type { Locator, Page, Request } from 'playwright-core';

/** The stream of live updates never ends, so the tab does not wait for it. */
const isStream = (request: Request): boolean =>
  request.resourceType() === 'eventsource' || new URL(request.url()).pathname.startsWith('/api/live');

const CALM = 2;
const PAUSE_MS = 20;
/** The browser may never report that it is idle if there is nothing to paint. */
const IDLE_MS = 1000;

/** A browser tab. It collects script errors and failed requests while it is open. */
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
      // The text of a refused call does not name the address that refused it.
      if (message.type() === 'error') this.faults.push(`console: ${message.text()} (${message.location().url})`);
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

  /** Loads an address; the caller waits for its content. */
  async open(address: string): Promise<void> {
    this.running.clear();
    this.isLive = false;
    await this.page.goto(`${this.url}${address}`);
  }

  /** Loads an address and waits until the given content is present and the page is idle. */
  async visit(address: string, shows = 'h1'): Promise<void> {
    await this.open(address);
    await this.page.locator(shows).first().waitFor();
    await this.settled();
  }

  /**
   * Shows an address from within the console, as its links do, which is much quicker than loading it; otherwise like `visit`. A first page,
   * and another view of the present page, whose old content could be mistaken for the new one, are loaded.
   */
  async goTo(address: string, shows = 'h1'): Promise<void> {
    const pageOf = (url: string): string | undefined => new URL(url, this.url).pathname.split('/')[1];
    const isHere = this.page.url().startsWith(this.url);
    if (!isHere || pageOf(this.page.url()) === pageOf(address)) return this.visit(address, shows);
    await this.page.evaluate((to) => {
      document.querySelector('h1')?.setAttribute('data-left', '');
      window.history.pushState(null, '', to);
      window.dispatchEvent(new PopStateEvent('popstate'));
    }, address);
    await this.page.locator('h1:not([data-left])').first().waitFor();
    await this.page.locator(shows).first().waitFor();
    await this.settled();
  }

  /** Presses the element of a selector and waits for the content that this opens. */
  async press(selector: string, shows: string, settles = true): Promise<void> {
    await this.page.locator(selector).click();
    await this.page.locator(shows).first().waitFor();
    if (settles) await this.settled();
  }

  /** Waits until no call is pending and the browser is idle. */
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

  /** Waits until the live stream is connected; from then on the page does not poll. */
  async untilLive(): Promise<void> {
    while (!this.isLive) await this.page.waitForTimeout(PAUSE_MS);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
  }

  field(label: string | RegExp): Locator {
    return this.page.getByLabel(label, { exact: true });
  }

  /** The table row or card that contains the text. */
  row(text: string | RegExp): Locator {
    return this.page.locator('[data-row]').filter({ hasText: text });
  }

  /** Opens the menu behind ⋯ of a row and chooses an entry. */
  async act(row: Locator, entry: string): Promise<void> {
    await row.locator('[aria-haspopup="menu"]').click();
    await this.page.getByRole('menuitem', { name: entry, exact: true }).click();
  }
}
