import type { Json } from './adapter.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;

/** A member's new value; undefined removes it. */
export type MemberEdits = ReadonlyMap<string, Json | undefined>;

interface Member {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** The index after the closing quote of the string that starts at `from`. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from; ;) {
    const quote = bytes.indexOf(QUOTE, at + 1);
    if (quote === -1) throw new SyntaxError('unterminated string');
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote;
  }
}

const isOpening = (byte: number | undefined): boolean => byte === OPEN_BRACE || byte === OPEN_BRACKET;
const isClosing = (byte: number | undefined): boolean => byte === CLOSE_BRACE || byte === CLOSE_BRACKET;

function scalarEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== COMMA && !isSpace(bytes[at]) && !isClosing(bytes[at])) at += 1;
  return at;
}

/** Brackets inside strings do not count. */
function containerEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new SyntaxError('unterminated value');
}

/** The index after the value that starts at `from`. */
function valueEnd(bytes: Buffer, from: number): number {
  if (bytes[from] === QUOTE) return stringEnd(bytes, from);
  return isOpening(bytes[from]) ? containerEnd(bytes, from) : scalarEnd(bytes, from);
}

function* membersOf(bytes: Buffer): Generator<Member> {
  let at = skipSpace(bytes, 0);
  // A byte order mark may stand before the text.
  if (bytes[at] !== OPEN_BRACE) at = bytes.indexOf(OPEN_BRACE);
  at = skipSpace(bytes, at + 1);
  while (bytes[at] === QUOTE) {
    const start = at;
    const nameEnd = stringEnd(bytes, at);
    const name = JSON.parse(bytes.toString('utf8', start, nameEnd)) as string;
    const valueStart = skipSpace(bytes, bytes.indexOf(COLON, nameEnd) + 1);
    const end = valueEnd(bytes, valueStart);
    yield { name, start, valueStart, end };
    at = skipSpace(bytes, end);
    if (bytes[at] !== COMMA) return;
    at = skipSpace(bytes, at + 1);
  }
}

/**
 * The text of a JSON object with some top-level members replaced, removed or added; every other byte stays as it is, so
 * unknown fields, explicit zeros and number formats survive. Without edits the same buffer comes back. `bytes` must be a
 * valid JSON object.
 */
export function replaceMembers(bytes: Buffer, edits: MemberEdits): Buffer {
  if (edits.size === 0) return bytes;
  const members = [...membersOf(bytes)];
  const pieces: (Buffer | string)[] = ['{'];
  const add = (...member: (Buffer | string)[]): void => {
    if (pieces.length > 1) pieces.push(',');
    pieces.push(...member);
  };
  const written = new Set<string>();
  for (const { name, start, valueStart, end } of members) {
    if (!edits.has(name)) {
      add(bytes.subarray(start, end));
      continue;
    }
    const value = edits.get(name);
    // A repeated name is written once: parsers disagree on which one counts.
    if (value === undefined || written.has(name)) continue;
    written.add(name);
    add(bytes.subarray(start, valueStart), JSON.stringify(value));
  }
  for (const [name, value] of edits) {
    if (value !== undefined && !written.has(name)) add(JSON.stringify(name), ':', JSON.stringify(value));
  }
  pieces.push('}');
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}
