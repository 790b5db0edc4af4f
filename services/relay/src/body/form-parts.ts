import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { requestMembers } from '@tollgate/providers';
import { nothing } from '../call/nothing.js';
import { Refusal } from '../call/refusal.js';
import { bodyTooLarge, bodyTooSlow } from './body-refusals.js';
import { badlyPacked, codingOf, noRoom } from './body-reader.js';
import type { ByteClaim } from './byte-budget.js';
import { decoderOf, isBomb } from './unpacking.js';

export const invalidForm = (text: string, param = ''): Refusal =>
  new Refusal(400, text, 'invalid_audio_request', { param });

export const noForm = (): Refusal => invalidForm('the body must be multipart/form-data with a file');

const LIMITS = { files: 1, fields: 64, parts: 66, fieldNameSize: 100, fieldSize: 64 * 1024, headerPairs: 20 };

export interface FormBounds {
  /** Most bytes of the whole form. */
  maxBytes: number;
  /** Milliseconds without a byte, while a reader waits for one, after which the form counts as abandoned. */
  idleMs: number;
}

/** The name and type of a file in a form. */
export interface UploadedFile {
  name: string;
  filename: string;
  mimeType: string;
}

export type Field = readonly [name: string, value: string];

/** The name of a guarded value for which some form parsers would take this name, in any letter case and as a list. */
function guardedName(name: string): string | undefined {
  const known = requestMembers.fold(name.replace(/\[.*$/, ''));
  return requestMembers.guarded.has(known) ? known : undefined;
}

/** What is wrong with the name of a field: some form parsers would take it for another, documented one. */
export function faultOfField(name: string): string | undefined {
  const known = guardedName(name);
  return known === undefined || known === name ? undefined : `field ${name} is not accepted: use ${known}`;
}

/** What is wrong with the name of a file: some form parsers would take the file for a value, which we have not read. */
export const faultOfFile = (name: string): string | undefined =>
  guardedName(name) === undefined ? undefined : `field ${name} must not be a file`;

/** Reads a form with one file while it arrives: its fields into memory, its file only as fast as it is consumed. */
export class FormParts {
  readonly fields: Field[] = [];
  file: UploadedFile | undefined;
  /** Whether the form was received to its last byte. */
  isFinished = false;
  /** Why reading failed; the request is refused with it. */
  failure: Refusal | undefined;
  private source: AsyncIterator<Buffer> | undefined;
  private stream: Readable | undefined;
  private received = 0;
  private unpacked = 0;
  private readonly decoder: Transform | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly parser: BusboyInstance;
  private readonly began: Promise<void>;
  private readonly finished: Promise<void>;
  private reject: (refusal: Refusal) => void = nothing;

  constructor(
    private readonly request: IncomingMessage,
    private readonly bounds: FormBounds,
    private readonly claim: ByteClaim,
  ) {
    if (this.statedBytes > bounds.maxBytes) throw bodyTooLarge();
    this.parser = parserOf(request);
    this.decoder = decoderOf(codingOf(request));
    this.began = new Promise((resolve) => {
      this.parser.on('file', (...[name, stream, filename, , mimeType]) => {
        this.begin({ name, filename, mimeType }, stream);
        resolve();
      });
    });
    this.finished = new Promise((resolve, reject) => {
      this.reject = reject;
      this.parser.on('finish', () => {
        this.isFinished = true;
        resolve();
      });
    });
    // Prevents an unhandled rejection when reading fails while no caller waits.
    this.finished.catch(() => undefined);
    this.listen();
    // Stops reading when the request ends: its claim counts nothing any more.
    claim.onRelease(() => this.fail(invalidForm('the request is over')));
  }

  /** Whether the form is compressed; then its length is known only after unpacking. */
  get isPacked(): boolean {
    return this.decoder !== undefined;
  }

  /** Bytes of the form as the client states them; 0 when it does not. */
  get statedBytes(): number {
    const { headers } = this.request;
    return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
  }

  field(name: string): string | undefined {
    return this.fields.find(([known]) => known === name)?.[1];
  }

  /** Resolves when the file begins, or the form ends without one. */
  untilFile(): Promise<void> {
    return this.patiently(Promise.race([this.began, this.finished]));
  }

  untilFinished(): Promise<void> {
    return this.patiently(this.finished);
  }

  /** The next bytes of the file, counted in the claim; `undefined` at its end. */
  async nextChunk(): Promise<Buffer | undefined> {
    try {
      const next = await this.patiently(this.source?.next() ?? Promise.reject(invalidForm('field file is required')));
      if (next.done) return undefined;
      this.take(next.value.length);
      return next.value;
    } catch (error) {
      if (error instanceof Refusal) this.fail(error);
      throw this.failure ?? error;
    }
  }

  private listen(): void {
    const { request, parser } = this;
    parser.on('field', (name, value, nameCut, valueCut) => this.addField([name, value], nameCut || valueCut));
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(event, () => this.fail(invalidForm('the form has too many fields or files')));
    parser.on('error', () => this.fail(invalidForm('the form is malformed')));
    request.on('data', (piece: Buffer) => {
      this.timer?.refresh();
      this.received += piece.length;
      if (this.received > this.bounds.maxBytes) this.fail(bodyTooLarge());
    });
    request.once('close', () => {
      if (!request.complete) this.fail(invalidForm('the body ended early'));
    });
    this.unpack(request).pipe(parser);
  }

  private unpack(request: IncomingMessage): Readable {
    const { decoder } = this;
    if (!decoder) return request;
    decoder.on('data', (piece: Buffer) => {
      this.unpacked += piece.length;
      if (this.unpacked > this.bounds.maxBytes || isBomb(this.unpacked, this.received)) this.fail(bodyTooLarge());
    });
    decoder.on('error', () => this.fail(badlyPacked(codingOf(request))));
    return request.pipe(decoder);
  }

  private begin(file: UploadedFile, stream: Readable): void {
    const fault = faultOfFile(file.name);
    if (fault !== undefined) this.fail(invalidForm(fault, file.name));
    // Reading failed with this file, or before it in the same piece of data.
    if (this.failure) return void stream.on('error', () => undefined).destroy();
    this.file = file;
    this.stream = stream;
    // The reader of the file gets the error from `nextChunk`.
    stream.on('error', () => undefined);
    this.source = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  private addField(field: Field, isCut: boolean): void {
    const [name, value] = field;
    if (isCut) return this.fail(invalidForm(`field ${name} is too long`));
    const fault = faultOfField(name);
    if (fault !== undefined) return this.fail(invalidForm(fault, name));
    if (!name.endsWith('[]') && this.field(name) !== undefined)
      return this.fail(invalidForm(`field ${name} must not be repeated`, name));
    try {
      this.take(name.length + value.length);
      this.fields.push(field);
    } catch (error) {
      this.fail(error as Refusal);
    }
  }

  private take(bytes: number): void {
    const full = this.claim.take(bytes);
    if (full !== undefined) throw noRoom(full);
  }

  private fail(refusal: Refusal): void {
    if (this.isFinished || this.failure) return;
    this.failure = refusal;
    this.request.unpipe();
    this.decoder?.unpipe().destroy();
    this.request.pause();
    this.stream?.destroy(refusal);
    this.reject(refusal);
  }

  private async patiently<T>(work: Promise<T>): Promise<T> {
    if (this.failure) {
      work.catch(() => undefined);
      throw this.failure;
    }
    this.timer = setTimeout(() => this.fail(bodyTooSlow()), this.bounds.idleMs);
    try {
      return await work;
    } finally {
      clearTimeout(this.timer);
    }
  }
}

/** Throws a refusal when the content type is not that of a form. */
function parserOf({ headers }: IncomingMessage): BusboyInstance {
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) throw noForm();
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch {
    throw invalidForm('the form has no boundary');
  }
}
