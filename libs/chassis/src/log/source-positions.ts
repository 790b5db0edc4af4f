import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  const lastLine = Math.max(...wanted.map(({ line }) => line));
  let [line, field, value, place] = [1, 0, 0, 1];
  const note = (): void => {
    const [column = 0, source = 0, sourceLine = 0, sourceColumn = 0] = sums;
    for (const [index, at] of wanted.entries())
      if (at.line === line && column < at.column)
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

/**
 * A built file and a position in it, as the frames of a stack name them. The message before the frames may be long and
 * anybody's, so a place is only looked for in lines that are frames, and its length is limited.
 */
const PLACES = /(?<=^ {4}at [^/\n]{0,500})(?:file:\/\/)?\/[^\s()]{1,500}\.js:\d{1,9}:\d{1,9}/gm;
const PARTS = /^(?<file>.+):(?<line>\d+):(?<column>\d+)$/;
const MOST_KNOWN = 2_000;
/** Place in a built file and the place in its source; the same place if there is no map. */
const known = new Map<string, string>();

function readMap(file: string): SourceMapFile | undefined {
  try {
    return JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapFile;
  } catch {
    return undefined;
  }
}

/** Looks the places of one file up in its map, which is read for that and not kept. */
function learn(url: string, places: readonly string[]): void {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  const map = file.includes('/node_modules/') ? undefined : readMap(file);
  const wanted = places.map((place) => {
    const { line, column } = PARTS.exec(place)?.groups ?? {};
    return { line: Number(line), column: Number(column) };
  });
  const found = map ? sourcePositions(map.mappings, wanted) : [];
  for (const [index, place] of places.entries()) {
    const position = found[index];
    const source = position && map?.sources[position.source];
    const isKnown = position !== undefined && source !== undefined;
    known.set(place, isKnown ? `${resolve(dirname(file), source)}:${position.line}:${position.column}` : place);
  }
}

/**
 * A stack with the places in the sources instead of those in the built files. It reads files, so it is for stacks that
 * are being written: Node reads the stack of every error that ends a connection, and an `Error.prepareStackTrace` that
 * did this stopped a relay for up to 120 ms when its first idle connection was closed.
 */
export function inSources(stack: string): string {
  if (known.size > MOST_KNOWN) known.clear();
  const unknown = new Map<string, string[]>();
  for (const [place] of stack.matchAll(PLACES)) {
    if (known.has(place)) continue;
    const file = place.slice(0, place.search(/:\d+:\d+$/));
    unknown.set(file, [...(unknown.get(file) ?? []), place]);
  }
  for (const [file, places] of unknown) learn(file, places);
  return stack.replace(PLACES, (place) => known.get(place) ?? place);
}

function nameSources(error: unknown): void {
  if (!(error instanceof Error) || error.stack === undefined) return;
  error.stack = inSources(error.stack);
}

/**
 * From now on Node names the lines of our sources when it prints an uncaught error. `--enable-source-maps` does the
 * same, but parses the map of every file that is loaded and keeps it.
 */
export function nameSourcesInUncaughtErrors(): void {
  process.off('uncaughtExceptionMonitor', nameSources).on('uncaughtExceptionMonitor', nameSources);
}
