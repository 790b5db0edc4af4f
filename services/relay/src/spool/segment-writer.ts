import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeFrames } from './frames.js';

const SEGMENT_BYTES = 16 * 1024 * 1024;
const FSYNC_MS = 20;
/** After a write that blocked for `STALL_MS`, writes go through another thread for `WRITE_ASIDE_MS`. */
const STALL_MS = 5;
const WRITE_ASIDE_MS = 1000;

export interface Segment {
  readonly path: string;
  bytes: number;
  /** Whether the segment is complete and closed. */
  sealed: boolean;
  /** How many unbooked requests have their newest record in this segment. */
  records: number;
}

/** The position of a frame on disk, so that its payload need not be kept in memory. */
export interface FrameLocation {
  readonly segment: Segment;
  readonly offset: number;
  readonly size: number;
}

interface Waiting {
  frame: Buffer;
  resolve(location: FrameLocation): void;
  reject(error: unknown): void;
}

interface Target {
  handle: FileHandle;
  segment: Segment;
}

const segmentName = (number: number): string => `${String(number).padStart(8, '0')}.seg`;

interface SegmentWriterOptions {
  segmentBytes?: number;
  /** Appends all bytes to the file before it returns; throws otherwise. */
  write?(handle: FileHandle, bytes: Buffer): void;
  /** The same on another thread. */
  writeAside?(handle: FileHandle, bytes: Buffer): Promise<void>;
}

function writeWhole({ fd }: FileHandle, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

const append = (handle: FileHandle, bytes: Buffer): Promise<void> => handle.appendFile(bytes);

/**
 * Appends frames with group commit: all frames of one turn of the event loop are written in one call. Normally that
 * call is synchronous: it only copies into the kernel's memory, which costs less than handing the bytes to another
 * thread. During a flush the file system may block writers, so then another thread writes, and frames that arrive
 * meanwhile form the next batch. A resolved append survives the death of the process. Power loss may take what was
 * written since the last fsync began, that is for the duration of that fsync and 20 ms more. A rejected append leaves
 * no bytes behind that a recovery could take for a record.
 */
export class SegmentWriter {
  private waiting: Waiting[] = [];
  private writing = false;
  private target: Target | undefined;
  private closed = false;
  private writeAsideUntil = -Infinity;
  private readonly segmentBytes: number;
  private readonly writeNow: (handle: FileHandle, bytes: Buffer) => void;
  private readonly writeAside: (handle: FileHandle, bytes: Buffer) => Promise<void>;
  private flusher: NodeJS.Timeout | undefined;
  private dirty = false;
  /** Flushes in progress: of the current segment, and of full ones. */
  private flushes = 0;
  /** Resolves when all full segments are flushed and closed. */
  private sealing: Promise<void> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private next: number,
    private readonly listener: { opened(segment: Segment): void; sealed(segment: Segment): void },
    { segmentBytes = SEGMENT_BYTES, write = writeWhole, writeAside = append }: SegmentWriterOptions = {},
  ) {
    this.segmentBytes = segmentBytes;
    this.writeNow = write;
    this.writeAside = writeAside;
  }

  /** Resolves once the frame is written. */
  append(frame: Buffer): Promise<FrameLocation> {
    if (this.closed) return Promise.reject(new Error('the spool is closed'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ frame, resolve, reject });
      if (this.writing) return;
      this.writing = true;
      setImmediate(() => void this.write());
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.flusher);
    while (this.writing || this.waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
    this.sealTarget();
    await this.sealing;
  }

  private async write(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    try {
      await this.writeBatch(batch);
    } catch (error) {
      await this.discardTail();
      for (const { reject } of batch) reject(error);
    }
    if (this.waiting.length > 0) setImmediate(() => void this.write());
    else this.writing = false;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<void> {
    const target = this.target && this.target.segment.bytes < this.segmentBytes ? this.target : await this.nextTarget();
    const { handle, segment } = target;
    const bytes = batch.length === 1 && batch[0] ? batch[0].frame : Buffer.concat(batch.map(({ frame }) => frame));
    if (this.flushes > 0 || performance.now() < this.writeAsideUntil) await this.writeAside(handle, bytes);
    else this.writeHere(handle, bytes);
    this.flushSoon();
    for (const { frame, resolve } of batch) {
      resolve({ segment, offset: segment.bytes, size: frame.length });
      segment.bytes += frame.length;
    }
  }

  private writeHere(handle: FileHandle, bytes: Buffer): void {
    const startedAt = performance.now();
    this.writeNow(handle, bytes);
    const endedAt = performance.now();
    if (endedAt - startedAt > STALL_MS) this.writeAsideUntil = endedAt + WRITE_ASIDE_MS;
  }

  /**
   * Removes a partly written batch. A full disk may take only a part, and frames behind that part could not be read.
   */
  private async discardTail(): Promise<void> {
    if (!this.target) return;
    const { handle, segment } = this.target;
    await handle.truncate(segment.bytes).catch(() => this.sealTarget());
  }

  private async nextTarget(): Promise<Target> {
    this.sealTarget();
    const path = join(this.folder, segmentName(this.next));
    this.next += 1;
    const handle = await open(path, 'ax', 0o600);
    const segment = { path, bytes: 0, sealed: false, records: 0 };
    this.target = { handle, segment };
    this.listener.opened(segment);
    return this.target;
  }

  /** Closes the current segment in the background, so that writes to the next one do not wait for the flush. */
  private sealTarget(): void {
    const { target } = this;
    if (!target) return;
    this.target = undefined;
    this.sealing = this.sealing.then(() => this.seal(target));
  }

  private async seal({ handle, segment }: Target): Promise<void> {
    // A flush that fails is ignored: the bytes are written, and only power loss could take them.
    await this.flush(handle);
    await handle.close().catch(() => undefined);
    segment.sealed = true;
    this.listener.sealed(segment);
  }

  /**
   * Flushes 20 ms after the first write since the last flush; a write during a flush is flushed 20 ms after that ends.
   */
  private flushSoon(): void {
    this.dirty = true;
    this.flusher ??= setTimeout(() => void this.fsync(), FSYNC_MS).unref();
  }

  /** Only one flush runs at a time: with a slow disk, several would block all threads of Node's pool. */
  private async fsync(): Promise<void> {
    this.dirty = false;
    // Never rejects. A failing disk shows at the next append; here it must not end the process.
    if (this.target) await this.flush(this.target.handle);
    this.flusher = undefined;
    if (this.dirty && !this.closed) this.flushSoon();
  }

  private async flush(handle: FileHandle): Promise<void> {
    this.flushes += 1;
    await handle.datasync().catch(() => undefined);
    this.flushes -= 1;
  }
}

/** Adjacent frames of a segment, which are read together. */
interface Run {
  segment: Segment;
  offset: number;
  size: number;
}

const MAX_RUN_BYTES = 4 * 1024 * 1024;

/** Merges adjacent locations: records are written in sequence, so those of a batch are mostly contiguous. */
function runsOf(locations: readonly FrameLocation[]): Run[] {
  const runs: Run[] = [];
  for (const { segment, offset, size } of locations) {
    const last = runs.at(-1);
    const isNext = last?.segment === segment && last.offset + last.size === offset;
    if (last && isNext && last.size + size <= MAX_RUN_BYTES) last.size += size;
    else runs.push({ segment, offset, size });
  }
  return runs;
}

/** The payloads at the given locations, in that order; each file is opened once. */
export async function readPayloads(locations: readonly FrameLocation[]): Promise<string[]> {
  const handles = new Map<Segment, FileHandle>();
  try {
    const payloads: string[] = [];
    for (const { segment, offset, size } of runsOf(locations)) {
      const handle = handles.get(segment) ?? (await open(segment.path, 'r'));
      handles.set(segment, handle);
      const { buffer } = await handle.read(Buffer.allocUnsafe(size), 0, size, offset);
      const { frames, validBytes } = decodeFrames(buffer);
      if (validBytes !== size) throw new Error(`no record at ${offset + validBytes} of ${segment.path}`);
      for (const { payload } of frames) payloads.push(payload);
    }
    return payloads;
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
}
