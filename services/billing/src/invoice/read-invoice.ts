import { AppError } from '@tollgate/chassis';
import { csvRows } from './csv-rows.js';
import type { Cells, Format, InvoiceUsage } from './formats.js';

/** A month of minutes by some keys, and a year of days by many. */
export const MAX_ROWS = 300_000;
/** Of days and models. */
export const MAX_LINES = 20_000;
const MAX_DAYS = 366;
const HEAD_WITHIN = 50;

export interface ReadInvoice {
  lines: InvoiceUsage[];
  /** Rows that stated usage. */
  rows: number;
  firstDay: string;
  lastDay: string;
}

const refuse = (code: string, message: string, params: Record<string, string | number> = {}): AppError =>
  new AppError('invalid', code, message, { params });

/**
 * Sums of a file by day and model; it is read row by row, and only the sums are kept. Throws `invoice-unreadable` with the line,
 * `invoice-without-columns` with the names that are missing, `invoice-empty`, and `invoice-too-long`.
 */
export function readInvoice(text: string, format: Format): ReadInvoice {
  let cellsOf: ((row: readonly string[]) => Cells) | undefined;
  const lines = new Map<string, InvoiceUsage>();
  let rows = 0;
  let headRows = 0;
  for (const { line, cells } of csvRows(text)) {
    if (!cellsOf) {
      cellsOf = headOf(cells, format);
      headRows += 1;
      if (!cellsOf && headRows >= HEAD_WITHIN) break;
      continue;
    }
    const usage = usageOf(cellsOf(cells), format, line);
    if (!usage) continue;
    rows += 1;
    if (!add(lines, usage)) throw wrongCell(line, cells.join(','));
    if (rows > MAX_ROWS || lines.size > MAX_LINES)
      throw refuse('invoice-too-long', `发票最多 ${MAX_ROWS} 行、${MAX_LINES} 个日期与模型的组合，请拆分`);
  }
  if (!cellsOf) throw withoutColumns(format);
  return { lines: [...lines.values()], rows, ...spanOf(lines.values()) };
}

function spanOf(lines: Iterable<InvoiceUsage>): Pick<ReadInvoice, 'firstDay' | 'lastDay'> {
  const days = [...new Set(Array.from(lines, ({ day }) => day))].sort();
  const [firstDay, lastDay] = [days[0], days.at(-1)];
  if (firstDay === undefined || lastDay === undefined) throw refuse('invoice-empty', '发票中没有用量');
  if ((Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000 >= MAX_DAYS)
    throw refuse('invoice-too-long', `发票的时间跨度最多 ${MAX_DAYS} 天`);
  return { firstDay, lastDay };
}

function headOf(names: readonly string[], { head }: Format): ((row: readonly string[]) => Cells) | undefined {
  const places = new Map(names.map((name, place) => [name.trim(), place]));
  if (!head.every((choices) => choices.some((name) => places.has(name)))) return undefined;
  return (row) => (name) => {
    const place = places.get(name);
    return place === undefined ? undefined : row[place];
  };
}

function usageOf(cells: Cells, format: Format, line: number): InvoiceUsage | undefined {
  try {
    return format.read(cells);
  } catch (error) {
    throw wrongCell(line, (error as Error).message);
  }
}

function wrongCell(line: number, text: string): AppError {
  const value = text.replaceAll('\0', '').slice(0, 60);
  return refuse('invoice-cell', `发票文件第 ${line} 行的“${value}”不是日期或数字`, { line, value });
}

/** False where a sum grows beyond what a number holds exactly. */
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
