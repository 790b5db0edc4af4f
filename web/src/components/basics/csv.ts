import { CSV_MARK, type CsvCell, csvLines } from '@tollgate/contracts/csv';
import { saveFile } from '../../app/save-file.js';

export const csvText = (lines: readonly CsvCell[][]): string => CSV_MARK + csvLines(lines);

/** Local time with its UTC offset; empty if there is no time. */
export function csvTime(seconds: number): string {
  if (seconds <= 0) return '';
  const offset = -new Date(seconds * 1000).getTimezoneOffset();
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}

export function downloadCsv(name: string, lines: readonly CsvCell[][]): void {
  saveFile(name, csvText(lines), 'text/csv;charset=utf-8');
}
