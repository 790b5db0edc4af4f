import type { Client } from 'pg';
import type { StoredRecord } from '@tollgate/chassis';
import { isOnKafka } from '@tollgate/database';

/** Calls `handle` with all current records of a topic in batches; the records of a partition come in order. */
export type TopicReader = (topic: string, handle: (records: readonly StoredRecord[]) => Promise<void>) => Promise<void>;

const BATCH = 5_000;

interface Row {
  record_offset: string;
  key: string;
  value: string;
  at: string;
}

/**
 * Reads the event log in the database, within the client's transaction. The next batch is read while `handle` runs, so
 * `handle` must not use the client.
 */
export const tableReader =
  (client: Client): TopicReader =>
  async (topic, handle) => {
    const { rows: partitions } = await client.query<{ partition: number }>(
      'select partition from event_log.topic_partition where topic = $1 order by 1',
      [topic],
    );
    for (const { partition } of partitions) await readPartition(client, { topic, partition }, handle);
  };

async function readPartition(
  client: Client,
  { topic, partition }: { topic: string; partition: number },
  handle: (records: readonly StoredRecord[]) => Promise<void>,
): Promise<void> {
  const read = async (after: string): Promise<Row[]> => {
    const { rows } = await client.query<Row>(
      `select record_offset, key, value, (extract(epoch from appended_at) * 1000)::bigint as at from event_log.record
       where topic = $1 and partition = $2 and record_offset > $3 order by record_offset limit ${BATCH}`,
      [topic, partition, after],
    );
    return rows;
  };
  for (let following: Promise<Row[]> | undefined = read('-1'); following !== undefined;) {
    const rows: Row[] = await following;
    const last = rows.at(-1);
    following = last && rows.length === BATCH ? read(last.record_offset) : undefined;
    // If `handle` throws, nothing awaits the next batch, and its error must not go unhandled.
    following?.catch(() => undefined);
    if (rows.length > 0) await handle(rows.map((row) => recordOf(partition, row)));
  }
}

const recordOf = (partition: number, { record_offset: offset, key, value, at }: Row): StoredRecord => ({
  ...{ partition, offset: BigInt(offset), key, value, appendedAt: Number(at) },
});

/** Whether the database contains an event log, and the installation uses it. */
export async function hasTableLog(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('event_log.record') is not null as there`,
  );
  return rows[0]?.there === true && !(await isOnKafka(client));
}

/** A consumer group that has not read all events. */
export interface LateReader {
  reader: string;
  events: number;
}

/** The consumer groups with unread events of a topic in the database, within the client's transaction. */
export async function lateOnTable(client: Client, topic: string): Promise<LateReader[]> {
  const { rows } = await client.query<LateReader>(
    `select c.consumer_group as reader, sum(p.next - c.next)::int as events
     from event_log.topic_partition p join event_log.committed_offset c using (topic, partition)
     where topic = $1 and c.next < p.next group by 1 order by 1`,
    [topic],
  );
  return rows;
}
