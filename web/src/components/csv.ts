type Cell = string | number;

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

/** A cell that a spreadsheet would run as a formula is guarded. */
const cell = (value: Cell): string => {
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The mark at the start tells spreadsheets that the text is UTF-8. */
export const csvText = (lines: Cell[][]): string =>
  `\uFEFF${lines.map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;

/** Local time with its offset; nothing for what never was. */
export function csvTime(seconds: number): string {
  if (seconds <= 0) return '';
  const offset = -new Date(seconds * 1000).getTimezoneOffset();
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}

export function downloadCsv(name: string, lines: Cell[][]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvText(lines)], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
