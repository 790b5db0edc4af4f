import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

export const SEGMENT_BYTES = 16 * 1024 * 1024;
const FSYNC_MS = 20;

export interface Segment {
  readonly path: string;
  readonly number: number;
  bytes: number;
  sealed: boolean;
}

interface Waiting {
  frame: Buffer;
  resolve(segment: Segment): void;
  reject(error: unknown): void;
}

export const segmentName = (number: number): string => `${String(number).padStart(8, '0')}.seg`;

/**
 * Appends frames with group commit: everything that arrives while a write runs goes out in the next one. A resolved append
 * survives the death of the process; power loss may take what the 20 ms between two fsyncs held.
 */
export class SegmentWriter {
  private waiting: Waiting[] = [];
  private writing = false;
  private handle: FileHandle | undefined;
  private segment: Segment | undefined;
  private dirty = false;
  private readonly flusher: NodeJS.Timeout;

  constructor(
    private readonly folder: string,
    private next: number,
    private readonly onSealed: (segment: Segment) => void,
  ) {
    this.flusher = setInterval(() => void this.fsync(), FSYNC_MS);
    this.flusher.unref();
  }

  /** Resolves with the segment that holds the frame, once it is written. */
  append(frame: Buffer): Promise<Segment> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ frame, resolve, reject });
      if (!this.writing) void this.write();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.flusher);
    while (this.writing || this.waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await this.handle?.datasync();
    await this.handle?.close();
    this.handle = undefined;
  }

  private async write(): Promise<void> {
    this.writing = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        const segment = await this.current();
        const bytes = Buffer.concat(batch.map(({ frame }) => frame));
        await this.handle?.appendFile(bytes);
        segment.bytes += bytes.length;
        this.dirty = true;
        for (const { resolve } of batch) resolve(segment);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.writing = false;
  }

  private async current(): Promise<Segment> {
    if (this.segment && this.segment.bytes < SEGMENT_BYTES) return this.segment;
    if (this.segment && this.handle) {
      await this.handle.datasync();
      await this.handle.close();
      this.segment.sealed = true;
      this.onSealed(this.segment);
    }
    const number = this.next;
    this.next += 1;
    const path = join(this.folder, segmentName(number));
    this.handle = await open(path, 'ax', 0o600);
    this.segment = { path, number, bytes: 0, sealed: false };
    return this.segment;
  }

  private async fsync(): Promise<void> {
    if (!this.dirty || this.writing) return;
    this.dirty = false;
    // A failing disk shows at the next append; the timer must not end the process.
    await this.handle?.datasync().catch(() => undefined);
  }
}
