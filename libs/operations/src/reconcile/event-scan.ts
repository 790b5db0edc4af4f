import type { Client } from 'pg';
import { completionTokensOf, promptTokensOf, type PriceDocument, requestConsumed } from '@tollgate/contracts';
import { fromRecord, partitionOf, type Period, type StoredRecord, storableText, timeOfId } from '@tollgate/chassis';
import type { TopicReader } from './topic-reader.js';

type Consumption = ReturnType<typeof fromRecord<typeof requestConsumed>>;

/** What is wrong with a charge under the version it names; undefined when that gives the same. */
export type Rater = (event: Consumption, document: PriceDocument | undefined) => string | undefined;

export interface ScanOptions {
  client: Client;
  read: TopicReader;
  period: Period;
  rate: Rater;
  /** The table's offsets have no gaps; Kafka's may have. */
  isDense: boolean;
}

export interface Scan {
  events: number;
  /** Milliseconds: events of requests before then may be gone by age. */
  since: number;
  /** Faults of the log itself, as \`subject\`, \`expected\`, \`found\`. */
  faults: { subject: string; expected: string; found: string }[];
  notices: string[];
}

/** Made before the transaction, because one that only reads may fill it and not make it. */
export const SEEN_TABLE = `create temp table "seen_event" ("id" uuid primary key, "user_id" int, "token_id" int, "quota" bigint, "price_version" text,
  "replica_epoch" text, "outcome" text, "prompt" bigint, "completion" bigint, "channel_id" int, "model" text, "partition" int,
  "record_offset" bigint, "fault" text, "copies" int default 1)`;

const COLUMNS = `"id", "user_id", "token_id", "quota", "price_version", "replica_epoch", "outcome", "prompt", "completion", "channel_id",
  "model", "partition", "record_offset", "fault"`;
const TYPES = `"id" uuid, "user_id" int, "token_id" int, "quota" bigint, "price_version" text, "replica_epoch" text, "outcome" text,
  "prompt" bigint, "completion" bigint, "channel_id" int, "model" text, "partition" int, "record_offset" bigint, "fault" text`;

/** A second copy counts; it must say the same. Answers those that do not. */
const ADD = `insert into "seen_event" as s (${COLUMNS})
  select ${COLUMNS} from json_to_recordset($1::json) as e(${TYPES})
  on conflict ("id") do update set "copies" = s."copies" + 1
  returning "id", "copies", "record_offset"`;

const SHOWN = 5;

/** Reads all of the topic once, in bounded memory, into the table \`seen_event\` of the connection. */
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
  private readonly moved: string[] = [];
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
    const rows = records.flatMap((record) => this.read(record) ?? []);
    // The same id twice in one statement would be refused.
    for (const batch of withoutRepeats(rows)) await this.add(batch);
  }

  private read(record: StoredRecord): Row | undefined {
    const { partition, offset, key, value, appendedAt } = record;
    this.noteGap(partition, offset);
    this.earliest = Math.min(this.earliest, appendedAt);
    let event: Consumption;
    try {
      event = fromRecord(requestConsumed, value);
    } catch (error) {
      this.faults.push({
        subject: `offset ${offset} of partition ${partition}`,
        expected: 'an event of the contract',
        found: (error as Error).message.slice(0, 200),
      });
      return undefined;
    }
    const time = timeOfId(event.id);
    const { from, to } = this.options.period;
    if (time < from || time >= to) return undefined;
    const due = partitionOf(key, requestConsumed.partitions);
    if (due !== partition || key !== String(event.data.userId))
      this.moved.push(`${event.id} lies in partition ${partition} under key ${key}, its user's is ${due}`);
    this.events += 1;
    return toRow(event, record, this.options.rate(event, this.prices.get(event.data.priceVersion)));
  }

  private noteGap(partition: number, offset: bigint): void {
    const expected = this.next.get(partition);
    this.next.set(partition, offset + 1n);
    if (expected === undefined && offset > 0n) this.isWhole = false;
    if (!this.options.isDense || expected === undefined || expected === offset) return;
    this.faults.push({
      subject: `offsets ${expected} to ${offset - 1n} of partition ${partition}`,
      expected: 'a record each',
      found: 'none: somebody has removed them',
    });
  }

  private async add(rows: readonly Row[]): Promise<void> {
    const { rows: results } = await this.options.client.query<{ id: string; copies: number; record_offset: string }>(
      ADD,
      [JSON.stringify(rows)],
    );
    const repeated = new Set(results.filter(({ copies }) => copies > 1).map(({ id }) => id));
    const again = rows.filter(({ id }) => repeated.has(id));
    if (again.length > 0) await this.compare(again);
  }

  private async compare(again: readonly Row[]): Promise<void> {
    const { rows } = await this.options.client.query<{ id: string }>(
      `select e."id" from json_to_recordset($1::json) as e(${TYPES}) join "seen_event" s on s."id" = e."id"
       where (e."user_id", e."token_id", e."quota", e."price_version", e."outcome") is distinct from
         (s."user_id", s."token_id", s."quota", s."price_version", s."outcome")`,
      [JSON.stringify(again)],
    );
    for (const { id } of rows)
      this.faults.push({
        subject: id,
        expected: 'one event',
        found: 'two events under one id that say different things',
      });
  }

  async finish(): Promise<Scan> {
    const { rows } = await this.options.client.query<{ id: string; copies: number; total: string }>(
      `select "id", "copies", count(*) over () as "total" from "seen_event" where "copies" > 1 order by "id" limit ${SHOWN}`,
    );
    if (rows.length > 0)
      this.notices.push(
        `${rows[0]?.total} events are in the log more than once, with the same contents, and were booked once: ${rows.map(({ id, copies }) => `${id} (${copies}×)`).join(', ')}`,
      );
    if (this.moved.length > 0)
      this.faults.push(
        ...this.moved.map((text) => ({
          subject: text.slice(0, 36),
          expected: 'the partition of its user',
          found: text.slice(37),
        })),
      );
    const isKept = this.options.isDense && this.isWhole;
    const since = isKept ? 0 : this.earliest;
    if (since === Infinity)
      this.notices.push('The event log keeps no event any more: journal and log were compared without it.');
    else if (since > this.options.period.from)
      this.notices.push(
        `The event log reaches back to ${new Date(since).toISOString()}; what is older was compared without it.`,
      );
    return { events: this.events, since, faults: this.faults, notices: this.notices };
  }
}

const toRow = ({ id, data }: Consumption, { partition, offset }: StoredRecord, fault: string | undefined) => ({
  id: id.toLowerCase(),
  user_id: data.userId,
  token_id: data.tokenId,
  quota: data.quota,
  price_version: data.priceVersion,
  replica_epoch: data.replicaEpoch,
  outcome: data.outcome,
  // The one unit that a task states is no token.
  prompt: data.task ? 0 : promptTokensOf(data.usage),
  completion: completionTokensOf(data.usage),
  channel_id: data.channelId,
  model: storableText(data.model),
  partition,
  record_offset: String(offset),
  fault: fault ?? null,
});
type Row = ReturnType<typeof toRow>;

function withoutRepeats(rows: readonly Row[]): Row[][] {
  const batches: Map<string, Row>[] = [];
  for (const row of rows) {
    const free = batches.find((batch) => !batch.has(row.id));
    if (free) free.set(row.id, row);
    else batches.push(new Map([[row.id, row]]));
  }
  return batches.map((batch) => [...batch.values()]);
}
