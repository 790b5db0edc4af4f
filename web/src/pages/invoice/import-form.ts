import type { ImportInvoice } from '@tollgate/contracts/api/invoice';
import type { InvoiceFormat } from '@tollgate/contracts/api/invoice-formats';

export interface PickedFile {
  name: string;
  text: string;
  fault?: 'tooLong' | 'emptyFile' | 'unreadable';
}

export interface InvoiceForm {
  name: string;
  format: InvoiceFormat;
  channels: string;
  columns: string;
  file?: PickedFile;
}

/** `3, 5` */
export const isChannelList = (text: string): boolean => /^\s*\d{1,9}(\s*[,，]\s*\d{1,9})*\s*$/.test(text);

/** The import request; names and numbers are validated by the server. */
export function toImport({ name, format, channels, columns }: Omit<InvoiceForm, 'file'>, csv: string): ImportInvoice {
  return {
    name: name.trim(),
    format,
    channel_ids: channels.split(/[,，]/).map((id) => Number(id)),
    ...(format === 'columns' && { columns: JSON.parse(columns.trim() || '{}') as ImportInvoice['columns'] }),
    csv,
  };
}
