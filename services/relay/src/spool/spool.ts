import { Injectable } from '@nestjs/common';
import { type EventEnvelope, mostRecovered } from '@tollgate/contracts';
import { AppError, Clock, Host, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import { nothing } from '../call/nothing.js';
import { encodeFrame, FrameKind } from './frames.js';
import { withinSize } from './leftover.js';
import { type OpenRecord, type ProgressRecord, recover } from './recovery.js';
import { type FrameLocation, readPayloads, type Segment, SegmentWriter } from './segment-writer.js';
import type { SpoolFolder } from './spool-folder.js';
import { SpoolFolders } from './spool-folders.js';

/**
 * Payloads of records that wait to be sent are kept in memory up to this many characters; further ones only on disk.
 */
const MAX_PAYLOAD_CHARACTERS = 16 * 1024 * 1024;
/** How long requests are refused after a failed write before the disk is tried again, in milliseconds. */
const WRITE_PAUSE_MS = 1000;

/** A closed record on its way to the journal. Very many of them may wait, so each is one small object. */
export interface Pending {
  readonly id: string;
  readonly key: string;
  readonly since: number;
  /** When the record was last appended to the event log, in monotonic milliseconds. */
  sentAt: number;
  /** `undefined` when the record is not on disk in this form; the payload then stays in memory. */
  readonly location: FrameLocation | undefined;
  payload: string | undefined;
  /** Without a location: the segments from which a recovery could rebuild the record. */
  readonly sources: ReadonlySet<Segment> | undefined;
}

const none: ReadonlySet<Segment> = new Set();

/**
 * The relay's outbox: files on local disk, one folder per process. A record is written before the client sees what it
 * records. A segment is deleted when everything in it is booked, not already when it was sent. A folder whose process
 * died is adopted by another process.
 */
@Injectable()
export class Spool {
  /** Closed records that are not in the event log yet, oldest first. */
  readonly unsent: Pending[] = [];
  /** The segments with the records of running requests, by request id. */
  private readonly running = new Map<string, ReadonlySet<Segment>>();
  /** Number of closed records that are not booked yet. */
  private unbooked = 0;
  private readonly folders: SpoolFolders;
  private writer: SegmentWriter | undefined;
  /**
   * Own epochs under which nothing runs any more, each with the last record closed by then until that is in the event
   * log.
   */
  private readonly ended = new Map<string, Pending | undefined>();
  private payloadCharacters = 0;
  private pausedUntil = -Infinity;
  private readonly limitBytes: number;
  private onClosed: () => void = nothing;

  constructor(
    host: Host,
    private readonly clock: Clock,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.folders = new SpoolFolders(host.dataDir);
    this.limitBytes = host.env.TOLLGATE_SPOOL_LIMIT_MB * 1024 * 1024;
    const bytes = metrics.gauge(
      'tollgate_relay_spool_bytes',
      'Bytes of segments that hold an unbooked record, or may still get one.',
    );
    metrics.reading(
      'tollgate_relay_spool_limit_bytes',
      'What they may come to before calls are refused.',
      () => this.limitBytes,
    );
    const requests = metrics.gauge(
      'tollgate_relay_spool_requests',
      'Requests whose record is on disk and not booked yet, running ones included.',
    );
    const measure = setInterval(() => {
      bytes.set(this.bytes);
      requests.set(this.running.size + this.unbooked);
    }, 1000);
    measure.unref();
    lifecycle.onDrain(() => clearInterval(measure));
  }

  /** Locks a folder and recovers what a dead process left in it. Call it before the first request. */
  async open(): Promise<void> {
    const own = this.folders.openOwn();
    this.writer = new SegmentWriter(own.path, own.nextNumber, {
      opened: (segment) => own.segments.add(segment),
      sealed: (segment) => this.drop(segment),
    });
    await this.recoverFrom(own);
  }

  /** Adopts folders whose processes died after this one started. */
  async adopt(): Promise<void> {
    this.folders.releaseSpent();
    let failure: unknown;
    for (const folder of this.folders.adopt()) {
      try {
        await this.recoverFrom(folder);
      } catch (error) {
        failure ??= error;
        this.folders.leaveUnread(folder);
      }
      this.folders.releaseSpent();
    }
    if (failure !== undefined) throw failure;
  }

  /** Notes an epoch under which requests may be recorded from now on. */
  noteEpoch(epoch: string): void {
    this.folders.noteEpoch(epoch);
  }

  /** Nothing is recorded under this epoch of the process any more. */
  endEpoch(epoch: string): void {
    this.ended.set(epoch, this.unsent.at(-1));
  }

  /** Epochs that are over, of dead processes and of this one, whose records are all in the event log. */
  finishedEpochs(): string[] {
    const own = [...this.ended].flatMap(([epoch, last]) => (last ? [] : [epoch]));
    const past = this.folders.all.flatMap(({ isRead, awaited, pastEpochs }) =>
      isRead && awaited.size === 0 ? pastEpochs : [],
    );
    return [...own, ...past].slice(0, mostRecovered);
  }

  forgetEpochs(epochs: readonly string[]): void {
    if (epochs.length === 0) return;
    this.folders.forgetEpochs(new Set(epochs));
    for (const epoch of epochs) this.ended.delete(epoch);
  }

  /** The listener is called whenever a record is ready to be sent. */
  whenClosed(listener: () => void): void {
    this.onClosed = listener;
  }

  get bytes(): number {
    let sum = 0;
    for (const { segments } of this.folders.all) for (const { bytes } of segments) sum += bytes;
    return sum;
  }

  /** Throws while too many bytes wait to be booked, or the disk takes no writes. */
  assertRoom(): void {
    if (this.clock.monotonic() < this.pausedUntil || this.bytes > this.limitBytes) throw full();
  }

  async start(record: OpenRecord): Promise<void> {
    const { segment } = await this.write(FrameKind.open, JSON.stringify(record));
    this.keep(record.id, segment);
  }

  /**
   * Writes the progress of a running request. `whole` builds its complete current record; that is written when the
   * records of the request would otherwise lie in two segments. So a request of hours keeps only one segment from being
   * deleted, not all that were written meanwhile.
   */
  async progress(record: ProgressRecord, whole: () => OpenRecord): Promise<void> {
    const { segment } = await this.write(FrameKind.progress, JSON.stringify(record));
    const kept = this.running.get(record.id);
    if (!kept || kept.has(segment)) return;
    const location = await this.write(FrameKind.open, JSON.stringify(whole()));
    if (this.running.has(record.id)) this.keep(record.id, location.segment);
  }

  /** Resolves when the record is on disk; only then may the client see the end of its answer. */
  async close(event: EventEnvelope): Promise<void> {
    const payload = JSON.stringify(event);
    const location = await this.write(FrameKind.close, payload);
    location.segment.records += 1;
    this.push(event, payload, location);
    this.release(this.takeRunning(event.id));
  }

  /**
   * For a request whose client already got something: its record is sent to the event log even when the disk does not
   * take it. If the process dies before that, recovery still finds the record from before the first byte.
   */
  async closeAnyway(event: EventEnvelope): Promise<void> {
    try {
      await this.close(event);
    } catch (error) {
      this.logger.error('a record could not be written to the spool', { error, requestId: event.id });
      this.push(event, JSON.stringify(event), undefined, this.takeRunning(event.id));
    }
  }

  /** The records of the batch that a dead process left behind. */
  recoveredOf(batch: readonly Pending[]): Pending[] {
    const folders = this.folders.all.filter(({ awaited }) => awaited.size > 0);
    return folders.length === 0 ? [] : batch.filter(({ id }) => folders.some(({ awaited }) => awaited.has(id)));
  }

  /** The payloads to append to the event log, in the order of the records. */
  async payloadsOf(batch: readonly Pending[]): Promise<string[]> {
    const onDisk = batch.flatMap(({ payload, location }) => (payload === undefined && location ? [location] : []));
    const read = onDisk.length === 0 ? [] : await readPayloads(onDisk);
    return batch.map(({ payload }) => withinSize(payload ?? read.shift() ?? ''));
  }

  /** The first `count` unsent records are in the event log now. */
  sent(count: number): Pending[] {
    const batch = this.unsent.splice(0, count);
    const sentAt = this.clock.monotonic();
    for (const [epoch, last] of this.ended) if (last && batch.includes(last)) this.ended.set(epoch, undefined);
    for (const pending of batch) {
      pending.sentAt = sentAt;
      for (const { awaited } of this.folders.all) awaited.delete(pending.id);
      if (!pending.location || pending.payload === undefined) continue;
      this.payloadCharacters -= pending.payload.length;
      pending.payload = undefined;
    }
    return batch;
  }

  /** These records are booked; deletes segments without an unbooked record. */
  booked(records: readonly Pending[]): void {
    this.unbooked -= records.length;
    for (const { location, sources } of records) {
      if (location) this.letGo(location.segment);
      else if (sources) this.release(sources);
    }
    this.folders.releaseSpent();
  }

  async shut(): Promise<void> {
    await this.writer?.close();
    for (const folder of this.folders.all) folder.release();
  }

  private async recoverFrom(folder: SpoolFolder): Promise<void> {
    const { closed, interrupted } = await recover(folder.read());
    folder.isRead = true;
    const since = this.clock.monotonic();
    for (const [id, { key, location }] of closed) {
      location.segment.records += 1;
      folder.awaited.add(id);
      this.unsent.push({ id, key, since, sentAt: since, location, payload: undefined, sources: undefined });
    }
    for (const [id, { event, segments: sources }] of interrupted) {
      for (const segment of sources) segment.records += 1;
      folder.awaited.add(id);
      const payload = JSON.stringify(event);
      this.unsent.push({ id, key: event.subject, since, sentAt: since, location: undefined, payload, sources });
    }
    this.unbooked += closed.size + interrupted.size;
    for (const segment of [...folder.segments]) this.drop(segment);
    if (closed.size + interrupted.size === 0) return;
    this.logger.info('spool recovered', { folder: folder.path, records: closed.size, interrupted: interrupted.size });
    this.onClosed();
  }

  private push(
    { id, subject }: EventEnvelope,
    payload: string,
    location: FrameLocation | undefined,
    sources?: ReadonlySet<Segment>,
  ): void {
    const inMemory = location === undefined || this.payloadCharacters < MAX_PAYLOAD_CHARACTERS;
    if (location && inMemory) this.payloadCharacters += payload.length;
    const since = this.clock.monotonic();
    this.unbooked += 1;
    this.unsent.push({
      id,
      key: subject,
      since,
      sentAt: since,
      location,
      payload: inMemory ? payload : undefined,
      sources,
    });
    this.onClosed();
  }

  private write(kind: FrameKind, payload: string): Promise<FrameLocation> {
    if (!this.writer) throw new AppError('unavailable', 'spool-closed', '系统正在停止，请稍后重试', { retryAfter: 5 });
    return this.writer.append(encodeFrame(kind, payload)).catch((error: unknown) => {
      this.pausedUntil = this.clock.monotonic() + WRITE_PAUSE_MS;
      throw full(error);
    });
  }

  /** The newest record of a running request replaces the earlier ones, whose segments may be deleted. */
  private keep(id: string, segment: Segment): void {
    const earlier = this.running.get(id) ?? none;
    segment.records += 1;
    this.running.set(id, new Set([segment]));
    this.release(earlier);
  }

  private takeRunning(id: string): ReadonlySet<Segment> {
    const segments = this.running.get(id);
    if (!segments) return none;
    this.running.delete(id);
    return segments;
  }

  private release(segments: ReadonlySet<Segment>): void {
    for (const segment of segments) this.letGo(segment);
  }

  private letGo(segment: Segment): void {
    segment.records -= 1;
    this.drop(segment);
  }

  private drop(segment: Segment): void {
    if (segment.sealed && segment.records <= 0) this.folders.remove(segment);
  }
}

const full = (cause?: unknown): AppError =>
  new AppError('unavailable', 'spool-full', '系统繁忙，请稍后重试', { retryAfter: 5, cause });
