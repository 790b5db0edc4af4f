import { MAX_DEPTH, MAX_VALUES } from './json-scan.js';
import type { MemberRules } from './member-rules.js';
import { closingQuote } from './modest-json.js';
import { SeenNames } from './seen-names.js';

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Limits of the cache of names, which come from clients. */
const MOST_NAMES = 2000;
const LONGEST_NAME = 64;

/** How strictly the member names of an object are checked; see `scanObject`. `top` is the outermost object. */
type Care = 'none' | 'repetition' | 'full' | 'top';

/** How the rules classify one member name. */
interface NameFacts {
  readonly key: string;
  readonly isGuarded: boolean;
  readonly isSpoken: boolean;
  readonly isFree: boolean;
  /** The name is a variant of one that is read inside guarded members. */
  readonly isVariantPart: boolean;
  /** The name is a variant of a guarded one. */
  readonly isVariantGuarded: boolean;
}

/** Classifies names by the rules and caches the result. */
class NameBook {
  private readonly known = new Map<string, NameFacts>();

  constructor(private readonly rules: MemberRules) {}

  /** `part`: a slice of a body. */
  of(part: string): NameFacts {
    const known = this.known.get(part);
    if (known) return known;
    if (part.length > LONGEST_NAME) return this.classified(part);
    // V8 keeps a slice as a view of the whole body, which must not be kept with the name.
    const name = Buffer.from(part, 'utf16le').toString('utf16le');
    const facts = this.classified(name);
    // Starts anew, since clients could fill it with names that never come again.
    if (this.known.size >= MOST_NAMES) this.known.clear();
    this.known.set(name, facts);
    return facts;
  }

  private classified(name: string): NameFacts {
    const { guarded, spoken, parts, free } = this.rules;
    const key = this.rules.fold(name);
    const isDocumented = this.rules.isDocumented(name, key);
    return {
      key,
      isGuarded: guarded.has(key),
      isSpoken: spoken.has(name),
      isFree: free.has(name),
      isVariantPart: parts.has(key) && !isDocumented,
      isVariantGuarded: guarded.has(key) && !isDocumented,
    };
  }
}

const books = new WeakMap<MemberRules, NameBook>();

function bookOf(rules: MemberRules): NameBook {
  let book = books.get(rules);
  if (!book) books.set(rules, (book = new NameBook(rules)));
  return book;
}

/** Every method returns false as soon as `scanObject` has to decide. */
class QuickScan {
  values = 0;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly book: NameBook,
  ) {}

  document(): boolean {
    this.space();
    return this.text.charCodeAt(this.at) === OPEN_BRACE && this.object(1, 'top');
  }

  private object(depth: number, care: Care): boolean {
    if (depth > MAX_DEPTH) return false;
    const seen = care === 'none' ? undefined : new SeenNames();
    this.at += 1;
    this.space();
    if (this.text.charCodeAt(this.at) === CLOSE_BRACE) return this.passed();
    for (;;) {
      const inner = seen ? this.name(care, seen) : this.skippedName();
      this.space();
      if (inner === undefined || this.text.charCodeAt(this.at) !== COLON) return false;
      this.at += 1;
      this.space();
      if (!this.value(depth, inner)) return false;
      this.space();
      const code = this.text.charCodeAt(this.at);
      if (code === CLOSE_BRACE) return this.passed();
      if (code !== COMMA) return false;
      this.at += 1;
      this.space();
    }
  }

  private array(depth: number, care: Care): boolean {
    if (depth > MAX_DEPTH) return false;
    this.at += 1;
    this.space();
    if (this.text.charCodeAt(this.at) === CLOSE_BRACKET) return this.passed();
    for (;;) {
      if (!this.value(depth, care)) return false;
      this.space();
      const code = this.text.charCodeAt(this.at);
      if (code === CLOSE_BRACKET) return this.passed();
      if (code !== COMMA) return false;
      this.at += 1;
      this.space();
    }
  }

  private value(depth: number, care: Care): boolean {
    this.values += 1;
    if (this.values > MAX_VALUES) return false;
    const code = this.text.charCodeAt(this.at);
    if (code === OPEN_BRACE) return this.object(depth + 1, care);
    if (code === OPEN_BRACKET) return this.array(depth + 1, care);
    if (code === QUOTE) this.at = closingQuote(this.text, this.at) + 1;
    else this.skipWord();
    return true;
  }

  /** Reads a name; returns how strictly its value is checked, `undefined` when the name is a fault or cannot be read here. */
  private name(care: Care, seen: SeenNames): Care | undefined {
    const start = this.at + 1;
    if (this.skippedName() === undefined) return undefined;
    const name = this.text.slice(start, this.at - 1);
    if (name.includes('\\')) return undefined;
    if (care === 'repetition') return seen.add(name) ? 'repetition' : undefined;
    return care === 'top' ? this.guardedName(name, seen) : this.innerName(name, seen);
  }

  private guardedName(name: string, seen: SeenNames): Care | undefined {
    const { key, isGuarded, isSpoken, isVariantGuarded } = this.book.of(name);
    // Members that this gateway does not read may be repeated and spelt in any way.
    if (isVariantGuarded || (isGuarded && !seen.add(key))) return undefined;
    return isSpoken ? 'full' : 'none';
  }

  private innerName(name: string, seen: SeenNames): Care | undefined {
    const { key, isFree, isVariantPart } = this.book.of(name);
    if (isVariantPart || !seen.add(key)) return undefined;
    return isFree ? 'repetition' : 'full';
  }

  private skippedName(): Care | undefined {
    if (this.text.charCodeAt(this.at) !== QUOTE) return undefined;
    this.at = closingQuote(this.text, this.at) + 1;
    return 'none';
  }

  private passed(): true {
    this.at += 1;
    return true;
  }

  /** Skips a number, or `true`, `false` and `null`. */
  private skipWord(): void {
    const { text } = this;
    for (;;) {
      const code = text.charCodeAt(this.at);
      // Written so that the end of the text, whose code is NaN, ends the word too.
      if (!(code > SPACE) || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) return;
      this.at += 1;
    }
  }

  private space(): void {
    while (this.text.charCodeAt(this.at) <= SPACE) this.at += 1;
  }
}

/**
 * The number of values in the text of a JSON object whose member names are beyond doubt: those of `scanObject`, for a text that a JSON
 * parser accepts too. `undefined` where `scanObject` has to decide, because something is wrong or unusual. It takes a third of the time,
 * since it leaves the syntax to the parser.
 */
export function quickValues(text: string, rules: MemberRules): number | undefined {
  const scan = new QuickScan(text, bookOf(rules));
  return scan.document() ? scan.values : undefined;
}
