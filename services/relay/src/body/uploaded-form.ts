import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { JsonObject } from '@tollgate/providers';
import { nothing } from '../call/nothing.js';
import { Refusal } from '../call/refusal.js';
import type { PassingForm } from '../call/relay-call.js';
import type { ByteClaim } from './byte-budget.js';
import { editedFields, fieldBytes, type FormEdits, fileHead } from './form-bytes.js';
import { type FormBounds, FormParts, invalidForm } from './form-parts.js';

/** A form whose stated size is at most this many bytes is read completely before it is forwarded. */
const SMALL = 1024 * 1024;
/** Bytes of a forwarded file that are kept so that another channel can be tried. */
const REPLAY_BYTES = 4 * 1024 * 1024;

interface LiveParts {
  head: Buffer;
  end: Buffer;
  /** How many fields were written into `head`. */
  known: number;
  /** Fields that replace the client's in `head`, were added there or are left out. */
  replaced: FormEdits;
}

/**
 * A form with a file that is forwarded while it arrives. The file is read only as fast as it is forwarded, unless
 * fields that routing needs come after it. The claim counts everything of it that is in memory.
 */
export class UploadedForm implements PassingForm {
  private readonly parts: FormParts;
  private readonly chunks: Buffer[] = [];
  /** Chunks that were freed after they were sent. */
  private dropped = 0;
  private hasWholeFile = false;
  private filling: Promise<void> | undefined;
  private bytes = 0;
  private check: (fields: JsonObject) => void = nothing;
  private refused: Refusal | undefined;
  /** The first bytes of the file, by which its format is recognized. */
  head: Buffer = Buffer.alloc(0);

  constructor(
    request: IncomingMessage,
    private readonly bounds: FormBounds,
    private readonly claim: ByteClaim,
  ) {
    this.parts = new FormParts(request, bounds, claim);
  }

  /** Why the form cannot be read further; the request is refused with it. */
  get failure(): Refusal | undefined {
    return this.parts.failure ?? this.refused;
  }

  /** Upper bound for the size of the file in bytes; the exact size once the file is complete. */
  get mostBytes(): number {
    const stated = this.parts.isPacked ? 0 : this.parts.statedBytes;
    return this.hasWholeFile ? this.bytes : stated || this.bounds.maxBytes;
  }

  /** Whether the whole form was received; until then the length of the sound is unknown. */
  get isComplete(): boolean {
    return this.hasWholeFile && this.parts.isFinished;
  }

  /** Whether the form can be sent a second time, to another channel. */
  get isReplayable(): boolean {
    return this.dropped === 0 && !this.failure;
  }

  /** The whole file, where it was received completely and kept. */
  get kept(): Buffer | undefined {
    return this.isComplete && this.dropped === 0 ? Buffer.concat(this.chunks) : undefined;
  }

  /** The fields received so far, by name. */
  get fields(): Record<string, string> {
    return Object.fromEntries(this.parts.fields);
  }

  guard(check: (fields: JsonObject) => void): void {
    this.check = check;
  }

  /**
   * Reads until this field and the beginning of the file, or the whole form, were received. Throws the refusal of the
   * first fault; that there is no file is a `failure` of the form.
   */
  async untilField(name: string): Promise<void> {
    const { parts } = this;
    await parts.untilFile();
    if (!parts.file) {
      this.refused = invalidForm('field file is required');
      return;
    }
    await this.fill();
    const isLarge = parts.statedBytes === 0 || parts.statedBytes > SMALL;
    if (isLarge && !parts.isPacked && parts.field(name) !== undefined) return;
    while (!this.hasWholeFile) await this.fill();
    await parts.untilFinished();
  }

  /** A digest of all fields and the file. Call it before the form is forwarded. */
  async digest(): Promise<Buffer> {
    while (!this.hasWholeFile) await this.fill();
    await this.parts.untilFinished();
    const hash = createHash('sha256').update(JSON.stringify([this.parts.fields, this.parts.file]));
    for (const chunk of this.chunks) hash.update(chunk);
    return hash.digest();
  }

  with(fields: FormEdits): { headers: Record<string, string>; upload: AsyncIterable<Buffer> } {
    const boundary = `form-${randomUUID()}`;
    const { fields: known, file } = this.parts;
    const head = Buffer.concat([
      ...editedFields(known, fields).map((field) => fieldBytes(boundary, field)),
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

  /** Yields the chunks of the file that were received, then those that still arrive. */
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

  /**
   * Yields the received part of the form, then the rest as it arrives. Fields that came after the file are sent after
   * the file.
   */
  private async *live(boundary: string, { head, end, known, replaced }: LiveParts): AsyncGenerator<Buffer> {
    yield head;
    yield* this.fileChunks();
    await this.parts.untilFinished();
    this.pass();
    // Fields that were replaced by our own values were already sent.
    for (const field of this.parts.fields.slice(known).filter(([name]) => !replaced.has(name)))
      yield Buffer.concat([Buffer.from('\r\n'), fieldBytes(boundary, field).subarray(0, -2)]);
    yield end;
  }

  /** Checks all fields, because some may have arrived after the earlier check. */
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

  /** Reads one more chunk of the file, or its end. Concurrent callers share the same read. */
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
