import type { Summary } from './buckets.js';

/** A cell that a spreadsheet would run as a formula is guarded. */
const cell = (value: string | number): string => {
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const iso = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  const offset = -date.getTimezoneOffset();
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
};

/** One line per bucket and model, exact units; the mark at the start tells spreadsheets that it is UTF-8. */
export function toCsv({ buckets, series }: Summary): string {
  const head = ['start', 'end', 'model', 'quota_units', 'calls'];
  const lines = buckets.flatMap(({ start, end }, at) =>
    series
      .filter(({ calls }) => (calls[at] ?? 0) > 0)
      .map(({ model, quota, calls }) => [iso(start), iso(end), model, quota[at] ?? 0, calls[at] ?? 0]),
  );
  return `\uFEFF${[head, ...lines].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}

export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
