import { readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productFolder } from '../config/version.js';

/** Line and column, both from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Position in a source, which is an index into the sources of the map. */
interface SourcePosition extends Position {
  readonly source: number;
}

interface SourceMapFile {
  sources: string[];
  mappings: string;
}

/** Value of each base64 digit by its character code. */
const DIGITS = new Uint8Array(128);
for (const [value, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  DIGITS[digit.charCodeAt(0)] = value;
const COMMA = 44;
const SEMICOLON = 59;
/** Number of fields of a mapping that names a place in a source. */
const WITH_SOURCE = 4;

/**
 * Reads the mappings of a source map (numbers in base64 of variable length) up to the last wanted line. A table of them
 * would take many times the memory of the text.
 */
export function sourcePositions(mappings: string, wanted: readonly Position[]): (SourcePosition | undefined)[] {
  const found = wanted.map((): SourcePosition | undefined => undefined);
  // Column, source, its line, its column, name: each is relative to the same field of the previous mapping.
  const sums = [0, 0, 0, 0, 0];
  const byLine = Map.groupBy(wanted.keys(), (index) => wanted[index]?.line ?? 0);
  const lastLine = Math.max(...byLine.keys());
  let [line, field, value, place] = [1, 0, 0, 1];
  const note = (): void => {
    const [column = 0, source = 0, sourceLine = 0, sourceColumn = 0] = sums;
    for (const index of byLine.get(line) ?? [])
      if (column < (wanted[index]?.column ?? 0))
        found[index] = { source, line: sourceLine + 1, column: sourceColumn + 1 };
  };
  for (let at = 0; at <= mappings.length && line <= lastLine; at += 1) {
    const code = at < mappings.length ? mappings.charCodeAt(at) : SEMICOLON;
    if (code === COMMA || code === SEMICOLON) {
      if (field >= WITH_SOURCE) note();
      field = 0;
      if (code === COMMA) continue;
      line += 1;
      sums[0] = 0;
      continue;
    }
    const digit = DIGITS[code] ?? 0;
    value += (digit & 31) * place;
    place *= 32;
    if (digit & 32) continue;
    sums[field] = (sums[field] ?? 0) + (value % 2 === 1 ? -1 : 1) * Math.floor(value / 2);
    [field, value, place] = [field + 1, 0, 1];
  }
  return found;
}

/** Lines of one stack that are examined, and characters of one: a message before the frames may be anybody's text. */
const MOST_FRAMES = 100;
const LONGEST_FRAME = 300;
/** A line of a stack up to the built file, and the position in it. */
const FRAME =
  /^(?<head> {4}at (?:.* \(?)?)(?<file>(?:file:\/\/)?\/[^\s()]+\.js):(?<line>\d{1,9}):(?<column>\d{1,9})(?<tail>\)?)$/;
/** Only what we have built has a map, and nothing else is read. */
const BUILT = join(productFolder, 'dist') + sep;
const MOST_KNOWN = 2_000;
/** Place in a built file and the place in its source. */
const known = new Map<string, string>();

interface Frame extends Position {
  /** Place among the lines of the stack. */
  readonly at: number;
  readonly head: string;
  readonly file: string;
  readonly tail: string;
}

/** Empty for an address that names no file. */
function pathOf(place: string): string {
  if (!place.startsWith('file:')) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return '';
  }
}

function frameAt(at: number, text: string): Frame | undefined {
  const { head = '', file: place = '', line, column, tail = '' } = FRAME.exec(text)?.groups ?? {};
  const file = pathOf(place);
  if (!file.startsWith(BUILT) || file.includes('..')) return undefined;
  return { at, head, file, line: Number(line), column: Number(column), tail };
}

/** The frames of a stack that are in built files, the last ones first: lines of a message that resemble frames come before them. */
function framesOf(lines: readonly string[]): Frame[] {
  const frames: Frame[] = [];
  let examined = 0;
  for (let at = lines.length - 1; at >= 0 && examined < MOST_FRAMES; at -= 1) {
    const text = lines[at] ?? '';
    if (!text.startsWith('    at ') || text.length > LONGEST_FRAME) continue;
    examined += 1;
    const frame = frameAt(at, text);
    if (frame) frames.push(frame);
  }
  return frames;
}

function readMap(file: string): SourceMapFile | undefined {
  try {
    return JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapFile;
  } catch {
    return undefined;
  }
}

const placeOf = ({ file, line, column }: Frame): string => `${file}:${line}:${column}`;

/** Looks frames of one file up in its map, which is read for that and not kept. */
function learn(file: string, frames: readonly Frame[]): void {
  const map = readMap(file);
  const found = map ? sourcePositions(map.mappings, frames) : [];
  for (const [index, frame] of frames.entries()) {
    const position = found[index];
    const source = position && map?.sources[position.source];
    if (source) known.set(placeOf(frame), `${resolve(dirname(file), source)}:${position.line}:${position.column}`);
  }
}

function withSources(stack: string): string {
  const lines = stack.split('\n');
  const frames = framesOf(lines);
  if (known.size > MOST_KNOWN) known.clear();
  const unknown = Map.groupBy(
    frames.filter((frame) => !known.has(placeOf(frame))),
    ({ file }) => file,
  );
  for (const [file, its] of unknown) learn(file, its);
  for (const frame of frames) {
    const source = known.get(placeOf(frame));
    if (source !== undefined) lines[frame.at] = `${frame.head}${source}${frame.tail}`;
  }
  return lines.join('\n');
}

/**
 * A stack with the places in the sources instead of those in the built files; as it is if it cannot be read. The first
 * stack from a file reads its map, some 50 ms, so this is for stacks that are being written: Node reads the stack of
 * every error that ends a connection, and an `Error.prepareStackTrace` that did this stopped a relay when its first idle
 * connection was closed.
 */
export function inSources(stack: string): string {
  try {
    return withSources(stack);
  } catch {
    return stack;
  }
}

/** Errors within an error that get the places in the sources when it is printed. */
const MOST_CAUSES = 50;

function nameSources(error: unknown, seen: Set<unknown>): void {
  if (!(error instanceof Error) || seen.has(error) || seen.size >= MOST_CAUSES) return;
  seen.add(error);
  if (typeof error.stack === 'string') error.stack = inSources(error.stack);
  nameSources(error.cause, seen);
  if (error instanceof AggregateError) for (const one of error.errors) nameSources(one, seen);
}

function onUncaught(error: unknown): void {
  try {
    nameSources(error, new Set());
  } catch {
    // An error whose stack cannot be read or changed is printed as it is; throwing here would hide it.
  }
}

/**
 * From now on Node names the lines of our sources when it prints an uncaught error. `--enable-source-maps` does the
 * same, but parses the map of every file that is loaded and keeps it.
 */
export function nameSourcesInUncaughtErrors(): void {
  process.off('uncaughtExceptionMonitor', onUncaught).on('uncaughtExceptionMonitor', onUncaught);
}
