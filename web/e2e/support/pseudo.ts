import type { Page, Request } from 'playwright-core';
import { pseudo } from '../../src/app/i18n/pseudo.js';

const DICTIONARY = /\/assets\/en-[\w-]+\.js$/;
const EXPORT = /export\s*{\s*(\w+) as texts\s*};?\s*$/;

/** Replaces the English dictionaries of the built console by `en-XA`, because the built product cannot switch to it. */
export async function speakPseudo(page: Page): Promise<void> {
  await page.route(DICTIONARY, async (route) => {
    const reply = await route.fetch();
    const text = await reply.text();
    if (!EXPORT.test(text)) throw new Error(`no dictionary: ${route.request().url()}`);
    // The headers of the reply are not reused, since length and compression differ.
    const body = text.replace(
      EXPORT,
      (_, name: string) => `const xa=(${pseudo.toString()})(${name});export{xa as texts};`,
    );
    await route.fulfill({ body, contentType: 'text/javascript' });
  });
}

/** Names that are the same in every language. */
const NAMES = ['tollgate', 'utc', 'ctrl', 'temperature', 'maxtokens', 'system', 'root'];
const WORD = /\p{L}{3,}/gu;

/** Collects the words in the data of a page, which are shown untranslated. */
export class DataWords {
  private readonly words = new Set(NAMES);
  private pending: Promise<void>[] = [];

  constructor(page: Page) {
    // Completed requests only: if a page is left, the rest of its replies never arrives.
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/api/')) this.pending.push(this.take(request));
    });
  }

  /** Names, and the words of all replies until now. */
  async known(): Promise<string[]> {
    await Promise.all(this.pending);
    this.pending = [];
    return [...this.words];
  }

  private async take(request: Request): Promise<void> {
    const response = await request.response();
    if (!/json/.test(response?.headers()['content-type'] ?? '')) return;
    // The body is lost if the page was left meanwhile.
    const body: unknown = await response?.json().catch(() => undefined);
    const read = (value: unknown): void => {
      if (typeof value === 'string') for (const [word] of value.matchAll(WORD)) this.words.add(word.toLowerCase());
      else if (value && typeof value === 'object') {
        // Some replies have names of models and groups as keys.
        if (!Array.isArray(value)) read(Object.keys(value).join(' '));
        for (const inner of Object.values(value)) read(inner);
      }
    };
    read(body);
  }
}

const MOST_SHOWN = 8;
/** Texts of operators and users, input, and code. */
const OWN_WORDS =
  '[lang=""], script, style, textarea, input, code, pre, time, [data-code], .MuiAutocomplete-endAdornment';

/** Unaccented words in a console in `en-XA`, which therefore come from no dictionary. */
export async function plainWords(page: Page, data: readonly string[]): Promise<string[]> {
  const texts = await page.evaluate((own) => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement?.closest(own)) found.push(node.textContent ?? '');
    for (const element of document.body.querySelectorAll('[title], [aria-label], [placeholder], [alt]'))
      for (const name of ['title', 'aria-label', 'placeholder', 'alt']) {
        const text = element.getAttribute(name);
        if (text && !element.closest(own)) found.push(text);
      }
    return found;
  }, OWN_WORDS);
  const known = new Set(data);
  // The pseudo-language has accents on all vowels.
  const isPlain = (word: string): boolean =>
    /^[a-z]+$/i.test(word) && /[aeiou]/i.test(word) && !known.has(word.toLowerCase());
  const found = texts.flatMap((text) => {
    const words = [...text.matchAll(WORD)].map(([word]) => word).filter(isPlain);
    return words.length > 0 ? [`not from a dictionary: ${words.join(' ')} (in “${text.slice(0, 80)}”)`] : [];
  });
  return [...new Set(found)].slice(0, MOST_SHOWN);
}
