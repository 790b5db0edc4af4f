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
  /** The handler of the member that has the partition now. */
  handle: (records: readonly ReadRecord[]) => Promise<void>;
  /** Bounds how many partitions of a group are handled at once. */
  turn: <T>(work: () => Promise<T>) => Promise<T>;
  mayDeliver: () => boolean;
}

const MAX_RECORDS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Reads one partition for one group: a batch at a time, in order, committed after its handler resolved. */
export class PartitionReader {
  /** The next offset to be read; undefined until asked from the table. */
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

  /** Records that were just committed, in order and up to the end of the partition: they need not be read from the table. */
  offer(records: readonly ReadRecord[]): void {
    this.fresh.add(records);
    const last = records.at(-1);
    if (last) this.reach(last.offset + 1n);
  }

  /** Tells that the partition goes up to `end` now. */
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
        // What is committed is asked again: the commit may have arrived although its answer did not.
        this.position = undefined;
        await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  private async sleep(): Promise<void> {
    if (!this.stopped) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Once per streak: an outage would fill the log otherwise. */
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

  /** Reads and handles one batch; answers how many records that was. */
  private async step(): Promise<number> {
    if (this.stopped) return 0;
    if (!this.options.mayDeliver()) throw new Error('another process owns the event log now');
    const { end } = this;
    const fresh = this.fresh.take(this.position ?? -1n, MAX_RECORDS);
    const records = fresh.length > 0 ? fresh : await this.read();
    const last = records.at(-1);
    if (!last) {
      // Nothing there although the end said so: retention took it before this group was known. What came meanwhile is still to be read.
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
