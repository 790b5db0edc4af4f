import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { completionTokensOf, promptTokensOf, type PriceDocument, requestConsumed } from '@tollgate/contracts';
import { fromRecord, partitionOf, type StoredRecord, timeOfId } from '@tollgate/chassis';
import type { Period } from '@tollgate/database';
import { copied, CopyLines } from './copy-lines.js';
import { leanEvent } from './lean-event.js';
import type { TopicReader } from './topic-reader.js';

type Consumption = ReturnType<typeof fromRecord<typeof requestConsumed>>;

interface Repeated {
  id: string;
  /** Number of all of them, not only of the listed ones. */
  total: number;
}

/**
 * Rates an event again with the price document that it names; returns a description of the difference, or undefined if
 * the charge is the same.
 */
export type Rater = (event: Consumption, document: PriceDocument | undefined) => string | undefined;

interface ScanOptions {
  client: Client;
  read: TopicReader;
  period: Period;
  rate: Rater;
  /** Whether offsets have no gaps: true for the log in the database, false for Kafka. */
  isDense: boolean;
  /** Called with the progress. */
  reportStep?: (step: string) => void;
}

export interface Scan {
  events: number;
  /** Milliseconds since 1970; events of earlier requests may have been deleted because of their age. */
  since: number;
  /** Faults of the log itself. */
  faults: { subject: string; expected: string; found: string }[];
  /** Number of faults beyond the limit of the list. */
  unlisted: number;
  notices: string[];
}

/**
 * Temporary tables for the scan. They are created before the read-only transaction, which may fill but not create them.
 * After a replay every event may be in the log more than once, so the search for duplicates stays in the database.
 */
export const SEEN_TABLES: readonly string[] = [
  `create temp table "seen_event" ("id" uuid, "user_id" int, "token_id" int, "quota" bigint, "price_version" text,
    "replica_epoch" text, "outcome" text, "prompt" bigint, "completion" bigint, "channel_id" int, "model" text, "partition" int,
    "record_offset" bigint, "is_task" boolean, "fault" text)`,
  `create temp table "repeated_event" ("id" uuid primary key, "copies" int, "first" tid, "differs" boolean)`,
];

/** One line of text per row, columns in the order of the table. */
const FILL = 'copy pg_temp."seen_event" from stdin';
/** Rows per COPY statement. The same number is read while the database takes them, and no more are in memory. */
const ROWS = 20_000;

/** Duplicates are rare. What they contain is compared only once they are found, because comparing needs them sorted. */
const FIND_REPEATED = `insert into pg_temp."repeated_event"
  with "often" as materialized (select "id" from "seen_event" group by "id" having count(*) > 1)
  select "id", count(*), min(s.ctid), count(distinct (s."user_id", s."token_id", s."quota", s."price_version", s."outcome")) > 1
  from "seen_event" s join "often" using ("id") group by "id"`;
const REPEATED = `select "id"::text as "id", "copies", (count(*) over ())::int as "total" from "repeated_event" order by "id" limit $1`;
/** Duplicates with different contents. */
const DIFFERENT = `select d."id"::text as "id", d."total", string_agg("partition" || '/' || "record_offset", ', ' order by "partition", "record_offset") as "places"
  from (select "id", (count(*) over ())::int as "total" from "repeated_event" where "differs" order by "id" limit $1) d
  join "seen_event" s on s."id" = d."id" group by d."id", d."total" order by d."id"`;
/** Deletes all copies but the first. */
const KEEP_FIRST = `delete from "seen_event" s using "repeated_event" r where s."id" = r."id" and s.ctid <> r."first"`;

const SHOWN = 5;
const LISTED = 1_000;
/** Number of users whose partition is cached. */
const KEYS = 100_000;

/** Reads the whole topic once, in bounded memory, into the table `seen_event` of the connection. */
export async function scanEvents(options: ScanOptions): Promise<Scan> {
  const scanner = new Scanner(options);
  await scanner.loadPrices();
  await options.read(requestConsumed.name, (records) => scanner.take(records));
  return scanner.finish();
}

class Scanner {
  private readonly faults: Scan['faults'] = [];
  private readonly notices: string[] = [];
  private readonly next = new Map<number, bigint>();
  private readonly prices = new Map<string, PriceDocument>();
  private unlisted = 0;
  private readonly due = new Map<string, number>();
  private lines = new CopyLines();
  private taken = new CopyLines();
  /** The COPY statement in progress, which reads the lines in `taken`. */
  private filling = Promise.resolve();
  private events = 0;
  private earliest = Infinity;
  private isWhole = true;

  constructor(private readonly options: ScanOptions) {}

  async loadPrices(): Promise<void> {
    const { rows } = await this.options.client.query<{ id: string; document: PriceDocument }>(
      'select "id", "document" from "billing"."price_version"',
    );
    for (const { id, document } of rows) this.prices.set(id, document);
  }

  async take(records: readonly StoredRecord[]): Promise<void> {
    for (const record of records) {
      const line = this.read(record);
      if (line !== undefined) this.lines.add(line);
    }
    if (this.lines.rows >= ROWS) await this.fill();
  }

  /**
   * Starts the next COPY statement when the previous one has ended. If that failed, the next call of `fill` or `finish`
   * throws the error.
   */
  private async fill(): Promise<void> {
    await this.filling;
    if (this.lines.rows === 0) return;
    [this.lines, this.taken] = [this.taken, this.lines];
    this.lines.clear();
    this.filling = pipeline([this.taken.bytes], this.options.client.query(copyFrom(FILL)));
    this.filling.catch(() => undefined);
    this.options.reportStep?.(`reading the events, ${this.events} so far`);
  }

  private read(record: StoredRecord): string | undefined {
    const { partition, offset, key, value, appendedAt } = record;
    this.noteGap(partition, offset);
    this.earliest = Math.min(this.earliest, appendedAt);
    let event: Consumption;
    try {
      event = leanEvent(value) ?? fromRecord(requestConsumed, value);
    } catch (error) {
      this.fault({
        subject: `offset ${offset} of partition ${partition}`,
        expected: 'an event of the contract',
        found: (error as Error).message.slice(0, 200),
      });
      return undefined;
    }
    const time = timeOfId(event.id);
    const { from, to } = this.options.period;
    if (time < from || time >= to) return undefined;
    const due = this.dueOf(key);
    if (due !== partition || key !== String(event.data.userId))
      this.fault({
        subject: event.id,
        expected: 'the partition of its user',
        found: `lies in partition ${partition} under key ${key}, its user's is ${due}`,
      });
    this.events += 1;
    return toLine(event, record, this.options.rate(event, this.prices.get(event.data.priceVersion)));
  }

  /** Lists a fault, up to a limit, so that a log full of faults does not fill the memory. */
  private fault(fault: Scan['faults'][number]): void {
    if (this.faults.length < LISTED) this.faults.push(fault);
    else this.unlisted += 1;
  }

  private dueOf(key: string): number {
    const known = this.due.get(key);
    if (known !== undefined) return known;
    const due = partitionOf(key, requestConsumed.partitions);
    if (this.due.size < KEYS) this.due.set(key, due);
    return due;
  }

  private noteGap(partition: number, offset: bigint): void {
    const expected = this.next.get(partition);
    this.next.set(partition, offset + 1n);
    if (expected === undefined && offset > 0n) this.isWhole = false;
    if (!this.options.isDense || expected === undefined || expected === offset) return;
    this.fault({
      subject: `offsets ${expected} to ${offset - 1n} of partition ${partition}`,
      expected: 'a record each',
      found: 'none: somebody has removed them',
    });
  }

  /** Deletes duplicates, and reports them: as a notice if their contents are the same, as faults otherwise. */
  private async dropRepeats(): Promise<void> {
    const { client } = this.options;
    await client.query(FIND_REPEATED);
    const { rows: repeated } = await client.query<Repeated & { copies: number }>(REPEATED, [SHOWN]);
    if (!repeated[0]) return;
    const { rows: different } = await client.query<Repeated & { places: string }>(DIFFERENT, [LISTED]);
    await client.query(KEEP_FIRST);
    for (const { id, places } of different)
      this.fault({
        subject: id,
        expected: 'one event',
        found: `events under one id that say different things (partition/offset ${places})`,
      });
    this.unlisted += (different[0]?.total ?? 0) - different.length;
    const shown = repeated.map(({ id, copies }) => `${id} (${copies}×)`);
    this.notices.push(
      `${repeated[0].total} events are in the log more than once, with the same contents, and were booked once: ${shown.join(', ')}`,
    );
  }

  async finish(): Promise<Scan> {
    await this.fill();
    await this.filling;
    await this.options.client.query('analyze pg_temp."seen_event"');
    await this.dropRepeats();
    const isKept = this.options.isDense && this.isWhole;
    const since = isKept ? 0 : this.earliest;
    if (since === Infinity)
      this.notices.push('The event log keeps no event any more: journal and log were compared without it.');
    else if (since > this.options.period.from)
      this.notices.push(
        `The event log reaches back to ${new Date(since).toISOString()}; what is older was compared without it.`,
      );
    return { events: this.events, since, faults: this.faults, unlisted: this.unlisted, notices: this.notices };
  }
}

const toLine = ({ id, data }: Consumption, { partition, offset }: StoredRecord, fault: string | undefined): string => {
  // The single unit of a task is not a token.
  const prompt = data.task ? 0 : promptTokensOf(data.usage);
  const who = `${id.toLowerCase()}\t${data.userId}\t${data.tokenId}\t${data.quota}\t${copied(data.priceVersion)}\t${copied(data.replicaEpoch)}`;
  const usage = `${prompt}\t${completionTokensOf(data.usage)}\t${data.channelId}\t${copied(data.model)}`;
  const kind = data.task ? 't' : 'f';
  return `${who}\t${data.outcome}\t${usage}\t${partition}\t${offset}\t${kind}\t${fault ?? '\\N'}\n`;
};
