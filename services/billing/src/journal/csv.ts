type Cell = string | number;

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

/** A cell that a spreadsheet would run as a formula is guarded. */
function cell(value: Cell): string {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLines = (lines: readonly Cell[][]): string =>
  lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');

/** Tells spreadsheets that the text is UTF-8. */
export const CSV_MARK = '\uFEFF';

/** UTC, as ISO 8601 without fractions; nothing for what never was. */
export const csvTime = (seconds: number): string =>
  seconds > 0 ? `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` : '';
