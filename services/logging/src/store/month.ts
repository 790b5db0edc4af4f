/** A partition of the log: the calendar month (UTC) of `createdAt`. Bounds in Unix seconds, the upper one exclusive. */
export interface Month {
  /** Name of the partition. */
  table: string;
  from: number;
  to: number;
}

const NAME = /^log_(\d{4})_(\d{2})$/;

const monthAt = (year: number, index: number): Month => {
  const first = new Date(Date.UTC(year, index, 1));
  const table = `log_${first.getUTCFullYear()}_${String(first.getUTCMonth() + 1).padStart(2, '0')}`;
  return { table, from: first.getTime() / 1000, to: Date.UTC(year, index + 1, 1) / 1000 };
};

/** The month of `seconds` and the following ones. */
export function monthsFrom(seconds: number, count: number): Month[] {
  const date = new Date(seconds * 1000);
  return Array.from({ length: count }, (_, offset) => monthAt(date.getUTCFullYear(), date.getUTCMonth() + offset));
}

/** `undefined` for a table that is no month, such as the default partition. */
export function monthOf(table: string): Month | undefined {
  const [, year, month] = NAME.exec(table) ?? [];
  return year === undefined || month === undefined ? undefined : monthAt(Number(year), Number(month) - 1);
}
