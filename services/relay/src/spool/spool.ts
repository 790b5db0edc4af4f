import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '@tollgate/contracts';
import { AppError, Host, Lifecycle, Logger, Metrics } from '@tollgate/platform';
import { encodeFrame, FrameKind } from './frames.js';
import { type FolderLock, lockFolder } from './folder-lock.js';
import { type OpenRecord, type ProgressRecord, recover } from './recovery.js';
import { type Segment, SegmentWriter } from './segment-writer.js';

const SEGMENT_FILE = /^(\d{8})\.seg$/;
const MAX_FOLDERS = 1024;
/** Lease epochs whose records may be in the folder, one a line: their leases end once those records are in the log. */
const EPOCHS_FILE = 'epochs';

/** A closed record on its way to the journal. */
export interface Pending {
  event: EventEnvelope;
  segment: Segment;
}

interface Kept {
  segment: Segment;
  /** Ids with a record in the segment that are not booked, and running requests that opened in it. */
  ids: Set<string>;
}

/**
 * The relay's outbox: files on local disk, one folder per process. A record is written before the client sees what it is
 * about; a segment is deleted when everything in it is booked, not already when it was sent. A folder whose process died is
 * adopted by the next one that looks.
 */
@Injectable()
export class Spool {
  /** Closed records that the log does not have yet, oldest first. */
  readonly unsent: Pending[] = [];
  private readonly kept = new Map<number, Kept>();
  private readonly segmentOf = new Map<string, Set<number>>();
  private writer: SegmentWriter | undefined;
  private lock: FolderLock | undefined;
  private readonly limitBytes: number;
  private onClosed: () => void = () => undefined;
  private folder: string | undefined;
  private ownEpochs: string[] = [];
  private adoptedEpochs: string[] = [];
  private readonly recovered = new Set<string>();

  constructor(
    private readonly host: Host,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.limitBytes = host.env.TOLLGATE_SPOOL_LIMIT_MB * 1024 * 1024;
    const depth = metrics.gauge('tollgate_relay_spool_bytes', 'Bytes of unbooked records on disk.');
    depth.set(0);
    const measure = setInterval(() => depth.set(this.bytes), 1000);
    measure.unref();
    lifecycle.onDrain(() => clearInterval(measure));
  }

  /** Takes a folder and what a dead process left in it. Before the first request. */
  async open(): Promise<void> {
    const folder = await this.takeFolder();
    this.folder = folder;
    const files = segmentsIn(folder);
    this.adoptedEpochs = epochsIn(folder);
    this.writeEpochs();
    const { events, interrupted } = recover(files.map(({ path }) => readFileSync(path)));
    const last = files.at(-1)?.number ?? 0;
    this.writer = new SegmentWriter(folder, last + 1, (segment) => this.drop(segment.number));
    // Recovered records are written anew as closed, so that the next recovery finds one truth; then the old files can go.
    for (const event of events.values()) {
      this.recovered.add(event.id);
      await this.close(event);
    }
    for (const { path } of files) rmSync(path, { force: true });
    if (events.size > 0) this.logger.info('spool recovered', { records: events.size, interrupted });
  }

  /** An epoch under which requests may be recorded from now on. */
  noteEpoch(epoch: string): void {
    this.ownEpochs = [...this.ownEpochs, epoch];
    if (this.folder !== undefined) this.writeEpochs();
  }

  /** Epochs of dead processes whose records are all in the log. */
  finishedEpochs(): string[] {
    const waiting = this.unsent.some(({ event }) => this.recovered.has(event.id));
    return waiting ? [] : this.adoptedEpochs;
  }

  forgetEpochs(epochs: readonly string[]): void {
    if (epochs.length === 0) return;
    this.adoptedEpochs = this.adoptedEpochs.filter((epoch) => !epochs.includes(epoch));
    this.writeEpochs();
  }

  /** Told whenever a record is ready to be sent. */
  whenClosed(listener: () => void): void {
    this.onClosed = listener;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { segment } of this.kept.values()) bytes += segment.bytes;
    return bytes;
  }

  /** New requests are refused while too much waits to be booked. */
  assertRoom(): void {
    if (this.bytes > this.limitBytes)
      throw new AppError('unavailable', 'spool-full', '系统繁忙，请稍后重试', { retryAfter: 5 });
  }

  async start(record: OpenRecord): Promise<void> {
    await this.write(record.id, FrameKind.open, JSON.stringify(record));
  }

  async progress(record: ProgressRecord): Promise<void> {
    await this.write(record.id, FrameKind.progress, JSON.stringify(record));
  }

  /** Resolves when the record is on disk; only then may the client see the end. */
  async close(event: EventEnvelope): Promise<void> {
    const segment = await this.write(event.id, FrameKind.close, JSON.stringify(event));
    this.unsent.push({ event, segment });
    this.onClosed();
  }

  /** Segments without an unbooked record go. */
  booked(ids: readonly string[]): void {
    for (const id of ids) {
      for (const number of this.segmentOf.get(id) ?? []) {
        this.kept.get(number)?.ids.delete(id);
        this.drop(number);
      }
      this.segmentOf.delete(id);
    }
  }

  async shut(): Promise<void> {
    await this.writer?.close();
    if (this.unsent.length === 0)
      for (const { segment, ids } of this.kept.values()) if (ids.size === 0) rmSync(segment.path, { force: true });
    await this.lock?.release();
  }

  private async write(id: string, kind: FrameKind, payload: string): Promise<Segment> {
    if (!this.writer) throw new AppError('unavailable', 'spool-closed', '系统正在停止，请稍后重试', { retryAfter: 5 });
    const segment = await this.writer.append(encodeFrame(kind, payload));
    let kept = this.kept.get(segment.number);
    if (!kept) {
      kept = { segment, ids: new Set() };
      this.kept.set(segment.number, kept);
    }
    kept.ids.add(id);
    const numbers = this.segmentOf.get(id) ?? new Set();
    numbers.add(segment.number);
    this.segmentOf.set(id, numbers);
    return segment;
  }

  private drop(number: number): void {
    const kept = this.kept.get(number);
    if (!kept?.segment.sealed || kept.ids.size > 0) return;
    this.kept.delete(number);
    rmSync(kept.segment.path, { force: true });
  }

  private writeEpochs(): void {
    if (this.folder === undefined) return;
    const path = join(this.folder, EPOCHS_FILE);
    writeFileSync(`${path}.new`, [...this.adoptedEpochs, ...this.ownEpochs].join('\n'), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** The first folder nobody alive has: a dead process's before a new one, so that nothing stays behind. */
  private async takeFolder(): Promise<string> {
    const root = join(this.host.dataDir, 'spool');
    for (let slot = 0; slot < MAX_FOLDERS; slot += 1) {
      const folder = join(root, String(slot));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.lock = await lockFolder(folder);
      if (this.lock) return folder;
    }
    throw new Error(`All ${MAX_FOLDERS} spool folders below ${root} are in use.`);
  }
}

function epochsIn(folder: string): string[] {
  const path = join(folder, EPOCHS_FILE);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

function segmentsIn(folder: string): { path: string; number: number }[] {
  return readdirSync(folder)
    .map((name) => ({ path: join(folder, name), number: Number(SEGMENT_FILE.exec(name)?.[1] ?? Number.NaN) }))
    .filter(({ path, number }) => Number.isInteger(number) && statSync(path).isFile())
    .sort((one, other) => one.number - other.number);
}
