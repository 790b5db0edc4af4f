import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { gather, type Logger, type ReadRecord } from '@tollgate/chassis';
import { FreshRecords } from './fresh-records.js';

interface PartitionReaderOptions {
  pool: Pool;
  log: Logger;
  group: string;
  topic: string;
  partition: number;
  /** The handler of the member that currently has the partition. */
  handle: (records: readonly ReadRecord[]) => Promise<void>;
  /** Limits how many partitions of a group are handled at once. */
  turn: <T>(work: () => Promise<T>) => Promise<T>;
  mayDeliver: () => boolean;
}

const MAX_RECORDS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Reads one partition for one group, a batch at a time and in order; commits after the handler has resolved. */
export class PartitionReader {
  /** The next offset to read; `undefined` until it was read from the table. */
  private position: bigint | undefined;
  private end = 0n;
  private stopped = false;
  private failing = false;
  private readonly fresh = new FreshRecords();
  private readonly stopping = new AbortController();
  private wake: () => void = () => undefined;
  private readonly running: Promise<void>;

  constructor(private readonly options: PartitionReaderOptions) {
    this.running = this.loop();
  }

  /**
   * Supplies records that were just committed, in order and up to the end of the partition, so that they need not be read from the table.
   */
  offer(records: readonly ReadRecord[]): void {
    this.fresh.add(records);
    const last = records.at(-1);
    if (last) this.reach(last.offset + 1n);
  }

  /** Announces that the partition now ends at `end`. */
  reach(end: bigint): void {
    if (end <= this.end) return;
    this.end = end;
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private get idle(): boolean {
    return this.position !== undefined && this.position >= this.end;
  }

  private async loop(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.stopped) {
      try {
        this.position ??= await this.committed();
        if (this.idle) await this.sleep();
        else await this.take();
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        this.complain(error);
        // Read the committed offset again: the commit may have succeeded although its reply was lost.
        this.position = undefined;
        await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  private async sleep(): Promise<void> {
    if (!this.stopped) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Logs only the first of consecutive failures, because an outage would otherwise flood the log. */
  private complain(error: unknown): void {
    const { log, group, topic, partition } = this.options;
    if (!this.failing && !this.stopped)
      log.warn(`${group} cannot take records of ${topic}, will go on trying`, { error, partition });
    this.failing = true;
  }

  private async take(): Promise<void> {
    const startedAt = performance.now();
    const size = await this.options.turn(() => this.step());
    await gather({ startedAt, size, full: MAX_RECORDS }, this.stopping.signal);
  }

  /** Reads and handles one batch; returns its number of records. */
  private async step(): Promise<number> {
    if (this.stopped) return 0;
    if (!this.options.mayDeliver()) throw new Error('another process owns the event log now');
    const { end } = this;
    const fresh = this.fresh.take(this.position ?? -1n, MAX_RECORDS);
    const records = fresh.length > 0 ? fresh : await this.read();
    const last = records.at(-1);
    if (!last) {
      // No records although the end promised some: retention removed them before this group was registered. Records that arrived meanwhile
      // are read next.
      this.position = end;
      return 0;
    }
    await this.options.handle(records);
    await this.commit(last.offset + 1n);
    if (this.failing) this.options.log.info(`${this.options.group} takes records of ${this.options.topic} again`);
    this.failing = false;
    return records.length;
  }

  private async committed(): Promise<bigint> {
    const { pool, group, topic, partition } = this.options;
    const { rows } = await pool.query<{ next: string }>(
      'select next from committed_offset where consumer_group = $1 and topic = $2 and partition = $3',
      [group, topic, partition],
    );
    return BigInt(rows[0]?.next ?? 0);
  }

  private async read(): Promise<ReadRecord[]> {
    const { pool, topic, partition } = this.options;
    const { rows } = await pool.query<{ record_offset: string; key: string; value: string }>({
      name: 'event-log-read',
      text: 'select record_offset, key, value from record where topic = $1 and partition = $2 and record_offset >= $3 order by record_offset limit $4',
      values: [topic, partition, this.position, MAX_RECORDS],
    });
    let bytes = 0;
    const cut = rows.findIndex((row) => (bytes += row.value.length) > MAX_BYTES);
    const taken = cut > 0 ? rows.slice(0, cut) : rows.slice(0, cut === 0 ? 1 : rows.length);
    return taken.map((row) => ({
      topic,
      partition,
      offset: BigInt(row.record_offset),
      key: row.key,
      value: row.value,
    }));
  }

  private async commit(next: bigint): Promise<void> {
    const { pool, group, topic, partition } = this.options;
    await pool.query({
      name: 'event-log-commit',
      text: `insert into committed_offset (consumer_group, topic, partition, next) values ($1, $2, $3, $4)
             on conflict (consumer_group, topic, partition) do update set next = excluded.next`,
      values: [group, topic, partition, next],
    });
    this.position = next;
  }
}
