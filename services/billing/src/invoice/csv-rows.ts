import { AppError } from '@tollgate/chassis';

const MAX_CELLS = 200;
const MAX_CELL = 10_000;

/** A row of a file, and the line that it begins on. */
export interface CsvRow {
  line: number;
  cells: string[];
}

const broken = (line: number): AppError =>
  new AppError('invalid', 'invoice-unreadable', `发票文件第 ${line} 行无法读取`, { params: { line } });

const CELL = /("(?:[^"]+|"")*"|[^",\r\n]*)(,|\r\n|\n|\r|$)/y;

interface Cell {
  value: string;
  /** What ends it: a comma, a line break, or nothing at the end of the text. */
  end: string;
  /** Characters, with its end. */
  length: number;
  lines: number;
}

/** Undefined where something stands behind a closing quote, where a quote never closes, and for what is too long. */
function cellAt(text: string, at: number): Cell | undefined {
  CELL.lastIndex = at;
  const [found = '', cell = '', end = ''] = CELL.exec(text) ?? [];
  if (found === '' || cell.length > MAX_CELL) return undefined;
  const value = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
  return { value, end, length: found.length, lines: found.split('\n').length - 1 };
}

/** Rows of comma-separated values (RFC 4180), one at a time. Throws `invoice-unreadable` with the line. Blank lines are left out. */
export function* csvRows(text: string): Generator<CsvRow> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  while (at < text.length) {
    const cell = cellAt(text, at);
    if (!cell || row.cells.length >= MAX_CELLS) throw broken(row.line);
    row.cells.push(cell.value);
    at += cell.length;
    line += cell.lines;
    if (cell.end === ',') {
      if (at < text.length) continue;
      row.cells.push('');
    }
    if (row.cells.some((value) => value !== '')) yield row;
    row = { line, cells: [] };
  }
}
