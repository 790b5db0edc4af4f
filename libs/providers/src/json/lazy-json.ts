import type { Json, JsonObject } from '../adapter.js';
import { isBase64 } from './base64.js';
import { picturesIn } from './picture-text.js';
import type { ScannedMember, ScannedObject } from './json-scan.js';
import { isSpace, stringEnd } from './json-scan.js';

/** Members up to this many bytes are parsed at once. */
const SMALL = 4096;
const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const DATA_HEAD = /^data:[\w.+/;=-]*,/;
const MAX_HEAD = 200;
/**
 * Members in which dialects transport pictures, audio and files. Strings in other members are prompt text, even if they look like base64.
 */
const MEDIA_NAMES = new Set([
  ...['url', 'data', 'file_data', 'b64_json', 'image', 'image_url', 'input_image', 'audio_url', 'video_url', 'video'],
]);
/** Characters kept of a text that is cut. */
const KEPT = 64;
/** Characters kept of cut media: enough for the dimensions in the header of an ordinary picture. */
const KEPT_OF_MEDIA = 1024;
/** Precedes the original length in a cut text, and what is known of its pictures. It is random per process, so a client cannot forge a length. */
const CUT = `\u0000${crypto.randomUUID()}:`;

interface Source {
  bytes: Buffer;
  member: ScannedMember;
  /** Start positions of long strings already examined, and whether they are media; examining one takes time proportional to its length. */
  looked: Map<number, boolean>;
  /** Start positions of texts already cut, and what pictures are in them. */
  pictures: Map<number, PicturesShown>;
}

/** The pictures that a text shows. */
interface PicturesShown {
  pictures: number;
  /** Characters that these take of the text, not counting escapes. */
  shown: number;
}

/** Members of lazy objects that have not been parsed yet. */
const unparsed = new WeakMap<JsonObject, Map<string, Source>>();

const parse = ({ bytes, member }: Source): Json =>
  JSON.parse(bytes.toString('utf8', member.valueStart, member.end)) as Json;

/**
 * An object built from scanned text. Large members are parsed on first access and cached; `onParse` is called before with their size in
 * bytes and may throw to refuse.
 */
export function lazyObject(bytes: Buffer, { members }: ScannedObject, onParse: (size: number) => void): JsonObject {
  const json: JsonObject = {};
  const waiting = new Map<string, Source>();
  unparsed.set(json, waiting);
  for (const member of members) {
    const source: Source = { bytes, member, looked: new Map(), pictures: new Map() };
    const size = member.end - member.valueStart;
    waiting.delete(member.name);
    if (size <= SMALL) {
      define(json, member.name, { value: parse(source), writable: true });
      continue;
    }
    waiting.set(member.name, source);
    const get = (): Json => {
      onParse(size);
      const value = parse(source);
      waiting.delete(member.name);
      define(json, member.name, { value, writable: true });
      return value;
    };
    define(json, member.name, { get });
  }
  return json;
}

const define = (json: JsonObject, name: string, property: PropertyDescriptor): unknown =>
  Object.defineProperty(json, name, { enumerable: true, configurable: true, ...property });

/**
 * A member for callers that need only its text: inlined media are cut to their beginning, and so are long texts beyond `maxBytes` in total;
 * `lengthOf` returns their original length. If the member was parsed already, it is returned unchanged.
 */
export function wordsOf(json: JsonObject, name: string, maxBytes: number): Json | undefined {
  const source = unparsed.get(json)?.get(name);
  return source ? (JSON.parse(condensed(source, maxBytes).toString('utf8')) as Json) : json[name];
}

/** Original length of a text: in characters, or in bytes if `wordsOf` cut it. */
export function lengthOf(text: string): number {
  return cutFacts(text)?.length ?? text.length;
}

/** The pictures in a text, also in one that `wordsOf` cut. */
export const shownIn = (text: string): PicturesShown => cutFacts(text) ?? shownBy(text);

function shownBy(text: string | Buffer): PicturesShown {
  const places = picturesIn(text);
  return { pictures: places.length, shown: places.reduce((sum, { start, end }) => sum + end - start, 0) };
}

/** What the mark of a text that was cut says of the whole text. */
function cutFacts(text: string): (PicturesShown & { length: number }) | undefined {
  const cut = text.lastIndexOf(CUT);
  if (cut === -1) return undefined;
  const [length = 0, pictures = 0, shown = 0] = text
    .slice(cut + CUT.length)
    .split(':')
    .map(Number);
  return { length, pictures, shown };
}

/** The kept part of a text, without the cut mark. */
export function headOf(text: string): string {
  const cut = text.lastIndexOf(CUT);
  return cut === -1 ? text : text.slice(0, cut);
}

function condensed(source: Source, maxBytes: number): Buffer {
  const { bytes, member } = source;
  const pieces: Buffer[] = [];
  let left = maxBytes;
  let copied = member.valueStart;
  let at = member.valueStart;
  let name: Span = { start: member.start, end: stringEnd(bytes, member.start) };
  while (at < member.end) {
    const open = bytes.indexOf(QUOTE, at);
    if (open === -1 || open >= member.end) break;
    at = stringEnd(bytes, open, true);
    if (isName(bytes, at)) name = { start: open, end: at };
    const room = isMedia(source, { start: open, end: at }, name) ? KEPT_OF_MEDIA : left;
    left -= Math.min(at - open, room);
    if (at - open <= Math.max(room, SMALL)) continue;
    pieces.push(bytes.subarray(copied, open), cutText(source, { start: open, end: at }, Math.max(room, KEPT)));
    copied = at;
  }
  pieces.push(bytes.subarray(copied, member.end));
  return Buffer.concat(pieces);
}

/** Start and end of a string, including its quotes. */
interface Span {
  start: number;
  end: number;
}

/** A string followed by a colon is a member name. */
function isName(bytes: Buffer, end: number): boolean {
  let at = end;
  while (isSpace(bytes[at])) at += 1;
  return bytes[at] === COLON;
}

/** `name` is the name of the member that holds the text. */
function isMedia({ bytes, looked }: Source, text: Span, name: Span): boolean {
  if (text.end - text.start <= SMALL) return false;
  const known = looked.get(text.start);
  if (known !== undefined) return known;
  const stated = JSON.parse(bytes.toString('utf8', name.start, name.end)) as string;
  const found = MEDIA_NAMES.has(stated) && isData(bytes, text.start, text.end);
  looked.set(text.start, found);
  return found;
}

/** Whether the string consists of base64 only, with an optional data URI prefix. */
function isData(bytes: Buffer, open: number, end: number): boolean {
  const head = DATA_HEAD.exec(bytes.toString('latin1', open + 1, open + 1 + MAX_HEAD))?.[0].length ?? 0;
  return isBase64(bytes, open + 1 + head, end - 1);
}

/** The beginning of a string, never cut within an escape, followed by the cut mark and what is known of the string. */
function cutText(source: Source, { start, end }: Span, kept: number): Buffer {
  const head = withoutHalfEscape(source.bytes.toString('latin1', start, Math.min(start + kept, end)));
  const { pictures, shown } = picturesOf(source, { start, end });
  const facts = `${end - start - 2}:${pictures}:${shown}`;
  return Buffer.from(`${head}${JSON.stringify(CUT).slice(1, -1)}${facts}"`, 'latin1');
}

function picturesOf({ bytes, pictures }: Source, { start, end }: Span): PicturesShown {
  let found = pictures.get(start);
  if (found === undefined) pictures.set(start, (found = shownBy(readable(bytes.subarray(start, end)))));
  return found;
}

/** A string, unescaped where characters of a picture may be escaped: PHP writes each slash so. Other escapes are part of no picture. */
const readable = (bytes: Buffer): string | Buffer =>
  bytes.includes('\\/') || bytes.includes('\\u00') ? (JSON.parse(bytes.toString('latin1')) as string) : bytes;

/** Without the escape that the cut went through. Only the end is looked at: a search from the start would be quadratic. */
function withoutHalfEscape(head: string): string {
  const end = head.length - (/u[0-9a-fA-F]{0,3}$/.exec(head.slice(-4))?.[0].length ?? 0);
  let from = end;
  while (head.charAt(from - 1) === '\\') from -= 1;
  // An even number of backslashes are escaped backslashes.
  return (end - from) % 2 === 0 ? head : head.slice(0, end - 1);
}

/** A stand-in for shape checks: large members are replaced by empty values of the same type. */
export function outlineOf(json: JsonObject): JsonObject {
  const waiting = unparsed.get(json);
  if (!waiting || waiting.size === 0) return json;
  const standIn = (source: Source): Json => {
    const first = source.bytes[source.member.valueStart];
    if (first === QUOTE) return 'x';
    return first === OPEN_BRACKET ? [{}] : {};
  };
  return Object.fromEntries(
    Object.keys(json).map((name) => {
      const source = waiting.get(name);
      return [name, source ? standIn(source) : json[name]];
    }),
  );
}
