import type { Client } from 'pg';
import { AppError, type Logger, type LogRecord, partitionOf } from '@tollgate/chassis';
import { requestConsumed } from '@tollgate/contracts';
import { connectPatiently } from '@tollgate/database';
import { requireUnused } from '../carry/unused-log.js';

/** The topic from which the books can be rebuilt. */
export const consumptionTopic = { name: requestConsumed.name, partitions: requestConsumed.partitions };

const STILL_READ =
  'A Tollgate process is running on this database and reads the events. Stop all of them, then run this again.';

interface TableTopic {
  url: string;
  log: Logger;
  topic: string;
}

async function withLog<T>({ url, log }: TableTopic, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectPatiently(url, log);
  try {
    await client.query('set search_path = event_log');
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Appends records to the event log in the database, in the partitions of their keys. */
export const appendToTable = (place: TableTopic & { records: readonly LogRecord[] }): Promise<void> =>
  withLog(place, async (client) => {
    const { topic, records } = place;
    if (records.length === 0) return;
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from topic_partition where topic = $1',
      [topic],
    );
    const count = rows[0]?.count ?? 0;
    if (count === 0)
      throw new AppError(
        'unavailable',
        'event-log-empty',
        'This installation was never started: start it once and stop it.',
      );
    await client.query('select append_records($1, $2, $3, $4)', [
      topic,
      records.map(({ key }) => partitionOf(key, count)),
      records.map(({ key }) => key),
      records.map(({ value }) => value),
    ]);
  });

/**
 * Resets every consumer group, so that it reads the topic from its beginning after the next start. Throws
 * `event-log-in-use` while a process reads the log, which would write its own place over this one.
 */
export const rewindTable = (place: TableTopic): Promise<void> =>
  withLog(place, async (client) => {
    await requireUnused(client, 0, STILL_READ);
    await client.query('update committed_offset set next = 0 where topic = $1', [place.topic]);
  });
