/**
 * In a file without the schema library, so that the console can import it cheaply. Formats of three providers, and any CSV by its column
 * names.
 */
export const invoiceFormats = ['openai', 'anthropic', 'google', 'columns'] as const;
export type InvoiceFormat = (typeof invoiceFormats)[number];

/** What a file of format `columns` can contain. */
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
/** Limit on the characters of a file. */
export const MAX_INVOICE_CHARACTERS = 32 * 1024 * 1024;
