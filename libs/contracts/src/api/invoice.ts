import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { hasNoNul, idField, MAX_ID } from './fields.js';
import { invoiceFormats, MAX_INVOICE_CHARACTERS } from './invoice-formats.js';

export { type InvoiceColumn, invoiceColumns, type InvoiceFormat, invoiceFormats } from './invoice-formats.js';

const wrong = '参数错误';
/** Channels of one account with a provider. */
const MAX_CHANNELS = 200;

const columnName = z.string(wrong).trim().min(1, '请填写列名').max(200, '列名最多 200 个字符');
/** Names of columns as the first row of the file has them. */
const columnsSchema = z
  .strictObject({
    day: columnName,
    model: columnName,
    input: columnName.optional(),
    output: columnName.optional(),
    cache_read: columnName.optional(),
    cache_write: columnName.optional(),
    requests: columnName.optional(),
    amount: columnName.optional(),
    /** Whether `input` counts the tokens of caches too, as OpenAI does; Anthropic does not. */
    input_includes_cache: z.boolean().default(true),
  })
  .refine(({ input_includes_cache: _, ...names }) => {
    const named = Object.values(names).filter((name) => name !== undefined);
    return new Set(named).size === named.length;
  }, '同一列不能用于两项');
export type NamedColumns = z.output<typeof columnsSchema>;

export const importInvoiceSchema = z
  .object({
    name: z.string(wrong).trim().min(1, '请填写发票名称').max(100, '发票名称最多 100 个字符').refine(hasNoNul, wrong),
    format: z.enum(invoiceFormats, '未知的发票格式'),
    /** Of format `columns`. */
    columns: columnsSchema.optional(),
    /** The channels that the account with the provider serves. */
    channel_ids: z
      .array(z.int(wrong).positive(wrong).max(MAX_ID, wrong), wrong)
      .min(1, '请选择发票对应的渠道')
      .max(MAX_CHANNELS, `最多 ${MAX_CHANNELS} 个渠道`),
    csv: z.string(wrong).min(1, '文件为空').max(MAX_INVOICE_CHARACTERS, '文件过大，请按月份拆分'),
  })
  .refine(({ format, columns }) => format !== 'columns' || columns !== undefined, '请填写列名');
export type ImportInvoice = z.input<typeof importInvoiceSchema>;

const count = z.int();
/** Tokens of a prompt, those of caches included, and of answers. */
const usage = { requests: count, input: count, cached: count, output: count };

export const invoiceSchema = z.object({
  id: z.int(),
  name: z.string(),
  format: z.enum(invoiceFormats),
  channel_ids: z.array(z.int()),
  /** By the clock of `zone`, inclusive. */
  first_day: z.string(),
  last_day: z.string(),
  zone: z.string(),
  /** Of the file, without its head. */
  rows: z.int(),
  /** SHA-256 of the file, hex. */
  digest: z.string(),
  imported_by: z.int(),
  imported_time: z.int(),
});
export type Invoice = z.infer<typeof invoiceSchema>;

/** The journal: how many requests it has, what they were charged, and what those of known cost (`costed`) cost by our prices; null: not known of any. */
const journalSide = z.object({ requests: count, sales: count, cost: count.nullable(), costed: count });

const invoiceStates = ['matches', 'differs', 'not-invoiced', 'not-ours'] as const;
export const invoiceMatchSchema = z.object({
  day: z.string(),
  model: z.string(),
  state: z.enum(invoiceStates),
  /** As the file states it; requests are 0 where it states none. */
  invoice: z.object({ ...usage, amount: z.string().nullable() }),
  /** Of requests whose numbers came from the upstream itself. */
  upstream: z.object(usage),
  /** Of all that was booked, estimated ones included. */
  ours: z.object(usage),
  journal: journalSide,
  /** Invoice less ours. */
  difference: z.object({ input: count, output: count }),
});
export type InvoiceMatch = z.infer<typeof invoiceMatchSchema>;

/** Sums of all rows, by the same names. */
export const invoiceTotalsSchema = invoiceMatchSchema.omit({ day: true, model: true, state: true });
export type InvoiceTotals = z.infer<typeof invoiceTotalsSchema>;

export const invoiceResultSchema = z.object({
  invoice: invoiceSchema,
  /** False where rows of the usage log were cleared before they were summed, or were not written. */
  complete: z.boolean(),
  matches: z.array(invoiceMatchSchema),
  totals: invoiceTotalsSchema,
});
export type InvoiceResult = z.infer<typeof invoiceResultSchema>;

export const invoiceQuerySchema = pageFromOneSchema;

const day = z.iso.date('日期格式应为 YYYY-MM-DD').refine((text) => text >= '1970-01-01', wrong);
export const invoiceRequestsQuerySchema = z.object({
  day,
  model: z.string(wrong).max(300, wrong).refine(hasNoNul, wrong),
});

/** Why the provider's count of a request may be another than ours. */
export const requestDoubts = [
  'estimated',
  'requested',
  'doubted',
  'cancelled',
  'cut',
  'kept-back',
  'retried',
  'failed',
  'midnight',
] as const;
export type RequestDoubt = (typeof requestDoubts)[number];

export const invoiceRequestSchema = z.object({
  request_id: z.string(),
  /** Unix seconds at which it ended. */
  time: z.int(),
  channel_id: z.int(),
  model: z.string(),
  doubts: z.array(z.enum(requestDoubts)),
  input: count,
  output: count,
});
export type InvoiceRequest = z.infer<typeof invoiceRequestSchema>;
export const invoiceRequestsSchema = z.object({
  /** The first of them, the largest first. */
  items: z.array(invoiceRequestSchema),
  total: z.int(),
  /** False where rows of the usage log were cleared, or were not written: the requests of these are not among them. */
  complete: z.boolean(),
});
export type InvoiceRequests = z.infer<typeof invoiceRequestsSchema>;
export const invoiceIdSchema = z.object({ id: idField(wrong, MAX_ID) });
