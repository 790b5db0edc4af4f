import type { IncomingMessage } from 'node:http';
import type { JsonObject } from './dialects.js';

/** The fields of a form. A file is represented by its name and size, a field that occurs several times by a list. */
async function readForm(bytes: Buffer, contentType: string): Promise<JsonObject> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  const read = (value: string | File): unknown =>
    typeof value === 'string' ? value : { filename: value.name, type: value.type, bytes: value.size };
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name).map(read);
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
}

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The request body, from JSON or from the fields of a form. */
export async function bodyIn({ headers }: IncomingMessage, bytes: Buffer): Promise<JsonObject> {
  const contentType = headers['content-type'] ?? '';
  if (bytes.length === 0) return {};
  if (contentType.startsWith('multipart/form-data')) return readForm(bytes, contentType);
  if (contentType.includes('form') || contentType.startsWith('audio/')) return {};
  return JSON.parse(bytes.toString('utf8')) as JsonObject;
}
