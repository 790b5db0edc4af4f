import { jest } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import { existsSync } from 'node:fs';
import type { Browser, BrowserContext } from 'playwright-core';
import { chromium } from 'playwright-core';
import { Tab } from './tab.js';

/** Chromium without the parts of a desktop program: a quarter less CPU time for these suites. */
const SHELL = '/usr/bin/chromium-headless-shell';
const LAUNCH = {
  executablePath: process.env.CHROMIUM_PATH ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium'),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** Limits on the browser's waits only prevent hanging. They are generous, because the machines that run the checks are small and shared. */
const PATIENCE_MS = 20_000;
jest.setTimeout(process.env.TOLLGATE_E2E === 'cluster' ? 300_000 : 120_000);

const launch = (): Promise<Browser> => chromium.launch(LAUNCH);

const HEIGHT = 900;

/** How a page is displayed. */
export interface Look {
  width: number;
  mode: 'light' | 'dark';
  language: 'zh' | 'en';
  height?: number;
}

export const wideZh: Look = { width: 1440, mode: 'light', language: 'zh' };
export const wideEn: Look = { width: 1440, mode: 'dark', language: 'en' };
export const phoneZh: Look = { width: 390, mode: 'light', language: 'zh' };
export const phoneEn: Look = { width: 390, mode: 'dark', language: 'en' };
/** The last width of the narrow layout, with the height and input of a desktop. */
export const narrowEn: Look = { width: 600, mode: 'light', language: 'en' };
export const narrowZh: Look = { ...narrowEn, language: 'zh' };

export const nameOf = ({ width, mode, language }: Look): string => `${width}.${mode}.${language}`;

interface WindowOptions {
  look?: Look;
  /** `undefined`: a visitor who is not signed in. */
  person?: Person;
  /** Local storage before the first page is loaded. */
  stored?: Record<string, string>;
}

/** A separate browser context, with only the given storage. */
async function openWindow(browser: Browser, url: string, options: WindowOptions): Promise<BrowserContext> {
  const { look = wideZh, person, stored = {} } = options;
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height ?? HEIGHT },
    locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
    timezoneId: 'Asia/Shanghai',
    colorScheme: look.mode,
    reducedMotion: 'reduce',
    // Only a phone has a coarse pointer.
    hasTouch: look.width < 600,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const user = person && (await person.data<object>('GET', '/api/user/self'));
  await context.addInitScript(
    (items) => {
      // Frames of other sites have their own storage or none.
      if (window !== window.top) return;
      for (const [key, value] of Object.entries(items))
        if (localStorage.getItem(key) === null) localStorage.setItem(key, value);
    },
    { 'theme-mode': look.mode, i18nextLng: look.language, ...(user && { user: JSON.stringify(user) }), ...stored },
  );
  if (person) {
    const [name = '', value = ''] = person.cookie.split('=');
    await context.addCookies([{ name, value, url }]);
  }
  return context;
}

/** The browser of a suite, for one product. */
export class Desk {
  private readonly windows = new Map<string, Promise<BrowserContext>>();

  private constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  static async open(url: string): Promise<Desk> {
    return new Desk(await launch(), url);
  }

  /** A tab in a context of its own, which is closed with the tab. */
  async tab(options: WindowOptions = {}): Promise<Tab> {
    const window = await openWindow(this.browser, this.url, options);
    return new Tab(await window.newPage(), this.url, () => window.close());
  }

  /** A tab in the shared context of its user and look, so that all such tabs use one cache. */
  async tabBeside(options: WindowOptions): Promise<Tab> {
    const { look = wideZh, person, stored } = options;
    const key = JSON.stringify([look, person?.id, stored]);
    const window = this.windows.get(key) ?? openWindow(this.browser, this.url, options);
    this.windows.set(key, window);
    const page = await (await window).newPage();
    return new Tab(page, this.url, () => page.close());
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
