import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { hasNoNul, idField, MAX_ID } from './fields.js';
import { invoiceFormats, MAX_INVOICE_CHARACTERS } from './invoice-formats.js';

export { type InvoiceFormat } from './invoice-formats.js';

const wrong = '参数错误';
/** Limit on the channels of one account with a provider. */
const MAX_CHANNELS = 200;

const columnName = z.string(wrong).trim().min(1, '请填写列名').max(200, '列名最多 200 个字符');
/** Column names as in the first row of the file. */
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
    /** Whether `input` includes cached tokens, as at OpenAI; at Anthropic it does not. */
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
    /** For the format `columns`. */
    columns: columnsSchema.optional(),
    /** The channels that use the account with the provider. */
    channel_ids: z
      .array(idField(wrong, MAX_ID), wrong)
      .min(1, '请选择发票对应的渠道')
      .max(MAX_CHANNELS, `最多 ${MAX_CHANNELS} 个渠道`),
    csv: z.string(wrong).min(1, '文件为空').max(MAX_INVOICE_CHARACTERS, '文件过大，请按月份拆分'),
  })
  .refine(({ format, columns }) => format !== 'columns' || columns !== undefined, '请填写列名');
export type ImportInvoice = z.input<typeof importInvoiceSchema>;

const count = z.int();
/** Requests, prompt tokens including cached ones, cached tokens, and output tokens. */
const usage = { requests: count, input: count, cached: count, output: count };

export const invoiceSchema = z.object({
  id: z.int(),
  name: z.string(),
  format: z.enum(invoiceFormats),
  channel_ids: z.array(z.int()),
  /** In the time zone `zone`, inclusive. */
  first_day: z.string(),
  last_day: z.string(),
  zone: z.string(),
  /** Number of rows in the file, without the header. */
  rows: z.int(),
  /** Hex SHA-256 of the file. */
  digest: z.string(),
  imported_by: z.int(),
  imported_time: z.int(),
});
export type Invoice = z.infer<typeof invoiceSchema>;

/**
 * From the journal: number of requests, their charges, and the cost by our cost prices of those (`costed`) for which it is known; null if
 * it is known for none.
 */
const journalSide = z.object({ requests: count, sales: count, cost: count.nullable(), costed: count });

const invoiceStates = ['matches', 'differs', 'not-invoiced', 'not-ours'] as const;
export const invoiceMatchSchema = z.object({
  day: z.string(),
  model: z.string(),
  state: z.enum(invoiceStates),
  /** As stated by the file; requests are 0 if it states none. */
  invoice: z.object({ ...usage, amount: z.string().nullable() }),
  /** Sums over requests whose usage was stated by the upstream. */
  upstream: z.object(usage),
  /** Sums over everything booked, including estimates. */
  ours: z.object(usage),
  journal: journalSide,
  /** Invoice minus ours. */
  difference: z.object({ input: count, output: count }),
});
export type InvoiceMatch = z.infer<typeof invoiceMatchSchema>;

/** Sums over all rows, under the same names. */
export const invoiceTotalsSchema = invoiceMatchSchema.omit({ day: true, model: true, state: true });
export type InvoiceTotals = z.infer<typeof invoiceTotalsSchema>;

export const invoiceResultSchema = z.object({
  invoice: invoiceSchema,
  /** False if rows of the usage log were cleared before they were summed, or were not written. */
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

/** Reasons why the provider's count of a request may differ from ours. */
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
  /** Unix seconds at which the request ended. */
  time: z.int(),
  channel_id: z.int(),
  model: z.string(),
  doubts: z.array(z.enum(requestDoubts)),
  input: count,
  output: count,
});
export type InvoiceRequest = z.infer<typeof invoiceRequestSchema>;
export const invoiceRequestsSchema = z.object({
  /** The first requests, largest first. */
  items: z.array(invoiceRequestSchema),
  total: z.int(),
  /** False if rows of the usage log were cleared or not written, so that their requests are missing. */
  complete: z.boolean(),
});
export type InvoiceRequests = z.infer<typeof invoiceRequestsSchema>;
export const invoiceIdSchema = z.object({ id: idField(wrong, MAX_ID) });
