import { setImmediate } from 'node:timers/promises';
import { AppError } from '@tollgate/chassis';
import { type CsvRow, csvRows, unreadable } from './csv-rows.js';
import type { Cells, Format, InvoiceUsage } from './formats.js';

/** Most rows: a month of minutes by some keys, or a year of days by many. */
const MAX_ROWS = 300_000;
/** Most combinations of day and model. */
const MAX_LINES = 20_000;
const MAX_DAYS = 366;
const HEAD_WITHIN = 50;
const HEAD_CHARACTERS = 20_000;
/** Rows that are read, in some milliseconds, before other work gets its turn. */
const ROWS_AT_ONCE = 1000;

export interface ReadInvoice {
  lines: InvoiceUsage[];
  /** Number of rows that stated usage. */
  rows: number;
  firstDay: string;
  lastDay: string;
}

const refuse = (code: string, message: string, params: Record<string, string | number> = {}): AppError =>
  new AppError('invalid', code, message, { params });

/**
 * Sums up a file by day and model, in slices; only the sums are kept. Throws `invoice-unreadable` with the line (also
 * for a row with fewer or more cells than the head), `invoice-cell`, `invoice-without-columns` with the missing names,
 * `invoice-separator` for a separator other than commas, `invoice-column-twice` with the repeated name,
 * `invoice-empty`, and `invoice-too-long`.
 */
export async function readInvoice(text: string, format: Format): Promise<ReadInvoice> {
  refuseOther(text, format);
  const reader = new Reader(format);
  let seen = 0;
  for (const row of csvRows(text)) {
    if (!reader.take(row)) break;
    seen += 1;
    if (seen % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return reader.end();
}

class Reader {
  private head: Head | undefined;
  private headRows = 0;
  private rows = 0;
  private readonly lines = new Map<string, InvoiceUsage>();

  constructor(private readonly format: Format) {}

  /** False when the head was not found among the first rows. */
  take({ line, cells }: CsvRow): boolean {
    if (cells.every((cell) => cell === '')) return true;
    if (!this.head) return this.lookForHead(cells);
    // A row with more cells than the head has an unquoted comma in a value, for example in 1,234; the cells after it
    // would belong to the wrong columns.
    if (cells.length < this.head.width || cells.slice(this.head.width).some((cell) => cell !== ''))
      throw unreadable(line);
    const usage = usageOf(this.head.cellsOf(cells), this.format, line);
    if (!usage) return true;
    this.rows += 1;
    if (!add(this.lines, usage)) throw wrongCell(line, cells.join(','));
    if (this.rows > MAX_ROWS || this.lines.size > MAX_LINES)
      throw refuse('invoice-too-long', `发票最多 ${MAX_ROWS} 行、${MAX_LINES} 个日期与模型的组合，请拆分`);
    return true;
  }

  end(): ReadInvoice {
    if (!this.head) throw withoutColumns(this.format);
    return { lines: [...this.lines.values()], rows: this.rows, ...spanOf(this.lines.values()) };
  }

  private lookForHead(cells: readonly string[]): boolean {
    this.head = headOf(cells, this.format);
    this.headRows += 1;
    return this.head !== undefined || this.headRows < HEAD_WITHIN;
  }
}

/** In a file with another separator a comma may be a decimal point, so it is refused rather than guessed. */
const OTHER_SEPARATORS = [
  [';', '分号'],
  ['\t', '制表符'],
] as const;

function refuseOther(text: string, format: Format): void {
  const lines = text
    .slice(0, HEAD_CHARACTERS)
    .replaceAll(/["\uFEFF]/g, '')
    .split(/\r\n|\n|\r/, HEAD_WITHIN);
  for (const [separator, name] of OTHER_SEPARATORS)
    if (lines.some((line) => headOf(line.split(separator), format)))
      throw refuse('invoice-separator', `发票文件以${name}分隔，请另存为逗号分隔的 CSV`, { separator });
}

function spanOf(lines: Iterable<InvoiceUsage>): Pick<ReadInvoice, 'firstDay' | 'lastDay'> {
  const days = [...new Set(Array.from(lines, ({ day }) => day))].sort();
  const [firstDay, lastDay] = [days[0], days.at(-1)];
  if (firstDay === undefined || lastDay === undefined) throw refuse('invoice-empty', '发票中没有用量');
  if ((Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000 >= MAX_DAYS)
    throw refuse('invoice-too-long', `发票的时间跨度最多 ${MAX_DAYS} 天`);
  return { firstDay, lastDay };
}

interface Head {
  /** The least number of cells in each row. */
  width: number;
  cellsOf: (row: readonly string[]) => Cells;
}

/** A name may occur twice unless its column is needed. */
function headOf(row: readonly string[], { head }: Format): Head | undefined {
  const names = row.map((name) => name.trim());
  const places = new Map(names.map((name, place) => [name, place]));
  if (!head.every((choices) => choices.some((name) => places.has(name)))) return undefined;
  const twice = new Set(names.filter((name, place) => places.get(name) !== place));
  const placeOf = (name: string): number => {
    if (twice.has(name)) throw refuse('invoice-column-twice', `发票文件中有多列名为“${name}”`, { name });
    return places.get(name) ?? -1;
  };
  return { width: names.findLastIndex((name) => name !== '') + 1, cellsOf: (cells) => (name) => cells[placeOf(name)] };
}

function usageOf(cells: Cells, format: Format, line: number): InvoiceUsage | undefined {
  try {
    return format.read(cells);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw wrongCell(line, (error as Error).message);
  }
}

function wrongCell(line: number, text: string): AppError {
  const value = text.slice(0, 60);
  return refuse('invoice-cell', `发票文件第 ${line} 行的“${value}”不是日期或数字`, { line, value });
}

/** False when a sum exceeds the safe integers. */
function add(lines: Map<string, InvoiceUsage>, usage: InvoiceUsage): boolean {
  const key = `${usage.day}\n${usage.model}`;
  const sum = lines.get(key) ?? { ...usage, requests: 0, input: 0, cached: 0, output: 0, amount: undefined };
  sum.requests += usage.requests;
  sum.input += usage.input;
  sum.cached += usage.cached;
  sum.output += usage.output;
  if (usage.amount !== undefined) sum.amount = (sum.amount ?? 0n) + usage.amount;
  lines.set(key, sum);
  return [sum.requests, sum.input, sum.cached, sum.output].every(Number.isSafeInteger);
}

function withoutColumns({ head }: Format): AppError {
  const names = head.map((choices) => choices.join(' / ')).join(', ');
  return refuse('invoice-without-columns', `发票文件缺少列：${names}`, { names });
}
