export type CsvCell = string | number;

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

/**
 * Text that a spreadsheet may run as a formula: it begins with an operator or its full-width or small form, possibly after characters that
 * are dropped when the file is opened (byte order mark, blanks, invisible characters).
 */
const MAY_RUN = /^[\t\r\n]|^[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;

function cellText(value: CsvCell): string {
  const text = String(value);
  const safe = MAY_RUN.test(text) && !isNumber(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Rows of comma-separated values (RFC 4180). Text that a spreadsheet would run as a formula is prefixed with an apostrophe; numbers are
 * left unchanged.
 */
export const csvLines = (lines: readonly (readonly CsvCell[])[]): string =>
  lines.map((line) => `${line.map(cellText).join(',')}\r\n`).join('');

/** Byte order mark: tells spreadsheets that the file is UTF-8. It must be the first character. */
export const CSV_MARK = '\uFEFF';
