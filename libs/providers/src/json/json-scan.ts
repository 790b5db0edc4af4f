import type { MemberRules } from './member-rules.js';
import { SeenNames } from './seen-names.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Later code walks the tree recursively, so its depth is bounded before it is built. */
export const MAX_DEPTH = 200;
/** More values than any prompt has, and about as many as can be parsed without blocking other requests for long. */
export const MAX_VALUES = 1_000_000;
/** Control characters, which must be escaped in JSON strings. */
const CONTROL = /[\0-\x1f]/;
const FIRST_PRINTABLE = 0x20;
const HEX_ESCAPE = /^u[0-9a-fA-F]{4}/;
/** Bytes of a string that are decoded at once for a search. */
const CHUNK = 65_536;
/** Up to this distance a byte loop is faster than a native search. */
const NEAR = 128;

/** One member of an object: `start` is at the opening quote of its name, `end` behind its value. */
export interface ScannedMember {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

export interface ScannedObject {
  members: ScannedMember[];
  /** Number of values at all levels: each costs memory when the text is parsed. */
  values: number;
}

/** Two JSON readers may understand this body differently. */
export class AmbiguousMember extends Error {
  constructor(
    /** The decoded name, at most 64 characters. */
    readonly member: string,
    readonly fault: 'repeated' | 'variant',
  ) {
    super(`${fault} member`);
    this.name = 'AmbiguousMember';
  }
}

/**
 * How strictly the member names of an object are checked: not at all, for repetition, or also for variants of names that this gateway
 * reads.
 */
type Care = 'none' | 'repetition' | 'full';

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/**
 * The index behind the closing quote of the string whose opening quote is at `from`. Throws `SyntaxError` for an invalid string;
 * `isChecked` skips that check for a string that was validated before.
 */
export function stringEnd(bytes: Buffer, from: number, isChecked = false): number {
  let at = from + 1;
  let quote = -1;
  for (;;) {
    const near = Math.min(at + NEAR, bytes.length);
    while (at < near) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) return at + 1;
      at += byte > BACKSLASH ? 1 : signLength(bytes, at, byte);
    }
    // Native search skips a long text without escapes, such as an image, much faster.
    if (quote < at) quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) throw new SyntaxError('unterminated string');
    const slash = bytes.subarray(at, quote).indexOf(BACKSLASH);
    const end = slash === -1 ? quote : at + slash;
    if (!isChecked) refuseControls(bytes, at, end);
    if (slash === -1) return quote + 1;
    at = end;
  }
}

/** Length in bytes of the character at `at`, or of the escape sequence that begins there. */
function signLength(bytes: Buffer, at: number, byte: number): number {
  if (byte < FIRST_PRINTABLE) throw new SyntaxError(`control character at ${at}`);
  if (byte !== BACKSLASH) return 1;
  const escape = bytes.toString('latin1', at + 1, at + 6);
  if (HEX_ESCAPE.test(escape)) return 6;
  if (escape !== '' && '"\\/bfnrt'.includes(escape.charAt(0))) return 2;
  throw new SyntaxError(`unknown escape at ${at}`);
}

function refuseControls(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at += CHUNK) {
    if (CONTROL.test(bytes.toString('latin1', at, Math.min(at + CHUNK, end))))
      throw new SyntaxError(`control character behind ${at}`);
  }
}

/** The string with its opening quote at `start`, ending before `end`, with escapes resolved. */
export function decoded(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Tracks the names of one object as far as `Care` requires. */
class Names {
  private readonly seen = new SeenNames();

  constructor(
    private readonly known: ReadonlySet<string>,
    private readonly care: Care,
    private readonly rules: MemberRules,
  ) {}

  add(name: string): void {
    const isFull = this.care === 'full';
    const key = isFull ? this.rules.fold(name) : name;
    if (isFull && this.known.has(key) && !this.rules.isDocumented(name, key))
      throw new AmbiguousMember(name.slice(0, 64), 'variant');
    if (!this.seen.add(key)) throw new AmbiguousMember(name.slice(0, 64), 'repeated');
  }
}

class Scanner {
  private at = 0;
  private values = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly rules: MemberRules,
  ) {}

  document(): ScannedObject {
    this.space();
    if (this.bytes[this.at] !== OPEN_BRACE) throw new SyntaxError('a JSON object is expected');
    const members: ScannedMember[] = [];
    const guarded = new Names(this.rules.guarded, 'full', this.rules);
    this.object(1, (name, member) => {
      // Members that this gateway does not read may be repeated and spelt in any way.
      if (this.rules.guarded.has(this.rules.fold(name))) guarded.add(name);
      members.push(member);
      return this.rules.spoken.has(name) ? 'full' : 'none';
    });
    this.space();
    if (this.at < this.bytes.length) this.unexpected();
    return { members, values: this.values };
  }

  /** `onMember` is called with each name before its value is read, and returns how strictly to check the value. */
  private object(depth: number, onMember: (name: string, member: ScannedMember) => Care, reads = true): void {
    this.list(CLOSE_BRACE, depth, () => {
      const start = this.at;
      if (this.bytes[start] !== QUOTE) this.unexpected();
      this.at = stringEnd(this.bytes, start);
      const name = reads ? decoded(this.bytes, start, this.at) : '';
      this.space();
      if (this.bytes[this.at] !== COLON) this.unexpected();
      this.at += 1;
      this.space();
      const member: ScannedMember = { name, start, valueStart: this.at, end: 0 };
      this.value(depth, onMember(name, member));
      member.end = this.at;
    });
  }

  private nested(depth: number, care: Care): void {
    if (care === 'none') return this.object(depth, () => 'none', false);
    const names = new Names(this.rules.parts, care, this.rules);
    this.object(depth, (name) => {
      names.add(name);
      return this.rules.free.has(name) ? 'repetition' : care;
    });
  }

  /** Calls `item` for each element between the current bracket and `close`. */
  private list(close: number, depth: number, item: () => void): void {
    if (depth > MAX_DEPTH) throw new SyntaxError('JSON is nested too deeply');
    this.at += 1;
    this.space();
    if (this.bytes[this.at] === close) return void (this.at += 1);
    for (;;) {
      item();
      this.space();
      const byte = this.bytes[this.at];
      if (byte !== COMMA && byte !== close) this.unexpected();
      this.at += 1;
      if (byte === close) return;
      this.space();
    }
  }

  private value(depth: number, care: Care): void {
    this.values += 1;
    if (this.values > MAX_VALUES) throw new SyntaxError('JSON has too many values');
    const byte = this.bytes[this.at];
    if (byte === QUOTE) this.at = stringEnd(this.bytes, this.at);
    else if (byte === OPEN_BRACE) this.nested(depth + 1, care);
    else if (byte === OPEN_BRACKET) this.list(CLOSE_BRACKET, depth + 1, () => this.value(depth + 1, care));
    else if (byte === 0x2d || isDigit(byte)) this.number();
    else this.word();
  }

  private word(): void {
    const word = ['true', 'false', 'null'].find(
      (text) => this.bytes.toString('latin1', this.at, this.at + text.length) === text,
    );
    if (word === undefined) this.unexpected();
    else this.at += word.length;
  }

  private number(): void {
    if (this.bytes[this.at] === 0x2d) this.at += 1;
    const zero = this.bytes[this.at] === 0x30;
    const whole = this.digits();
    if (zero && whole > 1) this.unexpected();
    if (this.bytes[this.at] === 0x2e) {
      this.at += 1;
      this.digits();
    }
    if (this.bytes[this.at] !== 0x65 && this.bytes[this.at] !== 0x45) return;
    this.at += 1;
    if (this.bytes[this.at] === 0x2b || this.bytes[this.at] === 0x2d) this.at += 1;
    this.digits();
  }

  private digits(): number {
    const from = this.at;
    while (isDigit(this.bytes[this.at])) this.at += 1;
    if (this.at === from) this.unexpected();
    return this.at - from;
  }

  private space(): void {
    while (isSpace(this.bytes[this.at])) this.at += 1;
  }

  private unexpected(): never {
    if (this.at >= this.bytes.length) throw new SyntaxError('unexpected end of JSON');
    throw new SyntaxError(`unexpected character at ${this.at}`);
  }
}

/**
 * Scans the text of a JSON object once, without building it, and returns the positions of its members. Accepts only what a parser accepts
 * too. Throws `SyntaxError` for anything but one JSON object of at most 200 levels and a million values, and `AmbiguousMember` for a
 * guarded name that is repeated or differs from the known one in case only.
 */
export const scanObject = (bytes: Buffer, rules: MemberRules): ScannedObject => new Scanner(bytes, rules).document();
