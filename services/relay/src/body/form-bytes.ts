import type { Field, UploadedFile } from './form-parts.js';

/** Values of fields to send instead of the client's; `undefined` leaves the field out. */
export type FormEdits = ReadonlyMap<string, string | undefined>;

const quoted = (text: string): string => text.replaceAll(/[\r\n"]/g, (char) => encodeURIComponent(char));

/** The fields to send: some replaced, left out or added. */
export function editedFields(fields: readonly Field[], edits: FormEdits): Field[] {
  const kept = fields.map(([name, value]) => [name, edits.has(name) ? edits.get(name) : value] as const);
  const added = [...edits].filter(([name]) => fields.every(([known]) => known !== name));
  return [...kept, ...added].flatMap(([name, value]): Field[] => (value === undefined ? [] : [[name, value]]));
}

/** The bytes of a form field as it is sent. */
export const fieldBytes = (boundary: string, [name, value]: Field): Buffer =>
  Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`);

/** The part header that precedes the bytes of a file. */
export function fileHead(boundary: string, file: UploadedFile | undefined): Buffer {
  const { name = 'file', filename = '', mimeType = '' } = file ?? {};
  return Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"; filename="${quoted(filename)}"\r\n` +
      `content-type: ${mimeType.replaceAll(/[\r\n]/g, '') || 'application/octet-stream'}\r\n\r\n`,
  );
}

export const formEnd = (boundary: string): Buffer => Buffer.from(`--${boundary}--\r\n`);
