import type { Json } from '../adapter.js';
import { decoded, isSpace, type ScannedMember, stringEnd } from './json-scan.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;

/** A member's new value; undefined removes it. */
export type MemberEdits = ReadonlyMap<string, Json | undefined>;

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

const isOpening = (byte: number | undefined): boolean => byte === OPEN_BRACE || byte === OPEN_BRACKET;
const isClosing = (byte: number | undefined): boolean => byte === CLOSE_BRACE || byte === CLOSE_BRACKET;

function scalarEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== COMMA && !isSpace(bytes[at]) && !isClosing(bytes[at])) at += 1;
  return at;
}

/** Index behind the container that starts at `from`; brackets inside strings do not count. */
function containerEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at, true) - 1;
    else if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new SyntaxError('unterminated value');
}

/** The index after the value that starts at `from`. */
function valueEnd(bytes: Buffer, from: number): number {
  if (bytes[from] === QUOTE) return stringEnd(bytes, from, true);
  return isOpening(bytes[from]) ? containerEnd(bytes, from) : scalarEnd(bytes, from);
}

function membersOf(bytes: Buffer): ScannedMember[] {
  const members: ScannedMember[] = [];
  // A byte order mark may precede the object.
  let at = skipSpace(bytes, bytes.indexOf(OPEN_BRACE) + 1);
  while (bytes[at] === QUOTE) {
    const start = at;
    const nameEnd = stringEnd(bytes, at, true);
    const valueStart = skipSpace(bytes, bytes.indexOf(COLON, nameEnd) + 1);
    const end = valueEnd(bytes, valueStart);
    members.push({ name: decoded(bytes, start, nameEnd), start, valueStart, end });
    at = skipSpace(bytes, end);
    if (bytes[at] !== COMMA) return members;
    at = skipSpace(bytes, at + 1);
  }
  return members;
}

/** Collects the new text. Adjacent members that stay are copied as one range of the old bytes, including white space between them. */
class Patch {
  private readonly pieces: Buffer[] = [];
  private runStart = -1;
  private runEnd = -1;
  private isEmpty = true;

  constructor(private readonly bytes: Buffer) {}

  keep({ start, end }: ScannedMember): void {
    if (this.runStart === -1) this.begin(start);
    this.runEnd = end;
  }

  replace({ start, valueStart, end }: ScannedMember, value: Json): void {
    if (this.runStart === -1) this.begin(start);
    this.pieces.push(this.bytes.subarray(this.runStart, valueStart), Buffer.from(JSON.stringify(value)));
    this.runStart = end;
    this.runEnd = end;
  }

  /** Ends the range; what comes next is not adjacent to it in the old text. */
  cut(): void {
    if (this.runEnd > this.runStart) this.pieces.push(this.bytes.subarray(this.runStart, this.runEnd));
    this.runStart = -1;
    this.runEnd = -1;
  }

  add(name: string, value: Json): void {
    const comma = this.isEmpty ? '' : ',';
    this.isEmpty = false;
    this.pieces.push(Buffer.from(`${comma}${JSON.stringify(name)}:${JSON.stringify(value)}`));
  }

  result(): Buffer {
    return Buffer.concat([Buffer.from('{'), ...this.pieces, Buffer.from('}')]);
  }

  private begin(start: number): void {
    if (!this.isEmpty) this.pieces.push(Buffer.from(','));
    this.isEmpty = false;
    this.runStart = start;
  }
}

/**
 * The text of a JSON object with some top-level members replaced, removed or added. All other bytes are unchanged, so unknown members,
 * explicit zeros and number formats are preserved. Without edits the same buffer is returned. `bytes` must be a valid JSON object.
 */
export function replaceMembers(bytes: Buffer, edits: MemberEdits): Buffer {
  if (edits.size === 0) return bytes;
  const patch = new Patch(bytes);
  const written = new Set<string>();
  for (const member of membersOf(bytes)) {
    const { name } = member;
    const value = edits.get(name);
    if (!edits.has(name)) patch.keep(member);
    // A repeated name is written once, because parsers disagree on which one counts.
    else if (value === undefined || written.has(name)) patch.cut();
    else {
      patch.replace(member, value);
      written.add(name);
    }
  }
  patch.cut();
  for (const [name, value] of edits) if (value !== undefined && !written.has(name)) patch.add(name, value);
  return patch.result();
}
