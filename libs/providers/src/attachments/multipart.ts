import { randomUUID } from 'node:crypto';

export interface AttachedFile {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/** Keeps a file name from breaking out of its header line. */
const plain = (text: string): string => text.replace(/["\r\n\\]/g, '_');

/** A multipart body with fields and one file. */
export function multipart(
  fields: Readonly<Record<string, string>>,
  file: AttachedFile,
): { headers: Record<string, string>; body: Buffer } {
  const boundary = randomUUID();
  const head = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${plain(name)}"\r\n\r\n${value}\r\n`,
  );
  const opening = [
    ...head,
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${plain(file.name)}"\r\n`,
    `content-type: ${plain(file.mimeType)}\r\n\r\n`,
  ].join('');
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(opening), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
