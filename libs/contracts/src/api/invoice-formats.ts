/** Free of the schema library. The files of three providers, and any other by the names of its columns. */
export const invoiceFormats = ['openai', 'anthropic', 'google', 'columns'] as const;
export type InvoiceFormat = (typeof invoiceFormats)[number];

/** Members of a file that is read by the names of its columns. */
export const invoiceColumns = [
  'day',
  'model',
  'input',
  'output',
  'cache_read',
  'cache_write',
  'requests',
  'amount',
] as const;
export type InvoiceColumn = (typeof invoiceColumns)[number];
/** Characters of a file. */
export const MAX_INVOICE_CHARACTERS = 32 * 1024 * 1024;
