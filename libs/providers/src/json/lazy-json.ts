import type { Json, JsonObject } from '../adapter.js';
import type { ScannedMember, ScannedObject } from './json-scan.js';
import { isSpace, stringEnd } from './json-scan.js';

/** Members up to this many bytes are parsed at once. */
const SMALL = 4096;
const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const DATA_HEAD = /^data:[\w.+/;=-]*,/;
const MAX_HEAD = 200;
const BASE64 = /^[A-Za-z0-9+/=_-]*$/;
/** Where dialects put pictures, sound and files. What stands anywhere else is read by the model as it is, whatever it looks like. */
const MEDIA_NAMES = new Set([
  ...['url', 'data', 'file_data', 'b64_json', 'image', 'image_url', 'input_image', 'audio_url', 'video_url', 'video'],
]);
/** What a text that is left out keeps of itself. */
const KEPT = 64;
/** The same of media: enough to see how large an ordinary picture is. */
const KEPT_OF_MEDIA = 1024;
/** Stands before the length of a text that was cut. Nobody else can write it, so nobody can lie about a length. */
const CUT = `\u0000${crypto.randomUUID()}:`;

interface Source {
  bytes: Buffer;
  member: ScannedMember;
  /** Where long texts begin that were examined already, and whether they are media: to examine one again takes as long as the text is. */
  looked: Map<number, boolean>;
}

/** Members of lazy objects that nobody has parsed yet. */
const unparsed = new WeakMap<JsonObject, Map<string, Source>>();

const parse = ({ bytes, member }: Source): Json =>
  JSON.parse(bytes.toString('utf8', member.valueStart, member.end)) as Json;

/**
 * The object whose text was scanned. Large members are parsed when somebody reads them first, and kept; `onParse` gets their size in bytes
 * before, and may throw.
 */
export function lazyObject(bytes: Buffer, { members }: ScannedObject, onParse: (size: number) => void): JsonObject {
  const json: JsonObject = {};
  const waiting = new Map<string, Source>();
  unparsed.set(json, waiting);
  for (const member of members) {
    const source = { bytes, member, looked: new Map<number, boolean>() };
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
 * A member for somebody who reads words only: inlined media are cut to their beginning, and so is long text beyond `maxBytes` in sum;
 * `lengthOf` answers how long they were. Of an object that was parsed whole it is the member itself.
 */
export function wordsOf(json: JsonObject, name: string, maxBytes: number): Json | undefined {
  const source = unparsed.get(json)?.get(name);
  return source ? (JSON.parse(condensed(source, maxBytes).toString('utf8')) as Json) : json[name];
}

/** The length of a text as it was sent: characters, or bytes where `wordsOf` cut it. */
export function lengthOf(text: string): number {
  const cut = text.lastIndexOf(CUT);
  return cut === -1 ? text.length : Number(text.slice(cut + CUT.length));
}

/** What is there of a text, without the mark of a cut. */
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
    pieces.push(bytes.subarray(copied, open), cutText(bytes.subarray(open, at), Math.max(room, KEPT)));
    copied = at;
  }
  pieces.push(bytes.subarray(copied, member.end));
  return Buffer.concat(pieces);
}

/** A text with its quotes. */
interface Span {
  start: number;
  end: number;
}

/** Only names are followed by a colon. */
function isName(bytes: Buffer, end: number): boolean {
  let at = end;
  while (isSpace(bytes[at])) at += 1;
  return bytes[at] === COLON;
}

/** `name`: of the member that the text stands in. */
function isMedia({ bytes, looked }: Source, text: Span, name: Span): boolean {
  if (text.end - text.start <= SMALL) return false;
  const known = looked.get(text.start);
  if (known !== undefined) return known;
  const stated = JSON.parse(bytes.toString('utf8', name.start, name.end)) as string;
  const found = MEDIA_NAMES.has(stated) && isBase64(bytes, text.start, text.end);
  looked.set(text.start, found);
  return found;
}

/** A long run of nothing but base64, with or without the head of a data URI. Text that merely begins like one is text. */
function isBase64(bytes: Buffer, open: number, end: number): boolean {
  const head = DATA_HEAD.exec(bytes.toString('latin1', open + 1, open + 1 + MAX_HEAD))?.[0].length ?? 0;
  for (let at = open + 1 + head; at < end - 1; at += 65_536) {
    if (!BASE64.test(bytes.toString('latin1', at, Math.min(at + 65_536, end - 1)))) return false;
  }
  return true;
}

/** The beginning of a text, quotes included, cut so that no escape is torn, and how long it was. */
function cutText(bytes: Buffer, kept: number): Buffer {
  const head = bytes.toString('latin1', 0, kept).replace(/\\+(?:u[0-9a-fA-F]{0,3})?$/, '');
  return Buffer.from(`${head}${JSON.stringify(CUT).slice(1, -1)}${bytes.length - 2}"`, 'latin1');
}

/** A stand-in for checks of shape only: large members are there and of their kind, without what they hold. */
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
