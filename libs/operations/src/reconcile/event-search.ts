import type { Client } from 'pg';
import { type StoredRecord, timeOfId } from '@tollgate/chassis';
import { allEvents } from '@tollgate/contracts';

/** Milliseconds since 1970; `from` is inclusive, `to` exclusive. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Calls `handle` with the records of topics that were appended within a span; for event logs that are not in the
 * database.
 */
export type SpanReader = (
  span: Span & { topics: readonly string[] },
  handle: (topic: string, records: readonly StoredRecord[]) => Promise<void>,
) => Promise<void>;

/** An event as it is stored in the log. */
export interface FoundEvent {
  topic: string;
  partition: number;
  record_offset: string;
  key: string;
  value: string;
}

/** Upper bound of the difference between clocks and, in normal operation, of the delay until an event is in the log. */
const MARGIN_MS = 5 * 60_000;

/**
 * The spans in which to search for events about an id: around its timestamp, and around every timestamp in rows about
 * it. Only a UUIDv7 has a timestamp; for any other id the span is unlimited.
 */
export function spansAround(id: string, moments: readonly number[]): Span[] {
  if (!hasTime(id)) return [EVER];
  const spans: Span[] = [];
  for (const moment of [timeOfId(id), ...moments].sort((a, b) => a - b)) {
    const last = spans.at(-1);
    const to = moment + MARGIN_MS;
    if (last && moment - MARGIN_MS <= last.to) last.to = to;
    else spans.push({ from: moment - MARGIN_MS, to });
  }
  return spans;
}

const EVER: Span = { from: 0, to: Infinity };
const hasTime = (id: string): boolean => id[14] === '7';

/**
 * Finds events that name an id. The log holds millions of records and has no index on their contents, only on their
 * time. If none is found near the known times, it may have been appended late; only then everything after the id's
 * timestamp is read.
 */
export async function eventsAbout(
  id: string,
  moments: readonly number[],
  search: (span: Span) => Promise<FoundEvent[]>,
): Promise<FoundEvent[]> {
  const spans = spansAround(id, moments);
  const found: FoundEvent[] = [];
  for (const span of spans) found.push(...(await search(span)));
  if (found.length > 0 || !hasTime(id)) return found;
  return search({ from: timeOfId(id) - MARGIN_MS, to: Infinity });
}

/** Searches the event log in the database, with its index on the time of appending. */
export const tableSearch =
  (client: Client, id: string) =>
  async ({ from, to }: Span): Promise<FoundEvent[]> => {
    const { rows } = await client.query<FoundEvent>(
      `select "topic", "partition", "record_offset", "key", "value" from "event_log"."record"
       where "appended_at" >= to_timestamp($2::float8 / 1000) and "appended_at" < to_timestamp($3::float8 / 1000)
         and "value" like '%' || $1 || '%' order by 1, 2, 3`,
      [id, from, to],
    );
    return rows;
  };

const TOPICS = allEvents.map(({ name }) => name);

export const spanSearch =
  (read: SpanReader, id: string) =>
  async (span: Span): Promise<FoundEvent[]> => {
    const found: FoundEvent[] = [];
    await read({ ...span, topics: TOPICS }, async (topic, records) => {
      for (const { partition, offset, key, value } of records)
        if (value.includes(id)) found.push({ topic, partition, record_offset: String(offset), key, value });
    });
    return found.sort((a, b) => a.topic.localeCompare(b.topic) || a.partition - b.partition);
  };
