export type CsvCell = string | number;

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

/**
 * What a spreadsheet may run as a formula: an operator, its full-width or small form, also behind what is dropped when a file is opened
 * (a mark of the byte order, blanks, what nobody sees).
 */
const MAY_RUN = /^[\t\r\n]|^[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;

function cellText(value: CsvCell): string {
  const text = String(value);
  const safe = MAY_RUN.test(text) && !isNumber(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows of comma-separated values (RFC 4180). A text that a spreadsheet would run gets an apostrophe before it; numbers stay as they are. */
export const csvLines = (lines: readonly (readonly CsvCell[])[]): string =>
  lines.map((line) => `${line.map(cellText).join(',')}\r\n`).join('');

/** Tells spreadsheets that the text is UTF-8; the first thing in a file. */
export const CSV_MARK = '\uFEFF';
