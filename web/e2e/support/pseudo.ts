import type { Page, Request } from 'playwright-core';
import { pseudo } from '../../src/app/i18n/pseudo.js';

const DICTIONARY = /\/assets\/en-[\w-]+\.js$/;
const EXPORT = /export\s*{\s*(\w+) as texts\s*};?\s*$/;

/** From now on the console's English dictionaries speak `en-XA`: the built product has no switch for it. */
export async function speakPseudo(page: Page): Promise<void> {
  await page.route(DICTIONARY, async (route) => {
    const reply = await route.fetch();
    const text = await reply.text();
    if (!EXPORT.test(text)) throw new Error(`no dictionary: ${route.request().url()}`);
    // Its length and its compression are no longer those of the reply.
    const body = text.replace(
      EXPORT,
      (_, name: string) => `const xa=(${pseudo.toString()})(${name});export{xa as texts};`,
    );
    await route.fulfill({ body, contentType: 'text/javascript' });
  });
}

/** Names that no language has another word for. */
const NAMES = ['tollgate', 'utc', 'ctrl', 'temperature', 'maxtokens', 'system', 'root'];
const WORD = /\p{L}{3,}/gu;

/** Words of the data that a page got: they are drawn as they are. */
export class DataWords {
  private readonly words = new Set(NAMES);
  private pending: Promise<void>[] = [];

  constructor(page: Page) {
    // Only what came whole: the rest of a reply to a page that was left never comes.
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/api/')) this.pending.push(this.take(request));
    });
  }

  /** Words in the names of the product, and everything that came until now. */
  async known(): Promise<string[]> {
    await Promise.all(this.pending);
    this.pending = [];
    return [...this.words];
  }

  private async take(request: Request): Promise<void> {
    const response = await request.response();
    if (!/json/.test(response?.headers()['content-type'] ?? '')) return;
    // A page that was left takes its replies with it.
    const body: unknown = await response?.json().catch(() => undefined);
    const read = (value: unknown): void => {
      if (typeof value === 'string') for (const [word] of value.matchAll(WORD)) this.words.add(word.toLowerCase());
      else if (value && typeof value === 'object') {
        // Names of models and groups are keys of some replies.
        if (!Array.isArray(value)) read(Object.keys(value).join(' '));
        for (const inner of Object.values(value)) read(inner);
      }
    };
    read(body);
  }
}

const MOST_SHOWN = 8;
/** What an operator or a user wrote, what is typed, and code. */
const OWN_WORDS =
  '[lang=""], script, style, textarea, input, code, pre, time, [data-code], .MuiAutocomplete-endAdornment';

/** Plain words in a console that speaks `en-XA`: they came from no dictionary. */
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
  // Every vowel of the pseudo-language has a mark.
  const isPlain = (word: string): boolean =>
    /^[a-z]+$/i.test(word) && /[aeiou]/i.test(word) && !known.has(word.toLowerCase());
  const found = texts.flatMap((text) => {
    const words = [...text.matchAll(WORD)].map(([word]) => word).filter(isPlain);
    return words.length > 0 ? [`not from a dictionary: ${words.join(' ')} (in “${text.slice(0, 80)}”)`] : [];
  });
  return [...new Set(found)].slice(0, MOST_SHOWN);
}
