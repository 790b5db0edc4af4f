import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { JsonObject } from '@tollgate/providers';
import { nothing } from '../call/nothing.js';
import { Refusal } from '../call/refusal.js';
import type { PassingForm } from '../call/relay-call.js';
import type { ByteClaim } from './byte-budget.js';
import { fieldBytes, fileHead } from './form-bytes.js';
import { type Field, type FormBounds, FormParts, invalidForm } from './form-parts.js';

/** A form that says it is no larger is read whole before anything is done with it. */
const SMALL = 1024 * 1024;
/** Bytes of a file passed on as it comes that are kept in case another channel must be asked. */
const REPLAY_BYTES = 4 * 1024 * 1024;

interface LiveParts {
  head: Buffer;
  end: Buffer;
  /** How many fields the head has. */
  known: number;
  /** What the head has in the place of the client's fields, or beside them. */
  replaced: ReadonlyMap<string, string>;
}

/**
 * A form with a file on its way through. The file is read only as fast as it is passed on, unless what routes the request stands behind it.
 * Nothing of it is in memory that its claim does not count.
 */
export class UploadedForm implements PassingForm {
  private readonly parts: FormParts;
  private readonly chunks: Buffer[] = [];
  /** Chunks that were let go of after they were sent. */
  private dropped = 0;
  private hasWholeFile = false;
  private filling: Promise<void> | undefined;
  private bytes = 0;
  private check: (fields: JsonObject) => void = nothing;
  private refused: Refusal | undefined;
  /** The first bytes of the file, which tell its format. */
  head: Buffer = Buffer.alloc(0);

  constructor(
    request: IncomingMessage,
    private readonly bounds: FormBounds,
    private readonly claim: ByteClaim,
  ) {
    this.parts = new FormParts(request, bounds, claim);
  }

  /** Why the form cannot go on; its request is to be refused with it. */
  get failure(): Refusal | undefined {
    return this.parts.failure ?? this.refused;
  }

  /** The most that the file can have, in bytes; what it has, once it is here. */
  get mostBytes(): number {
    const stated = this.parts.isPacked ? 0 : this.parts.statedBytes;
    return this.hasWholeFile ? this.bytes : stated || this.bounds.maxBytes;
  }

  /** Whether all of it is here; before, nobody can have listened to the end. */
  get isComplete(): boolean {
    return this.hasWholeFile && this.parts.isFinished;
  }

  /** Whether it can be sent once more. */
  get isReplayable(): boolean {
    return this.dropped === 0 && !this.failure;
  }

  /** All of the file, where it is here and was kept. */
  get kept(): Buffer | undefined {
    return this.isComplete && this.dropped === 0 ? Buffer.concat(this.chunks) : undefined;
  }

  /** Those that came so far, by name. */
  get fields(): Record<string, string> {
    return Object.fromEntries(this.parts.fields);
  }

  guard(check: (fields: JsonObject) => void): void {
    this.check = check;
  }

  /** Until this field and the head of the file are known, or all of the form. Throws the refusal of what it meets first. */
  async untilKnown(name: string): Promise<void> {
    const { parts } = this;
    await parts.untilFile();
    if (!parts.file) throw invalidForm('field file is required');
    await this.fill();
    const isLarge = parts.statedBytes === 0 || parts.statedBytes > SMALL;
    if (isLarge && !parts.isPacked && parts.field(name) !== undefined) return;
    while (!this.hasWholeFile) await this.fill();
    await parts.untilFinished();
  }

  /** The digest of all fields and the file. To be asked for before the form is passed on. */
  async digest(): Promise<Buffer> {
    while (!this.hasWholeFile) await this.fill();
    await this.parts.untilFinished();
    const hash = createHash('sha256').update(JSON.stringify([this.parts.fields, this.parts.file]));
    for (const chunk of this.chunks) hash.update(chunk);
    return hash.digest();
  }

  with(fields: ReadonlyMap<string, string>): { headers: Record<string, string>; upload: AsyncIterable<Buffer> } {
    const boundary = `form-${randomUUID()}`;
    const { fields: known, file } = this.parts;
    const kept = known.map(([name, value]): Field => [name, fields.get(name) ?? value]);
    const added = [...fields].filter(([name]) => this.parts.field(name) === undefined);
    const head = Buffer.concat([
      ...[...kept, ...added].map((field) => fieldBytes(boundary, field)),
      fileHead(boundary, file),
    ]);
    const end = Buffer.from(`\r\n--${boundary}--\r\n`);
    const length = head.length + this.bytes + end.length;
    return {
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...(this.isComplete && { 'content-length': String(length) }),
      },
      upload: this.isComplete
        ? this.whole(head, end)
        : this.live(boundary, { head, end, known: known.length, replaced: fields }),
    };
  }

  file(): { headers: Record<string, string>; upload: AsyncIterable<Buffer> } {
    const mimeType = this.parts.file?.mimeType.replaceAll(/[\r\n]/g, '') || 'application/octet-stream';
    return {
      headers: { 'content-type': mimeType, ...(this.isComplete && { 'content-length': String(this.bytes) }) },
      upload: this.fileOnly(),
    };
  }

  private async *fileOnly(): AsyncGenerator<Buffer> {
    yield* this.fileChunks();
    await this.parts.untilFinished();
    this.pass();
  }

  /** What is here of the file, and then what comes. */
  private async *fileChunks(): AsyncGenerator<Buffer> {
    for (let at = 0; ; at += 1) {
      while (at === this.dropped + this.chunks.length && !this.hasWholeFile) await this.fill();
      const chunk = this.chunks[at - this.dropped];
      if (!chunk) break;
      yield chunk;
      if (this.bytes > REPLAY_BYTES) this.dropUntil(at + 1);
    }
  }

  private async *whole(head: Buffer, end: Buffer): AsyncGenerator<Buffer> {
    this.pass();
    yield head;
    yield* this.chunks;
    yield end;
  }

  /** What is here, and then what comes. Fields that come behind the file go behind it. */
  private async *live(boundary: string, { head, end, known, replaced }: LiveParts): AsyncGenerator<Buffer> {
    yield head;
    yield* this.fileChunks();
    await this.parts.untilFinished();
    this.pass();
    // But for those that went out with our own values.
    for (const field of this.parts.fields.slice(known).filter(([name]) => !replaced.has(name)))
      yield Buffer.concat([Buffer.from('\r\n'), fieldBytes(boundary, field).subarray(0, -2)]);
    yield end;
  }

  /** All of them, because some may have come after those were looked at that were known. */
  private pass(): void {
    try {
      this.check(this.fields);
    } catch (error) {
      if (error instanceof Refusal) this.refused = error;
      throw error;
    }
  }

  private dropUntil(end: number): void {
    for (; this.dropped < end; this.dropped += 1) this.claim.give(this.chunks.shift()?.length ?? 0);
  }

  /** One more chunk of the file, or its end. Whoever asks meanwhile waits for the same one. */
  private fill(): Promise<void> {
    this.filling ??= this.readOn().finally(() => {
      this.filling = undefined;
    });
    return this.filling;
  }

  private async readOn(): Promise<void> {
    const chunk = await this.parts.nextChunk();
    if (!chunk) {
      this.hasWholeFile = true;
      return;
    }
    if (this.bytes === 0) this.head = chunk;
    this.bytes += chunk.length;
    this.chunks.push(chunk);
  }
}
