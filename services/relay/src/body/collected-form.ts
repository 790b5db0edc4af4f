import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { noRoom } from './body-reader.js';
import type { ByteClaim } from './byte-budget.js';
import type { JsonObject } from '@tollgate/providers';
import { Refusal } from '../call/refusal.js';
import type { PassingForm } from '../call/relay-call.js';
import { editedFields, fieldBytes, type FormEdits, fileHead, formEnd } from './form-bytes.js';
import { type Field, faultOfField, faultOfFile, type UploadedFile } from './form-parts.js';

/** OpenAI accepts 16 pictures and a mask. */
const LIMITS = { files: 17, fields: 64, parts: 82, fieldNameSize: 100, fieldSize: 64 * 1024, headerPairs: 20 };
const NEW_LINE = Buffer.from('\r\n');

interface KeptFile extends UploadedFile {
  bytes: Buffer;
}

const invalid = (text: string, param?: string): Refusal =>
  new Refusal(400, text, 'invalid_image_request', {
    ...(param !== undefined && { param }),
  });

function refuseFor(fault: string | undefined, name: string): void {
  if (fault !== undefined) throw invalid(fault, name);
}

/**
 * A form whose files are kept in memory, such as pictures to be edited, so it can be sent to any number of channels.
 */
export class CollectedForm implements PassingForm {
  readonly isComplete = true;
  readonly isReplayable = true;
  readonly head = Buffer.alloc(0);

  private constructor(
    private readonly list: readonly Field[],
    readonly files: readonly KeptFile[],
    /** Why a form cannot be sent that could be read. */
    readonly failure: Refusal | undefined,
  ) {}

  /** Throws a refusal for a body that is no form, or is too large for the memory left. */
  static async read(bytes: Buffer, contentType: string, claim: ByteClaim): Promise<CollectedForm> {
    const full = claim.take(bytes.length);
    if (full !== undefined) throw noRoom(full);
    const { fields, files } = await partsOf(bytes, contentType);
    for (const [name] of fields) refuseFor(faultOfField(name), name);
    for (const { name } of files) refuseFor(faultOfFile(name), name);
    const names = fields.map(([name]) => name).filter((name) => !name.endsWith('[]'));
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated !== undefined) throw invalid(`field ${repeated} must not be repeated`, repeated);
    const hasPicture = files.some(({ name }) => name === 'image' || name.startsWith('image['));
    return new CollectedForm(fields, files, hasPicture ? undefined : invalid('field image is required'));
  }

  get mostBytes(): number {
    return this.files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  get fields(): JsonObject {
    return Object.fromEntries(this.list);
  }

  guard(check: (fields: JsonObject) => void): void {
    check(this.fields);
  }

  digest(): Promise<Buffer> {
    const hash = createHash('sha256').update(JSON.stringify(this.list));
    for (const { bytes, ...file } of this.files) hash.update(JSON.stringify(file)).update(bytes);
    return Promise.resolve(hash.digest());
  }

  with(fields: FormEdits): { headers: Record<string, string>; upload: AsyncIterable<Buffer> } {
    const boundary = `form-${randomUUID()}`;
    const pieces = [
      ...editedFields(this.list, fields).map((field) => fieldBytes(boundary, field)),
      ...this.files.flatMap((file) => [fileHead(boundary, file), file.bytes, NEW_LINE]),
      formEnd(boundary),
    ];
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    return {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(length) },
      upload: Readable.from(pieces),
    };
  }
}

function partsOf(bytes: Buffer, contentType: string): Promise<{ fields: Field[]; files: KeptFile[] }> {
  if (!/^multipart\/form-data\b/i.test(contentType))
    return Promise.reject(invalid('the body must be multipart/form-data with a picture'));
  return new Promise((resolve, reject) => {
    const fields: Field[] = [];
    const files: KeptFile[] = [];
    const fail = (text: string): void => reject(invalid(text));
    const parser = parserOf(contentType);
    if (!parser) return fail('the form has no boundary');
    parser.on('field', (...[name, value, nameCut, valueCut]) => {
      if (nameCut || valueCut) fail(`field ${name} is too long`);
      fields.push([name, value]);
    });
    parser.on('file', (...[name, stream, filename, , mimeType]) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => fail('the form is malformed'));
      stream.on('end', () => files.push({ name, filename, mimeType, bytes: Buffer.concat(chunks) }));
    });
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(event, () => fail('the form has too many fields or files'));
    parser.on('error', () => fail('the form is malformed'));
    parser.on('finish', () => resolve({ fields, files }));
    parser.end(bytes);
  });
}

function parserOf(contentType: string): InstanceType<typeof Busboy> | undefined {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch {
    return undefined;
  }
}
