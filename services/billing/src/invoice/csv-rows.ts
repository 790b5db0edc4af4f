import { AppError } from '@tollgate/chassis';

const MAX_CELLS = 200;
const MAX_CELL = 10_000;

/** A row of a file, with the number of its first line. */
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
  /** The text that ends the cell: a comma, a line break, or nothing at the end of the text. */
  end: string;
  /** Characters, including `end`. */
  length: number;
  lines: number;
}

const endOf = (text: string, pattern: RegExp, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/**
 * The position after the closing quote of a quoted cell; `undefined` where there is none within the length of a cell.
 */
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

/**
 * `undefined` for an invalid cell: text after a closing quote, a missing closing quote, a cell that is too long, or a
 * NUL character.
 */
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

/**
 * Yields the rows of comma-separated values (RFC 4180); a blank line is a row of one cell. Throws `invoice-unreadable`
 * with the line.
 */
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
