import { AppError } from '@tollgate/chassis';

const MAX_CELLS = 200;
const MAX_CELL = 10_000;

/** A row of a file, and the line that it begins on. */
export interface CsvRow {
  line: number;
  cells: string[];
}

export const unreadable = (line: number): AppError =>
  new AppError('invalid', 'invoice-unreadable', `发票文件第 ${line} 行无法读取`, { params: { line } });

const PLAIN = /[^",\r\n]*/y;
const END = /,|\r\n|\n|\r|$/y;

interface Cell {
  value: string;
  /** What ends it: a comma, a line break, or nothing at the end of the text. */
  end: string;
  /** Characters, with its end. */
  length: number;
  lines: number;
}

const endOf = (text: string, pattern: RegExp, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** Behind the quote that closes the one at `at`; undefined where none does within the length of a cell. */
function behindQuotes(text: string, at: number): number | undefined {
  let next = at + 1;
  while (next - at <= MAX_CELL) {
    const quote = text.indexOf('"', next);
    if (quote === -1) return undefined;
    if (text[quote + 1] !== '"') return quote + 1;
    next = quote + 2;
  }
  return undefined;
}

/** Undefined where something stands behind a closing quote, where a quote never closes, for what is too long, and for what no text has. */
function cellAt(text: string, at: number): Cell | undefined {
  const isQuoted = text[at] === '"';
  const behind = isQuoted ? behindQuotes(text, at) : endOf(text, PLAIN, at);
  if (behind === undefined || behind - at > MAX_CELL) return undefined;
  const next = endOf(text, END, behind);
  if (next === undefined) return undefined;
  const value = isQuoted ? text.slice(at + 1, behind - 1).replaceAll('""', '"') : text.slice(at, behind);
  if (value.includes('\0')) return undefined;
  return {
    value,
    end: text.slice(behind, next),
    length: next - at,
    lines: text.slice(at, next).split('\n').length - 1,
  };
}

/** Rows of comma-separated values (RFC 4180), one at a time; a blank line is a row of one cell. Throws `invoice-unreadable` with the line. */
export function* csvRows(text: string): Generator<CsvRow> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  while (at < text.length) {
    const cell = cellAt(text, at);
    if (!cell || row.cells.length >= MAX_CELLS) throw unreadable(row.line);
    row.cells.push(cell.value);
    at += cell.length;
    line += cell.lines;
    if (cell.end === ',') {
      if (at < text.length) continue;
      row.cells.push('');
    }
    yield row;
    row = { line, cells: [] };
  }
}
