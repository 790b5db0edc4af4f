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

/** Rows of comma-separated values (RFC 4180), one at a time. Throws `invoice-unreadable` with the line. Blank lines are left out. */
export function* csvRows(text: string): Generator<CsvRow> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  while (at < text.length) {
    CELL.lastIndex = at;
    const [found = '', cell = '', end = ''] = CELL.exec(text) ?? [];
    // Whatever stands behind a closing quote, and a quote that never closes.
    if (found === '' || cell.length > MAX_CELL || row.cells.length >= MAX_CELLS) throw broken(row.line);
    row.cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    at += found.length;
    line += found.split('\n').length - 1;
    if (end === ',' && at < text.length) continue;
    if (end === ',') row.cells.push('');
    if (row.cells.some((value) => value !== '')) yield row;
    row = { line, cells: [] };
  }
}
